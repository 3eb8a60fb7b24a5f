/** OWN: assignments that fail or are lost (language.md §17.6). */
import { entry } from "../diagnostic.ts";

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
