/**
 * What is judged of a program beside its names and types.
 * MOD: imports that lead nowhere (language.md §20); warnings before the run: the import itself raises the error when it runs.
 * MAT: `match` (§17.5, §17.6). OWN: assignments that fail or are lost (§17.6). DEP: what still works but should not be used any
 * more (§18).
 */
import { entry } from "../diagnostic.ts";

export const mod = {
  "HARN-MOD-001": entry({
    severity: "error",
    message: (p: { readonly path: string }) => `preflight: unresolved import '${p.path}'`,
    label: () => "preflight",
    help: () =>
      "a path is relative to this file; packages lie under .harn/packages; modules of the language begin with std/",
    explain:
      "No file, package or standard module was found under this name.\n" +
      "Looked for, in this order: `std/…`; the path relative to the importing file, as given and with `.harn`; " +
      "`.harn/packages/<path>` in this folder and those above it, up to one that contains `.git`.",
  }),
  "HARN-MOD-002": entry({
    severity: "error",
    message: (p: { readonly text: string; readonly near?: string | undefined }) => p.text,
    label: () => "this import",
    help: (p) => (p.near === undefined ? undefined : `did you mean \`${p.near}\`?`),
    explain:
      "The imported file was found but cannot be used as it is imported: it does not parse, does not export the name, or two " +
      "imports bring the same name.\n" +
      'Selective imports keep names apart: `import { a } from "x"`.',
  }),
};

export const mat = {
  "HARN-MAT-001": entry({
    severity: "error",
    message: (p: { readonly text: string; readonly missing: readonly string[] }) => p.text,
    label: (p) => `no arm for ${p.missing.join(", ")}`,
    help: () => "add the missing arms, or a last arm `_ -> { … }`",
    explain:
      "The checker knows every value that this `match` may meet, and for some there is no arm; when one comes, the program " +
      "throws `No match arm matched the value`.\n" +
      "Add an arm for each, or `_` for the rest.",
  }),
  "HARN-MAT-003": entry({
    severity: "warning",
    message: (p: { readonly subject: string; readonly pattern: string }) =>
      `Match pattern type mismatch: matching ${p.subject} against ${p.pattern} literal`,
    label: (p) => `expected ${p.subject}, found ${p.pattern}`,
    help: () => "compare with a literal of the value's own type",
    explain:
      "A value of one type never equals a literal of another (ints and floats excepted), so the arm never runs.",
  }),
};

const shareIt = (p: { readonly name: string }): string =>
  `return the new value, or share it: \`let ${p.name} = atomic(…)\`, a channel, or a \`shared_cell\``;

export const own = {
  "HARN-OWN-001": entry({
    severity: "error",
    message: (p: { readonly name: string }) =>
      `Cannot assign to '${p.name}': variable is immutable (declared with 'let')`,
    label: () => "cannot be changed here",
    help: (p) => `declare it with \`var ${p.name} = …\`, or copy it into a \`var\` of its own`,
    whenRun: (p) => `Cannot assign to immutable binding: ${p.name}`,
    explain:
      "Bindings of `let`, parameters, functions and the names of a `match` arm never change: assigning to one would stop the " +
      "program, so it is refused before anything of it runs. Declare the variable with `var`.",
  }),
  "HARN-OWN-002": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly name: string }) =>
      `Cannot assign to '${p.name}': variable is immutable (declared with 'let')`,
    label: () => "changes a copy that ends with the call",
    help: shareIt,
    explain:
      "A function inside another one takes copies of the variables around it when it is made. What it assigns to one ends " +
      "with the call: the variable outside never changes.\n" +
      "Return the new value and assign it outside, or share it through an `atomic`, a `channel` or a `shared_cell`.",
  }),
  "HARN-OWN-004": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly name: string }) =>
      `the value assigned to '${p.name}' is lost: the function has only a copy of the variable`,
    label: () => "changes a copy that ends with the call",
    help: shareIt,
    explain:
      "A closure, a function, a tool and a `spawn` or `parallel` body take copies of the variables around them when they are " +
      "made. What they assign to one ends with the call: the variable outside never changes, and the next call begins again " +
      "with the copied value.\n" +
      "Return the new value and assign it outside, or share it through an `atomic`, a `channel` or a `shared_cell`. Blocks " +
      "that run in place (loops, `if`, `try`, `retry`, `mutex`) are no functions and do change the variable.",
  }),
  "HARN-OWN-003": entry({
    severity: "warning",
    message: (p: { readonly name: string }) =>
      `Cannot assign to '${p.name}': variable is immutable (declared with 'let')`,
    label: () => "ends with this round",
    help: (p) => `copy it into a \`var\` of its own; the next round gives \`${p.name}\` its value anew`,
    explain:
      "The variable of a `for` gets its value anew in each round, so an assignment to it is seen in the rest of the round only.",
  }),
};

export const dep = {
  "HARN-DEP-001": entry({
    severity: "warning",
    message: (p: {
      readonly name: string;
      readonly since?: string | undefined;
      readonly use?: string | undefined;
    }) => `\`${p.name}\` is deprecated${p.since === undefined ? "" : ` (since ${p.since})`}`,
    label: () => "deprecated",
    help: (p) =>
      p.use === undefined
        ? `see what the documentation of \`${p.name}\` says instead`
        : `use \`${p.use}\` instead`,
    explain:
      "The function is marked `@deprecated`: it still works, but its author wants callers to move on.\n" +
      "The attribute's `use:` names what to call instead.",
  }),
};
