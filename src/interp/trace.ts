/** Errors on their way out: where they were raised, through which calls they came, and what is no script's business. */
import { bareError, ScriptError } from "../values/index.ts";
import { Interruption } from "./interrupts/interruption.ts";
import { ExitProgram } from "./interrupts/signals.ts";
import type { Site } from "./site.ts";

/** A bug of ours (or of a library): no script catches it. */
export class InternalError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "InternalError";
  }
}

export const stackOverflow = (): ScriptError => bareError("Stack overflow: too many nested calls");

/** Whatever was thrown, as what may leave a node: a `ScriptError`, or something that no script can catch. */
export function ownError(error: unknown): unknown {
  // First, and with as little as possible: there is hardly any stack left to find anything else out.
  if (error instanceof RangeError && error.message.startsWith("Maximum call stack")) return stackOverflow();
  if (error instanceof ScriptError) return error;
  if (error instanceof Interruption || error instanceof ExitProgram || error instanceof InternalError)
    return error;
  const tooLarge = error instanceof RangeError ? sizes.find(([says]) => says.test(error.message)) : undefined;
  if (tooLarge !== undefined) return new ScriptError("runtime", `out of memory: ${tooLarge[1]}`);
  if (error instanceof Error) return isStackFull() ? stackOverflow() : new InternalError(error);
  // What the machine refuses, also where a builtin did not expect it.
  return isHostError(error) ? new ScriptError("thrown", error.message) : error;
}

/** As the port throws them (`HostError`), which lies below. */
function isHostError(error: unknown): error is { readonly code: string; readonly message: string } {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === "string" && typeof message === "string";
}

/** What a value can't outgrow, by what V8 says of it. */
const sizes: readonly (readonly [RegExp, string])[] = [
  [/string length/i, "a string would be too long"],
  [/(typed )?array( buffer)?|length/i, "a list or bytes would be too long"],
  [/Map|Set|size/i, "a dict or set would be too large"],
];

/**
 * With hardly any stack left, code that swallows a `RangeError` of its own may fail in any way; what comes out then is
 * the overflow, not a bug. A few hundred small frames tell.
 */
function isStackFull(): boolean {
  try {
    return probe(300) < 0;
  } catch {
    return true;
  }
}

const probe = (depth: number): number => (depth === 0 ? 0 : probe(depth - 1) + 1);

/** An error raised by the operation at `site` itself. */
export function locatedFrame(error: unknown, site: Site): unknown {
  const own = ownError(error);
  const shown = shownError(own);
  if (shown !== undefined && shown.span === undefined) {
    shown.source = site.source;
    shown.span = site.span;
  }
  return own;
}

/** The error that people will see: the thing itself, or what stands after an interruption by a limit. */
function shownError(own: unknown): ScriptError | undefined {
  if (own instanceof ScriptError) return own;
  return own instanceof Interruption && own.cause instanceof ScriptError ? own.cause : undefined;
}

/** Frames kept of one error; deeper ones are cut in the middle of a runaway recursion, where they all look alike. */
const maxTrace = 200;

/** An error that comes out of the call at `site` in function `caller`. */
export function unwound(error: unknown, site: Site, caller: string): unknown {
  const own = ownError(error);
  const shown = shownError(own);
  if (shown === undefined) return own;
  if (shown.span === undefined) {
    shown.source = site.source;
    shown.span = site.span;
  } else if (shown.trace.length < maxTrace)
    shown.trace.push({ name: caller, source: site.source, span: site.span });
  return own;
}
