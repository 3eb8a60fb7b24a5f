/** LNT: lint findings (language.md §27): legal code that is questionable. One code for each rule; the label names the rule. */
import { type CatalogueEntry, entry } from "../diagnostic.ts";

/** A lint entry: its label is `lint[rule]`. */
function lintEntry<P>(
  rule: string,
  message: (params: P) => string,
  explain: string,
  help?: (params: P) => string | undefined,
): CatalogueEntry<P> {
  const words = {
    severity: "lint" as const,
    message,
    label: () => `lint[${rule}]`,
    explain: `${explain}\nSwitch it off for a project with \`disabled = ["${rule}"]\` in the [lint] table of harn.toml.`,
  };
  return entry(help === undefined ? words : { ...words, help });
}

export interface NameParam {
  readonly name: string;
}

export const lnt = {
  "HARN-LNT-001": lintEntry(
    "assert-outside-test",
    (p: NameParam) => `\`${p.name}\` is intended for test pipelines, not production control flow`,
    "An assertion stands in code that is no test. A failed one throws a text that callers cannot tell from other errors; " +
      "use `require` or `throw` there, and assertions in pipelines named `test_…` or marked `@test`.",
  ),
  "HARN-LNT-002": lintEntry(
    "blank-line-between-items",
    () => "top-level items should be separated by a blank line",
    "Declarations are easier to find when a blank line stands between them. `harn fmt` puts it there.",
  ),
  "HARN-LNT-003": {
    ...lintEntry(
      "break-outside-loop",
      (p: { readonly word: string }) => `\`${p.word}\` used outside of a loop`,
      "`break` and `continue` act on the loop around them in the same function; here there is none. The program does not run.",
    ),
    severity: "error" as const,
  },
  "HARN-LNT-004": lintEntry(
    "comparison-to-bool",
    (p: { readonly op: string; readonly literal: string }) =>
      p.op === "!=" ? `\`!= ${p.literal}\` is redundant` : `comparison to \`${p.literal}\` is redundant`,
    "A condition is its own truth: `ready == true` says no more than `ready` when `ready` is a bool. It is repaired only " +
      "where the compared value certainly is one.",
  ),
  "HARN-LNT-005": lintEntry(
    "cyclomatic-complexity",
    (p: { readonly name: string; readonly count: number; readonly limit: number }) =>
      `function \`${p.name}\` has cyclomatic complexity ${p.count} (> ${p.limit})`,
    "More ways lead through this function than anybody can keep in mind (branches, loops, arms, handlers and logical " +
      "operators count). Take parts out into functions with names, or mark it `@complexity(allow)`.",
  ),
  "HARN-LNT-006": lintEntry(
    "dead-code-after-return",
    () => "unreachable code after return or throw",
    "What stands after `return`, `throw`, `break` or `continue` in the same block never runs.",
  ),
  "HARN-LNT-007": lintEntry(
    "duplicate-match-arm",
    () => "duplicate match arm pattern",
    "An earlier arm has the same pattern, so this one is never chosen.",
  ),
  "HARN-LNT-008": lintEntry(
    "eager-collection-conversion",
    (p: { readonly expected: string }) =>
      `expression is an iterator; expected ${p.expected}. Add .to_${p.expected}() to materialize.`,
    "Iterators are lazy and used up once; a variable declared as a collection wants the collection itself.",
  ),
  "HARN-LNT-009": lintEntry(
    "empty-block",
    (p: { readonly what: string }) => `${p.what} has an empty body`,
    "A block that does nothing is mostly forgotten work. A comment inside says that it is meant so.",
  ),
  "HARN-LNT-010": lintEntry(
    "import-order",
    () => "imports are not in canonical order (stdlib first, then alphabetical by path)",
    "Imports in one order are found quickly and merge well. `harn fmt` sorts them too.",
  ),
  "HARN-LNT-011": lintEntry(
    "invalid-binary-op-literal",
    (p: { readonly op: string }) =>
      `operator '${p.op}' used with boolean or nil literal — this will cause a runtime error`,
    "Arithmetic knows no `true`, `false` or `nil`. To put one into a text, interpolate it.",
  ),
  "HARN-LNT-012": lintEntry(
    "legacy-doc-comment",
    () => "`///` doc comment(s) above this item should use `/** */` form",
    "Documentation of declarations is written `/** … */`; `harn fmt` converts it.",
  ),
  "HARN-LNT-013": lintEntry(
    "let-then-return",
    (p: NameParam) => `binding \`${p.name}\` is immediately returned`,
    "Return the value itself: the name adds nothing.",
  ),
  "HARN-LNT-014": lintEntry(
    "missing-harndoc",
    (p: NameParam) => `public function \`${p.name}\` is missing a \`/** */\` doc comment`,
    "What other files may use should say what it does.",
  ),
  "HARN-LNT-015": lintEntry(
    "mutable-never-reassigned",
    (p: NameParam) => `variable \`${p.name}\` is declared as \`var\` but never reassigned`,
    "`let` tells readers that the value stays.",
    (p) => `declare it with \`let\`, or assign to \`${p.name}\` somewhere`,
  ),
  "HARN-LNT-016": lintEntry(
    "naming-convention",
    (p: { readonly what: string; readonly name: string; readonly style: string }) =>
      `${p.what} \`${p.name}\` should use ${p.style}`,
    "Functions, tools and pipelines are written in snake_case, types in PascalCase.",
  ),
  "HARN-LNT-017": lintEntry(
    "pipeline-return-type",
    (p: NameParam) =>
      `public pipeline \`${p.name}\` has no declared return type; explicit return types will be required in a future release`,
    "A public pipeline is called by hosts, which want to know what comes back: `pub pipeline p(task) -> dict { … }`.",
  ),
  "HARN-LNT-018": lintEntry(
    "pointless-comparison",
    (p: { readonly op: string } | { readonly value: boolean }) =>
      "op" in p
        ? `expression is compared to itself with \`${p.op}\``
        : `if condition is always \`${p.value}\``,
    "The result is known before the program runs, so something else was probably meant. (A float that is NaN differs from itself.)",
  ),
  "HARN-LNT-019": lintEntry(
    "pr-open-without-secret-scan",
    () => "PR-open flow calls `git::push_pr` without a preceding `secret_scan(...)` in the same handler",
    "What is pushed is public at once and for ever: scan it for keys first, in the same function.",
  ),
  "HARN-LNT-020": lintEntry(
    "prompt-injection-risk",
    (p: NameParam) =>
      `interpolated data in the \`${p.name}\` system prompt can smuggle untrusted instructions`,
    "A model obeys its system prompt. Keep that text constant, and give data in the prompt or in messages.",
  ),
  "HARN-LNT-021": lintEntry(
    "redundant-clone",
    (p: { readonly use: "passed by value" | "dropped" }) => `cloned value is immediately ${p.use}`,
    "Collections are values: nobody who gets one can change yours, so there is nothing to protect by a copy.",
  ),
  "HARN-LNT-022": lintEntry(
    "unnecessary-cast",
    (p: { readonly name: string; readonly type: string }) =>
      `\`${p.name}\` is a no-op here — its argument is already ${p.type}`,
    "The conversion gives its argument back unchanged.",
  ),
  "HARN-LNT-023": lintEntry(
    "redundant-nil-ternary",
    (p: NameParam) => `ternary nil check over \`${p.name}\` can be replaced with \`${p.name} ?? <fallback>\``,
    "`??` says it in one word, and evaluates its left side once.",
  ),
  "HARN-LNT-024": lintEntry(
    "require-file-header",
    () => "file is missing a `/** */` header doc block",
    'A file should begin by saying what it is for. The rule is off unless [lint] of harn.toml has `enabled = ["require-file-header"]`.',
  ),
  "HARN-LNT-025": lintEntry(
    "require-in-test",
    () => "`require` in a test pipeline should usually be an assertion",
    "A failed assertion shows what was expected and what came; a failed `require` does not.",
  ),
  "HARN-LNT-026": lintEntry(
    "shadow-variable",
    (p: { readonly name: string; readonly sameScope: boolean }) =>
      p.sameScope
        ? `cannot redeclare immutable variable \`${p.name}\` in the same scope`
        : `variable \`${p.name}\` shadows a variable in an outer scope`,
    "Two variables of one name are easily taken for each other. In the same scope, a second `let` stops the program when it runs.",
  ),
  "HARN-LNT-027": lintEntry(
    "trailing-comma",
    () => "multiline comma-separated list is missing a trailing comma",
    "With a comma behind the last line, adding one changes one line only. `harn fmt` puts it there.",
  ),
  "HARN-LNT-028": lintEntry(
    "undefined-function",
    (p: NameParam) => `function \`${p.name}\` is not defined`,
    "The call names a function that is neither a builtin, nor declared in this file, nor imported.",
  ),
  "HARN-LNT-029": lintEntry(
    "unhandled-approval-result",
    (p: NameParam) => `approval result from \`${p.name}\` is discarded`,
    "Asking for approval and then going on whatever the answer is, is not asking. Look at the result.",
  ),
  "HARN-LNT-030": lintEntry(
    "unnecessary-else-return",
    () => "both if and else branches return — else is unnecessary",
    "When the first branch returns, what follows is the other one: one level less to read.",
  ),
  "HARN-LNT-031": lintEntry(
    "untyped-dict-access",
    (p: NameParam) => `property access on raw \`${p.name}()\` result without schema validation`,
    "What comes from outside may have any shape; a missing key gives `nil` far from where it was read. Check it against a schema first.",
  ),
  "HARN-LNT-032": lintEntry(
    "unused-function",
    (p: NameParam) => `function \`${p.name}\` is declared but never used`,
    "Nothing refers to it. Names that begin with `_` are exempt.",
  ),
  "HARN-LNT-033": lintEntry(
    "unused-parameter",
    (p: NameParam) => `parameter \`${p.name}\` is declared but never used`,
    "Callers give it for nothing. A name that begins with `_` says that this is meant so.",
  ),
  "HARN-LNT-034": lintEntry(
    "unused-import",
    (p: NameParam) => `imported name \`${p.name}\` is never used`,
    "The import loads a module for nothing.",
  ),
  "HARN-LNT-035": lintEntry(
    "unused-type",
    (p: { readonly what: string; readonly name: string }) =>
      `${p.what} \`${p.name}\` is declared but never referenced`,
    "Nothing refers to it. Names that begin with `_` are exempt.",
  ),
  "HARN-LNT-036": lintEntry(
    "deprecated_llm_options",
    (p: NameParam) =>
      `option \`${p.name}\` of \`agent_loop\` is deprecated and will be removed in v0.9; use \`llm_caller\``,
    "Retries and backoff belong to the caller that a loop sends its turns through: " +
      "`llm_caller: with_retry({max_attempts: 4})(default_llm_caller())` from std/llm/handlers.",
  ),
  "HARN-LNT-037": lintEntry(
    "long-running-without-cleanup",
    (p: NameParam) => `\`${p.name}\` starts long-running work without a defer/finally cleanup path`,
    "A daemon, a supervisor or a connection goes on until it is ended. An error between its start and its end would leave " +
      "it open: end it in a `defer` or a `finally`, start it inside `scope { }`, or return it to the caller.",
  ),
  "HARN-LNT-038": lintEntry(
    "integer-division",
    (p: { readonly code: string; readonly value: string | undefined; readonly instead: string }) =>
      `\`${p.code}\` ${p.value === undefined ? "drops the remainder" : `is ${p.value}`}: an int divided by an int is an int`,
    "Ints divide to an int; what is left over is lost, so a share of two counts is 0. Make one of them a float. Where the " +
      "remainder does not matter nothing is reported: `len(rows) / 2`.",
    (p) => `for the share write \`${p.instead}\``,
  ),
  "HARN-LNT-039": lintEntry(
    "comment-for-division",
    (p: { readonly text: string }) => `\`${p.text}\` divides nothing: \`//\` begins a comment`,
    "In Python `a // b` divides and drops the remainder. Here everything after `//` is a comment, so the value is `a`. An int " +
      "divided by an int is an int: write `a / b`.",
    () => "write `/`",
  ),
  "HARN-LNT-041": lintEntry(
    "lazy-value-dropped",
    (p: NameParam) =>
      `\`${p.name}\` of an iterator is lazy, and nobody goes through what it gives: nothing of it runs`,
    "Methods of ranges and iterators only say what is to be done with each element; it is done when somebody goes through the result.",
    () => "write `.for_each({ x -> … })`, or a `for` loop",
  ),
  "HARN-LNT-042": lintEntry(
    "spawn-in-lazy-chain",
    (p: NameParam) =>
      `tasks in \`${p.name}\` of an iterator start only when somebody goes through it, one after the other`,
    "An iterator computes an element when it is asked for, so `spawn` in its callback begins no task before. Awaiting them while " +
      "going through it runs them one by one.",
    () => "write `.to_list()` behind it, or `parallel each`",
  ),
  "HARN-LNT-040": lintEntry(
    "bare-milliseconds",
    (p: { readonly code: string; readonly ms: string }) =>
      `\`${p.code}\` is ${p.ms} millisecond${p.ms === "1" ? "" : "s"}`,
    "A number in the place of a duration counts milliseconds, in other languages often seconds. Write the unit: `2s`, `500ms`. " +
      "Only small numbers are reported, which hardly ever mean so little time.",
    (p) => `write \`${p.ms}s\` or \`${p.ms}ms\``,
  ),
};
