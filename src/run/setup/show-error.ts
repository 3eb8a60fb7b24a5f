/** How an error that nobody caught looks: text, place, caret, code, help, and the script's own call stack. */
import { catalogue, renderProblem, type TerminalProblem } from "../../diagnostics/index.ts";
import { isHooksModule } from "../../manifest/index.ts";
import {
  display,
  displayAnyway,
  type ScriptError,
  type TraceFrame,
  uncaughtText,
} from "../../values/index.ts";

/** The rendered error, with a final line break. */
export function showError(error: ScriptError, colour: boolean): string {
  const { source } = error;
  if (source?.path !== undefined && isHooksModule(source.path))
    return showManifestError(error, source.path.replace(/#hooks.*$/, ""), colour);
  const code = errorCodeOf(error);
  const problem: TerminalProblem = {
    severity: "error",
    code,
    // What is wrong with an evaluation was thrown by nobody's script.
    message: code.startsWith("HARN-EVL-") ? display(error.value) : uncaughtText(error),
    source: error.source,
    span: error.span,
    help:
      error.help ??
      (Object.hasOwn(catalogue, code)
        ? (catalogue[code as "HARN-RUN-008"].help as ((params: object) => string) | undefined)?.({})
        : undefined),
    notes: callSites(error.trace),
  };
  return `${renderProblem(problem, { colour })}\n`;
}

/** What `[[hooks]]`, `[[triggers]]` or `[[mcp]]` ask for and can't have: the text that does it stands in no file. */
function showManifestError(error: ScriptError, manifest: string, colour: boolean): string {
  const text = displayAnyway(error.value);
  const problem: TerminalProblem = {
    severity: "error",
    code: "HARN-OPT-004",
    message: text.startsWith(manifest) ? text : `${manifest}: ${text}`,
    source: undefined,
    span: undefined,
    help: "what the manifest begins with must be there before the program runs, for a hook may be what forbids",
    notes: [],
  };
  return `${renderProblem(problem, { colour })}\n`;
}

/** One note a frame, innermost first; a run of equal ones (a recursion) is counted instead of repeated. */
function callSites(trace: readonly TraceFrame[]): string[] {
  const notes: string[] = [];
  for (let i = 0; i < trace.length; ) {
    const note = callSiteLine(trace[i]!);
    let end = i + 1;
    while (end < trace.length && callSiteLine(trace[end]!) === note) end++;
    notes.push(note);
    if (end - i > 1) notes.push(`… ${end - i - 1} more such calls`);
    i = end;
  }
  return notes;
}

function callSiteLine(frame: TraceFrame): string {
  const name = frame.name === "" ? "a closure" : frame.name;
  if (frame.source === undefined || frame.span === undefined) return `called from ${name}`;
  return `called from ${name} at ${frame.source.name}:${frame.source.line(frame.span.start)}`;
}

/** Texts of the errors that have a code of their own (language.md §12.1). */
const byText: readonly (readonly [RegExp, string])[] = [
  [/^Undefined (variable|builtin): /, "HARN-RUN-005"],
  [/^Cannot (assign to|redeclare) immutable /, "HARN-RUN-006"],
  [/^Division by zero$/, "HARN-RUN-007"],
  [/^Stack overflow: /, "HARN-RUN-008"],
];

/** The code of an error that nobody caught. */
export function errorCodeOf(error: ScriptError): string {
  if (error.code !== "") return error.code;
  if (error.kind === "thrown") return "HARN-RUN-002";
  if (error.kind === "type") return "HARN-RUN-003";
  const text = displayAnyway(error.value);
  return byText.find(([pattern]) => pattern.test(text))?.[1] ?? "HARN-RUN-004";
}
