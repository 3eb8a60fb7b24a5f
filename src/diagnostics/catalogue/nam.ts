/** NAM: names that mean nothing where they stand (language.md §7.1, §17.4). */
import { entry } from "../diagnostic.ts";

export interface Unknown {
  readonly name: string;
  /** The closest visible name, if one is close enough. */
  readonly near?: string | undefined;
}

const didYouMean = (p: Unknown): string | undefined =>
  p.near === undefined ? undefined : `did you mean \`${p.near}\`?`;

export const nam = {
  "HARN-NAM-001": entry({
    severity: "warning",
    message: (p: Unknown) =>
      p.near === undefined
        ? `Undefined variable: ${p.name}`
        : `Undefined variable: ${p.name} (did you mean \`${p.near}\`?)`,
    label: () => "not defined here",
    help: didYouMean,
    explain:
      "No variable, parameter, function or builtin of this name is visible here.\n" +
      "It is a warning, because code that never runs does no harm: when the expression is evaluated, the program stops " +
      "with the same words.\n" +
      "Check the spelling and the block in which the name was declared; `let` and `var` end with their block.",
  }),
  "HARN-NAM-002": entry({
    severity: "error",
    message: (p: Unknown) =>
      `call target \`${p.name}\` is not defined or imported${p.near === undefined ? "" : ` — did you mean \`${p.near}\`?`}`,
    label: () => "not a function",
    help: didYouMean,
    explain:
      "The call names a function that is neither a builtin, nor declared in this file, nor imported.\n" +
      "Calls are checked before the run, so that a misspelt name does not stop a long run in its middle.\n" +
      'Check the spelling, declare the function, or import it: `import { name } from "module"`.',
  }),
  "HARN-NAM-005": entry({
    severity: "error",
    message: (p: Unknown) =>
      `unknown struct type \`${p.name}\`${p.near === undefined ? "" : ` — did you mean \`${p.near}\`?`}`,
    label: () => "not a struct of this file",
    help: (p) =>
      p.near === undefined
        ? `declare \`struct ${p.name} { ... }\` before constructing it`
        : `declare \`struct ${p.near} { ... }\` or fix the type name`,
    explain:
      "A struct literal names a struct that this file does not declare.\n" +
      "Structs do not cross modules: a module that declares one exports a function that makes its values.",
  }),
};
