/** NAM: names that mean nothing where they stand (language.md §7.1, §17.4). */
import { entry } from "../diagnostic.ts";
import { nearest } from "../nearest.ts";

export interface Unknown {
  readonly name: string;
  /** The closest visible name, if one is close enough. */
  readonly near?: string | undefined;
}

const didYouMean = (p: Unknown): string | undefined =>
  p.near === undefined ? undefined : `did you mean \`${p.near}\`?`;

/** The nearest of some names, or, when none is near, which there are. */
function oneOf(name: string, names: readonly string[], what: string): string {
  const near = nearest(name, names);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  if (names.length === 0) return `there are no ${what}`;
  const shown = names.slice(0, 12).map((one) => `\`${one}\``);
  return `${what}: ${shown.join(", ")}${names.length > shown.length ? " …" : ""}`;
}

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
  "HARN-NAM-003": entry({
    severity: "warning",
    message: (p: { readonly name: string; readonly names: readonly string[] }) =>
      `unknown attribute \`@${p.name}\``,
    label: () => "has no effect",
    help: (p) => oneOf(p.name, p.names, "known attributes"),
    explain:
      "The language knows no attribute of this name, so it has no effect.\n" +
      "Known are @deprecated, @test, @complexity, @acp_tool, @acp_skill, @invariant, @deterministic, @semantic, @archivist, " +
      "@retroactive, @step and @command.",
  }),
  "HARN-NAM-004": entry({
    severity: "error",
    message: (p: { readonly text: string; readonly name: string; readonly names: readonly string[] }) =>
      p.text,
    label: () => "no such field",
    help: (p) => oneOf(p.name, p.names, "fields of the shape"),
    explain:
      "The value's type is a shape that has no field of this name, so reading it gives nil.\n" +
      "Check the spelling, or add the field to the type (with `?` when it may be missing).",
  }),
  "HARN-NAM-006": entry({
    severity: "warning",
    message: (p: { readonly text: string; readonly name: string; readonly names: readonly string[] }) =>
      p.text,
    label: () => "differs from the declaration",
    help: (p) =>
      p.names.length === 0
        ? `give \`${p.name}\` a value, or declare it \`${p.name}?\``
        : oneOf(p.name, p.names, "declared fields"),
    explain:
      "A struct literal leaves out a declared field or gives one that is not declared.\n" +
      "Undeclared fields are dropped silently while the program runs, absent ones read as nil.",
  }),
  "HARN-NAM-007": entry({
    severity: "warning",
    message: (p: { readonly name: string; readonly where: string }) =>
      `\`@${p.name}\` only applies to ${p.where}`,
    label: () => "has no effect here",
    help: (p) => `move it to one of the ${p.where}, or remove it`,
    explain: "The attribute means something on other kinds of declarations only; here it has no effect.",
  }),
  "HARN-NAM-008": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    label: () => "a partner is missing",
    help: () => "add it above the function, or remove `@invariant`",
    explain:
      "A function marked `@invariant` is a predicate over flows: it says how it decides (`@deterministic` or `@semantic`) " +
      "and what its author relied on (`@archivist(evidence: …, confidence: …, source_date: …, coverage_examples: …)`).",
  }),
  "HARN-NAM-009": entry({
    severity: "warning",
    message: (p: { readonly variant: string; readonly enum: string; readonly variants: readonly string[] }) =>
      `Unknown variant '${p.variant}' in enum '${p.enum}'`,
    label: () => "not a variant",
    help: (p) => oneOf(p.variant, p.variants, "declared variants"),
    explain:
      "The enum declares no variant of this name. A value is made all the same while the program runs, but no arm of a " +
      "`match` over the declared variants takes it.",
  }),
};
