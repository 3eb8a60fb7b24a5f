/** What went wrong with the command line itself, or with a file that it names. Shown as one line, never with a stack. */

export class UsageError extends Error {
  /** 2 for a wrong command line, 1 for a file that cannot be used. */
  readonly exitCode: number;
  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
