/**
 * An error that a script raised or can catch. Not a JavaScript `Error`: making one must stay cheap (no stack capture),
 * because scripts throw in loops.
 */
import type { SourceFile, Span } from "../source/index.ts";
import type { Value } from "./value.ts";

/** Which of the forms of language.md §12.1 and §28.2 the text takes. */
export type ErrorKind =
  /** `throw v`: arrives unchanged; uncaught `Thrown: <display>`. */
  | "thrown"
  /** `Type error: m`. */
  | "type"
  /** `Runtime error: m`. */
  | "runtime"
  /** Texts without a prefix when caught, with `Runtime error: ` when uncaught: `Undefined variable: x`, `Division by zero` … */
  | "bare"
  /** `Error [category]: m`. */
  | "categorised";

/** One frame of the script's call stack, innermost first. */
export interface TraceFrame {
  readonly name: string;
  readonly source: SourceFile | undefined;
  readonly span: Span | undefined;
}

export class ScriptError {
  readonly kind: ErrorKind;
  /** For `thrown`: the value. Otherwise the message string without prefix. */
  readonly value: Value;
  readonly category: string | undefined;
  /** Catalogue code, `HARN-RUN-…`; "" when none fits. */
  code: string;
  /** Where it was raised; filled in by the first frame that knows. */
  source: SourceFile | undefined = undefined;
  span: Span | undefined = undefined;
  /** Frames left so far. */
  readonly trace: TraceFrame[] = [];
  cause: unknown = undefined;
  /** What to do, for people: shown where nobody caught it. */
  help: string | undefined = undefined;
  /** It has left an isolated body: see `asUncaught`. */
  isolated = false;

  constructor(
    kind: ErrorKind,
    value: Value,
    options?: { category?: string; code?: string; cause?: unknown },
  ) {
    this.kind = kind;
    this.value = value;
    this.category = options?.category;
    this.code = options?.code ?? "";
    this.cause = options?.cause;
  }
}

/** `throw v` from native code. Tables that say kind T (builtins.md §0) mean this with a string. */
export const thrown = (value: Value): ScriptError => new ScriptError("thrown", value);
/** `Type error: m` (kind Y). */
/** Throws texts that begin with `prefix`: for readers of options that are told whose they are. */
export const failing =
  (prefix: string) =>
  (text: string): never => {
    throw thrown(`${prefix}${text}`);
  };

export const typeError = (message: string): ScriptError => new ScriptError("type", message);
/** `Runtime error: m` (kind R). */
export const runtimeError = (message: string): ScriptError => new ScriptError("runtime", message);

/** What was asked of an iterator needs its elements, which nobody has yet: `an iterator has no length; write .to_list()`. */
export const lazyError = (lacks: string): ScriptError =>
  runtimeError(`an iterator ${lacks}; write .to_list()`);
/** A text that has no prefix when caught: `Division by zero`, `Undefined variable: x`, `Stack overflow: …`. */
export const bareError = (message: string): ScriptError => new ScriptError("bare", message);
/** `Error [category]: m`. */
export const categorisedError = (category: string, message: string): ScriptError =>
  new ScriptError("categorised", message, { category });
