/**
 * Returns a function that lets work be done, at most once in so many milliseconds however
 * often it is called. After the last call it is always done once more.
 */
export function coalesce(work: () => void, pause = 100): () => void {
  let resting = false;
  let again = false;
  const call = () => {
    if (resting) {
      again = true;
      return;
    }
    resting = true;
    setTimeout(() => {
      resting = false;
      if (again) {
        again = false;
        call();
      }
    }, pause);
    work();
  };
  return call;
}
