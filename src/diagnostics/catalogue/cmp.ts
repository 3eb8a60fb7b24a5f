/** CMP: what can be parsed but not compiled (language.md §17.3, §28.1): statements and marks in places that give them no meaning. */
import { entry } from "../diagnostic.ts";

export interface AtLine {
  readonly line: number;
}

/** The wording of §28.1 for errors found between checking and running. */
const compileError = (p: AtLine, message: string): string => `Compile error at line ${p.line}: ${message}`;

export const cmp = {
  "HARN-CMP-001": entry({
    severity: "error",
    message: (p: AtLine & { readonly word: string }) => compileError(p, `${p.word} outside of loop`),
    label: () => "no loop around it in this function",
    explain:
      "`break` and `continue` act on the nearest `for` or `while` of the same function.\n" +
      "A closure is a function of its own: a `break` inside `xs.map({ x -> … })` cannot leave a loop around the call. " +
      "Use a `for` loop instead, or give the closure's answer back and decide outside.",
  }),
  "HARN-CMP-002": entry({
    severity: "error",
    message: (p: AtLine) =>
      compileError(
        p,
        "spread (...) can only be used inside list literals, dict literals, or function call arguments",
      ),
    label: () => "spread is not possible here",
    explain:
      "`...xs` puts the elements of a list or the entries of a dict into a literal or an argument list.\n" +
      "Match patterns have no rest element: a list pattern matches longer lists anyway.",
  }),
  "HARN-CMP-003": entry({
    severity: "error",
    message: () =>
      "Or-pattern alternatives must be literal patterns (string, int, float, bool, nil, or `_`). " +
      "Identifier bindings and destructuring patterns are not allowed inside `|`.",
    label: () => "not a literal",
    help: () => "write one arm for each such pattern",
    explain:
      "In `a | b -> { … }` each alternative is compared as a value, so each must be a literal (or `_`): otherwise the body " +
      "would not know which names were bound.",
  }),
  "HARN-CMP-004": entry({
    severity: "error",
    message: (p: AtLine & { readonly text: string }) => compileError(p, p.text),
    explain:
      "The attribute does not belong on this declaration, or one of its arguments is not a literal.\n" +
      "`@acp_tool` and `@acp_skill` mark functions; arguments are strings, numbers, booleans, nil or bare words.",
  }),
  "HARN-CMP-005": entry({
    severity: "error",
    message: () => "try* requires an enclosing function (fn, tool, or pipeline) so the rethrow has a target",
    label: () => "not inside a function",
    help: () => "use `try { … } catch (e) { … }` here",
    explain:
      "`try* e` says that a failure of `e` is meant to go on: to a `catch` around it, else to the caller of the function. At the " +
      "top of a file there is no caller.",
  }),
  "HARN-CMP-006": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    explain:
      "`yield` makes a plain `fn` a generator; `emit` belongs to `gen fn`. Both are statements of the function's own body: " +
      "they cannot stand in a closure, at the top of a file, or in the middle of an expression.",
  }),
  "HARN-CMP-008": entry({
    severity: "error",
    message: (p: AtLine) =>
      compileError(
        p,
        "nested list/dict patterns are not supported in match arms; bind the element and match on it in the arm",
      ),
    label: () => "a pattern inside a pattern",
    explain: "Patterns do not nest: bind the element to a name and look at it inside the arm, or in a guard.",
  }),
  "HARN-CMP-009": entry({
    severity: "error",
    message: () => "`main` must take a single `harness: Harness` parameter",
    label: () => "not the entry of a program",
    help: () => "write `fn main(harness: Harness)`; arguments of the program are in `argv`",
    explain:
      "In a file without pipelines `fn main(harness: Harness)` is the entry: it is called when the file's own statements " +
      "have run. It is given the harness and nothing else.",
  }),
};
