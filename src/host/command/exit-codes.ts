/** What the process says when it ends (language.md §19.5, §28.3). */

export const exitCode = {
  ok: 0,
  /** The program or its text failed. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** A replay does not match its journal. */
  mismatch: 3,
  /** A replay reached the end of a journal whose run had been cut off. */
  endedEarly: 4,
  /** A set of trials is not complete: it paused, trials errored, or it was stopped. */
  incomplete: 5,
  /** A run parked and waits for a person. */
  parked: 75,
  /** Ended by a deadline or cancellation of the host. */
  timeout: 124,
  /** The terminal was closed (SIGHUP). */
  hungUp: 129,
  /** Ctrl-C. */
  interrupted: 130,
  /** The reader of standard output went away: what a shell says of programs that SIGPIPE ends. */
  readerGone: 141,
  terminated: 143,
} as const;
