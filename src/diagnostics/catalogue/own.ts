/** OWN: assignments that fail or are lost (language.md §17.6). */
import { entry } from "../diagnostic.ts";

export const own = {
  "HARN-OWN-001": entry({
    severity: "warning",
    message: (p: { readonly name: string }) =>
      `Cannot assign to '${p.name}': variable is immutable (declared with 'let')`,
    label: () => "cannot be changed here",
    help: (p) => `declare it with \`var ${p.name} = …\`, or copy it into a \`var\` of its own`,
    explain:
      "Bindings of `let`, parameters and the names of a `match` arm never change: assigning to one stops the program.\n" +
      "A function inside another has copies of the variables around it, so an assignment there is lost; return the value " +
      "or share it through an `atomic` or a `channel`.",
  }),
};
