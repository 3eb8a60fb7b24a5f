/**
 * What ends a task from outside. Not a `ScriptError`: no `catch` of a script may stop it, but `finally` and `defer`
 * blocks run while it unwinds. It is raised where the task waits, or at its next step or wait.
 */
export class Interruption {
  /**
   * `cancelled` (by the program), `stopped` (by the user or host), `replay` (a replay that can't go on), `limit` (a
   * limit of the whole run is reached; the cause is the `ScriptError` that people see).
   */
  readonly reason: "cancelled" | "stopped" | "replay" | "limit";
  readonly cause: unknown;
  constructor(reason: "cancelled" | "stopped" | "replay" | "limit", cause?: unknown) {
    this.reason = reason;
    this.cause = cause;
  }
}
