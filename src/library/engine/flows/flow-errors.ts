/** Errors between a flow's function and its run: what an effect threw, live or on record, as an `Error`, and what the function threw. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Code } from "../../../diagnostics/index.ts";
import type { ProblemPlace } from "../../../effects/index.ts";
import {
  Dict,
  fromJs,
  ScriptError,
  toJs,
  UnfitValue,
  uncaughtText,
  type Value,
} from "../../../values/index.ts";
import { HarnError, harnError } from "../../errors.ts";
import { thrownInWords } from "../../schema.ts";

/** The same from a record as live, so never the very object that was thrown. */
export function errorForFlow(error: unknown): unknown {
  if (!(error instanceof ScriptError)) return error;
  const { kind, value, category, code } = error;
  if (kind !== "thrown") return plainError("Error", flowErrorText(value, error), { code, category });
  return value instanceof Dict && typeof value.get("message") === "string" ? flowErrorOf(value) : toJs(value);
}

const flowErrorText = (value: Value, error: ScriptError): string =>
  typeof value === "string" ? value : uncaughtText(error);

/** What `fromJs` makes of an `Error`, as one. */
function flowErrorOf(dict: Dict): Error {
  const { name, message, cause, ...more } = toJs(dict) as { readonly [key: string]: unknown };
  const inner = dict.get("cause");
  const because =
    inner instanceof Dict && typeof inner.get("message") === "string" ? flowErrorOf(inner) : cause;
  return plainError(
    typeof name === "string" ? name : "Error",
    message as string,
    because === undefined ? more : { ...more, cause: because },
  );
}

function plainError(name: string, message: string, more: { readonly [key: string]: unknown }): Error {
  const error = new Error(message);
  const given = Object.entries({ name, ...more }).filter(([, value]) => value !== undefined && value !== "");
  for (const [key, value] of given)
    Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: false });
  return error;
}

/** What a flow's function threw, as its script's error. `cause` is the very thing. */
export function failureOfFlow(thrown: unknown): ScriptError {
  const own = thrown instanceof Error ? String((thrown as { readonly code?: unknown }).code ?? "") : "";
  const code: string = own.startsWith("HARN-") ? own : ("HARN-LIB-009" satisfies Code);
  return new ScriptError("thrown", valueOfThrown(thrown), { code, cause: thrown });
}

function valueOfThrown(thrown: unknown): Value {
  try {
    return fromJs(thrown instanceof HarnError ? { name: "Error", message: thrown.message } : thrown);
  } catch (unfit) {
    return `what it threw has no value: ${thrownInWords(unfit)}`;
  }
}

/** A value of the program's for its run. `what`: `the input of step a`. */
export function valueForRun(value: unknown, what: string, run: string): Value {
  try {
    return fromJs(value);
  } catch (error) {
    // A getter of it may throw.
    const why = error instanceof UnfitValue ? error.message : thrownInWords(error);
    throw harnError("HARN-LIB-004", `${what}: ${why}`, { run, cause: error });
  }
}

/** The caller of `callee`, which is being called: `orders.ts`, 12, 20; undefined where the engine of JavaScript does not say. */
export function callPlace(callee: (...args: never) => unknown, cwd: string): ProblemPlace | undefined {
  const trace: { stack?: string } = {};
  Error.captureStackTrace(trace, callee);
  const frame = trace.stack?.split("\n")[1]?.trim() ?? "";
  const [, at] = /^at (?:.*\()?((?:file:|\/|[A-Za-z]:\\).+:\d+:\d+)\)?$/.exec(frame) ?? [];
  if (at === undefined) return undefined;
  const [, file = "", line, column] = /^(.*?):(\d+):(\d+)$/.exec(at) ?? [];
  const path = file.startsWith("file:") ? fileURLToPath(file.replace(/\?.*$/, "")) : file;
  const near = relative(cwd, path);
  const shown = near.startsWith("..") ? path : near;
  return { file: path, shown, line: Number(line), column: Number(column) };
}
