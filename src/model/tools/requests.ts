/** Calls as the contract of a loop sees them, and why one was not run. */
/** A tool call that a step needs. `arguments` is plain data. */
export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** A call that failed, or that nobody was to run. */
export interface RefusedCall {
  readonly id: string;
  readonly ok: false;
  readonly error: string;
  readonly category: string;
  readonly value?: unknown;
}
