/**
 * Returns a function that does the work, but at most once in `pause` milliseconds however often
 * you call it. A call that comes too early is not lost: the work is done once more after the pause.
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
