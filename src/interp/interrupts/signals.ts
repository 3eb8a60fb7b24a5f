/**
 * How control leaves a statement. A node lowered as a statement gives
 *
 *   undefined      it is done, go on with the next
 *   a value        `return value` (script values are never `undefined`, so nothing has to be stored or boxed)
 *   BREAK, CONTINUE
 *   a TailCall     `return f(x)`: the caller of the function goes on with it
 *
 * or a promise of these. A node lowered for its value gives a value, or, where a block inside an expression may return
 * or break, an `Exit` that carries the completion outward. JavaScript exceptions are for errors only; except that an
 * `Exit` in the middle of an operand (`1 + f()?`) is thrown to the statement around it.
 */
import { isInt, type Value } from "../../values/index.ts";
import type { Frame } from "../frame.ts";
import type { FunctionCode } from "../function-code.ts";

class Signal {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export const BREAK = new Signal("break");
export const CONTINUE = new Signal("continue");

/** A completion on its way out of an expression. */
export class Exit {
  readonly completion: unknown;
  constructor(completion: unknown) {
    this.completion = completion;
  }
}

/** A call in tail position, to be run by the caller in place of the frame that made it. */
export class TailCall {
  readonly code: FunctionCode;
  readonly frame: Frame;
  constructor(code: FunctionCode, frame: Frame) {
    this.code = code;
    this.frame = frame;
  }
}

/** `exit(n)`: ends the program at once; no script catches it, and no `finally` runs. */
export class ExitProgram {
  readonly code: number;
  constructor(code: Value | undefined) {
    this.code = exitCodeOf(code);
  }
}

/** The exit code that a value asks for: an int within 0 to 255, 0 for anything else (language.md §19.5). */
export function exitCodeOf(value: Value | undefined): number {
  return isInt(value) ? Math.min(255, Math.max(0, Number(value))) : 0;
}
