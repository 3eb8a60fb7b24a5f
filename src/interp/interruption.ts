/**
 * What ends a task from outside. Not a `ScriptError`: no `catch` of a script may stop it, but `finally` and `defer`
 * blocks run while it unwinds. It is raised where the task waits, or at its next step or wait.
 */
export class Interruption {
  /** `cancelled` (by the program), `stopped` (by the user or host), `replay` (a replay that can't go on). */
  readonly reason: "cancelled" | "stopped" | "replay";
  readonly cause: unknown;
  constructor(reason: "cancelled" | "stopped" | "replay", cause?: unknown) {
    this.reason = reason;
    this.cause = cause;
  }
}
