/** `HarnError`: why something did not happen, with a code that docs/reference/errors.md explains. Imports nothing: the root has it. */
import type { Code } from "../diagnostics/index.ts";
import type { HarnFailure, Place, Question } from "./types.ts";

type HarnErrorMore = Partial<Pick<HarnFailure, "run" | "place" | "questions" | "cause">>;

let made: (code: Code, message: string, more: HarnErrorMore) => HarnError;

/** Programs get them, and never make one: so its declaration names no list of codes, which alone weighs 24 kB. */
export class HarnError extends Error implements HarnFailure {
  override readonly name = "HarnError";
  readonly code: string;
  /** Name of the run. */
  declare readonly run?: string;
  /** In the script. */
  declare readonly place?: Place;
  /** What the run waits for. */
  declare readonly questions?: readonly Question[];

  private constructor(code: Code, message: string, { cause, ...more }: HarnErrorMore) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, more);
  }

  static {
    // What is built has short names; of an error that nobody catches Node prints that of its class.
    Object.defineProperty(HarnError, "name", { value: "HarnError" });
    made = (...of) => new HarnError(...of);
  }
}

/** Makes one, of a code that the catalogue has. */
export const harnError = (code: Code, message: string, more: HarnErrorMore = {}): HarnError =>
  made(code, message, more);

/** A defect of ours. */
export const internalError = (run: string, cause: unknown): HarnError =>
  harnError(
    "HARN-CLI-013",
    `internal error, please report it: ${cause instanceof Error ? cause.message : String(cause)}`,
    { run, cause },
  );
