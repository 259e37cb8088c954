// Shows the progress of work that goes on in the daemon after its command was answered, such as a call
// that a document makes. A person can cancel it.

import { line } from '../text';
import { during, type Progress } from '../ui/progress';

/** LSP's WorkDoneProgressBegin, WorkDoneProgressReport and WorkDoneProgressEnd. */
export type Report = Progress & { kind: 'begin' | 'report' | 'end'; title?: string };

interface Shown {
  report: (progress: Progress) => void;
  end: () => void;
}

/** The work that goes on, by its token. */
export class Work {
  private readonly going = new Map<string | number, Shown>();

  /**
   * @param cancel tells the daemon that the person has cancelled.
   * @param began notes work that goes on, and returns what ends that.
   */
  constructor(
    private readonly cancel: (token: string | number) => void,
    private readonly began: (title: string) => () => void,
  ) {}

  /** Takes what the daemon says of the work with this token. */
  take(token: string | number, { kind, title, ...said }: Report): void {
    const progress = { ...said, ...(said.message !== undefined && { message: line(said.message, 120) }) };
    if (kind === 'begin') {
      this.begin(token, line(title ?? '', 120), progress);
    } else if (kind === 'report') {
      this.going.get(token)?.report(progress);
    } else {
      this.going.get(token)?.end();
    }
  }

  /** Ends all: the connection has. */
  clear(): void {
    for (const { end } of [...this.going.values()]) {
      end();
    }
  }

  private begin(token: string | number, title: string, progress: Progress): void {
    this.going.get(token)?.end();
    void during(
      title,
      (report, cancelled) => {
        cancelled.onCancellationRequested(() => this.cancel(token));
        report(progress);
        const ended = this.began(title);
        return new Promise<void>((done) => {
          const shown = {
            report,
            end: () => {
              ended();
              if (this.going.get(token) === shown) {
                this.going.delete(token);
              }
              done();
            },
          };
          this.going.set(token, shown);
        });
      },
      0,
    ); // the daemon has waited before it said that it begins
  }
}
