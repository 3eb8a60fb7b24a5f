/** NAM: names that mean nothing where they stand (language.md §7.1, §17.4). */
import { entry } from "../diagnostic.ts";
import { nearest } from "../nearest.ts";

export interface UnknownName {
  readonly name: string;
  /** The closest visible name, if one is close enough. */
  readonly near?: string | undefined;
}

const didYouMean = (p: UnknownName): string | undefined =>
  p.near === undefined ? undefined : `did you mean \`${p.near}\`?`;

export interface NeverOne {
  readonly what: string;
  readonly name: string;
  readonly names: readonly string[];
  /** What was meant, where that is known better than by spelling. */
  readonly near?: string | undefined;
}

export interface MissingKey {
  readonly dict: string;
  readonly name: string;
  /** What was meant, as it is written behind the dict: `llm.iterations`. */
  readonly meant: string | undefined;
  readonly names: readonly string[];
}

export interface MissingField {
  readonly text: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly help?: string | undefined;
}

/** The nearest of some names, or, when none is near, which there are. */
function oneOf(name: string, names: readonly string[], what: string): string {
  const near = nearest(name, names);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  if (names.length === 0) return `there are no ${what}`;
  const shown = names.slice(0, 12).map((one) => `\`${one}\``);
  return `${what}: ${shown.join(", ")}${names.length > shown.length ? " …" : ""}`;
}

/** Words of other languages for what has another name here. */
const nothing = "the value for nothing is written `nil`";
const output = "output is written `println(…)`, to standard error `eprintln(…)`";
const otherWords: Readonly<Record<string, string>> = {
  null: nothing,
  undefined: nothing,
  none: nothing,
  None: nothing,
  NULL: nothing,
  True: "write `true`",
  False: "write `false`",
  TRUE: "write `true`",
  FALSE: "write `false`",
  this: "methods of `impl` name their first parameter `self`",
  self: "methods of `impl` name their first parameter `self`",
  console: output,
  sys: output,
  JSON: "JSON is read with `json_parse(text)` and written with `json_stringify(value)`",
  json: "JSON is read with `json_parse(text)` and written with `json_stringify(value)`",
  Math: "functions of numbers are global: `max(a, b)`, `floor(x)`, `sqrt(x)`; more in `std/math`",
  math: "functions of numbers are global: `max(a, b)`, `floor(x)`, `sqrt(x)`; more in `std/math`",
  Promise: "things run side by side with `parallel` and `spawn`",
  asyncio: "things run side by side with `parallel` and `spawn`",
  Object: "dicts have `.keys()`, `.values()`, `.entries()`",
  process: "the environment is read with `env(name)`, arguments are in `argv`",
  os: "the environment is read with `env(name)`, files with `read_file(path)`, folders with `list_dir(path)`",
  fs: "files are read with `read_file(path)` and written with `write_file(path, text)`",
  pass: "an empty block is `{ }`",
  async: "functions are written `fn f() { … }`; calls wait by themselves",
};

/** Functions of other languages that have another name here. */
const otherCalls: Readonly<Record<string, string>> = {
  str: "write `to_string(x)`",
  int: "write `to_int(x)`",
  float: "write `to_float(x)`",
  bool: "write `x != nil`, or compare",
  Number: "write `to_int(x)` or `to_float(x)`",
  parseInt: "write `to_int(text)`",
  parseFloat: "write `to_float(text)`",
  String: "write `to_string(x)`",
  list: "write `to_list(x)`",
  dict: "dicts are written `{key: value}`",
  open: "files are read with `read_file(path)` and written with `write_file(path, text)`",
  input: "a line is read with `prompt_user(question)` or `read_line()`",
  sorted: "write `items.sort()`",
  reversed: "write `items.reverse()`",
  sum: "write `items.sum()`",
  enumerate: "write `for {index, value} in items.enumerate() { … }`",
  zip: "write `a.zip(b)`",
  map: "write `items.map({ x -> … })`",
  filter: "write `items.filter({ x -> … })`",
  any: "write `items.any({ x -> … })`",
  all: "write `items.all({ x -> … })`",
  isinstance: 'write `type_of(x) == "int"`',
  type: "write `type_of(x)`",
  fetch: "write `http_get(url)`",
  require: 'imports are written `import { a, b } from "path"`',
  Exception: 'any value can be thrown: `throw "what went wrong"`',
  Error: 'any value can be thrown: `throw "what went wrong"`',
  ValueError: 'any value can be thrown: `throw "what went wrong"`',
  TypeError: 'any value can be thrown: `throw "what went wrong"`',
};

/** What is written here instead of a word of another language. */
const instead = (words: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(words, name) ? words[name] : undefined;

export const nam = {
  "HARN-NAM-001": entry({
    severity: "error",
    message: (p: UnknownName & { readonly below?: number | undefined }) =>
      p.near === undefined || Object.hasOwn(otherWords, p.name)
        ? `Undefined variable: ${p.name}`
        : `Undefined variable: ${p.name} (did you mean \`${p.near}\`?)`,
    label: () => "not defined here",
    help: (p) =>
      instead(otherWords, p.name) ??
      (p.below === undefined
        ? didYouMean(p)
        : `\`${p.name}\` is declared below, on line ${p.below}: code sees the variables that were declared before it`),
    whenRun: (p) =>
      p.near === undefined
        ? `Undefined variable: ${p.name}`
        : `Runtime error: Undefined variable: ${p.name} (did you mean \`${p.near}\`?)`,
    explain:
      "No variable, parameter, function or builtin of this name is visible here, so evaluating it would stop the program. " +
      "It is refused before anything of it runs.\n" +
      "Check the spelling and the block in which the name was declared; `let` and `var` end with their block, and a function " +
      "sees the variables that were declared above it.",
  }),
  "HARN-NAM-002": entry({
    severity: "error",
    message: (p: UnknownName) =>
      `call target \`${p.name}\` is not defined or imported${p.near === undefined || Object.hasOwn(otherCalls, p.name) ? "" : ` — did you mean \`${p.near}\`?`}`,
    label: () => "not a function",
    help: (p) => instead(otherCalls, p.name) ?? didYouMean(p),
    explain:
      "The call names a function that is neither a builtin, nor declared in this file, nor imported.\n" +
      "Calls are checked before the run, so that a misspelt name does not stop a long run in its middle.\n" +
      'Check the spelling, declare the function, or import it: `import { name } from "module"`.',
  }),
  "HARN-NAM-005": entry({
    severity: "error",
    message: (p: UnknownName) =>
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
    severity: "warning",
    atCheck: "error",
    message: (p: MissingField) => p.text,
    label: () => "no such field",
    help: (p) => p.help ?? oneOf(p.name, p.names, "fields"),
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
    label: () => "not as a predicate declares itself",
    help: () =>
      "a predicate has a bare `@invariant`, one of `@deterministic` and `@semantic`, and `@archivist(evidence: …)`",
    explain:
      "A function marked `@invariant` is a predicate over flows: it says how it decides (`@deterministic` or `@semantic`) " +
      "and what its author relied on (`@archivist(evidence: …, confidence: …, source_date: …, coverage_examples: …)`; the " +
      "evidence is required, the confidence lies between 0 and 1).",
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
  "HARN-NAM-010": entry({
    severity: "error",
    message: (p: UnknownName) =>
      `unknown type \`${p.name}\`${p.near === undefined ? "" : ` — did you mean \`${p.near}\`?`}`,
    label: () => "not a type",
    help: (p) =>
      p.near === undefined
        ? `declare it (\`struct ${p.name} { … }\`, \`type ${p.name} = …\`), or leave the annotation out`
        : `did you mean \`${p.near}\`?`,
    explain:
      "An annotation names a type that is neither built in, nor a type parameter, nor declared in this file or one that it " +
      "imports. Such an annotation checks nothing.\n" +
      "Built in are int, float, decimal, string, bool, nil, bytes, duration, list, dict, set, range, pair, iter, closure, " +
      "Result, Generator, Stream, any, unknown, never and the types of handles (channel, atomic, rng, task_handle …).",
  }),
  "HARN-NAM-011": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string; readonly names: readonly string[] }) => p.text,
    label: () => "no such method",
    help: (p) => (p.names.length === 0 ? "it has no methods" : `methods: ${p.names.join(", ")}`),
    explain:
      "The value's type is known, and it has no method of this name: the call would stop the program.\n" +
      "`harn doc` and docs/reference/language.md list the methods of each type.",
  }),
  "HARN-NAM-012": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string; readonly names: readonly string[] }) => p.text,
    label: () => "no such property",
    help: (p) => (p.names.length === 0 ? "it has no properties" : `properties: ${p.names.join(", ")}`),
    explain:
      "The value's type is known, and it has no property of this name: reading it would stop the program.\n" +
      "Only dicts give nil for what they do not have; `x?.name` gives nil for every value that has no such property.",
  }),
  "HARN-NAM-013": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: NeverOne) => {
      const near = p.near ?? nearest(p.name, p.names);
      return `${p.what} is never \`${p.name}\`${near === undefined ? "" : ` — did you mean \`${near}\`?`}`;
    },
    label: () => "not one of them",
    help: (p) =>
      p.near === undefined ? oneOf(p.name, p.names, "possible values") : `did you mean \`${p.near}\`?`,
    explain:
      "A text is compared with, or given for, something that has a fixed set of values (the status of a loop, the name of " +
      "an event), and is none of them: the comparison is never true, the handler is never called.",
  }),
  "HARN-NAM-014": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly tool: string; readonly name: string; readonly names: readonly string[] }) => {
      const near = nearest(p.name, p.names);
      return `tool \`${p.tool}\` has no parameter \`${p.name}\`${near === undefined ? "" : ` — did you mean \`${near}\`?`}`;
    },
    label: () => "never given",
    help: (p) => oneOf(p.name, p.names, "declared parameters"),
    explain:
      "The handler of a tool reads an argument that the tool does not declare. Models are told the declared parameters only, " +
      "so this one is always nil.\nCheck the spelling, or declare it under `parameters`.",
  }),
  "HARN-NAM-015": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly name: string }) =>
      `Cannot redeclare immutable variable '${p.name}' in the same scope (use 'var' for mutable bindings)`,
    label: () => "declared before in this scope",
    help: () => "give it another name, or assign to a `var`",
    explain:
      "A name is declared twice in one scope with `let` (functions count as `let`): the second declaration stops the program " +
      "when it is reached.",
  }),
  "HARN-NAM-016": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: MissingKey) =>
      `${p.dict} has no key \`${p.name}\`${p.meant === undefined ? "" : ` — did you mean \`${p.meant}\`?`}`,
    label: () => "always nil",
    help: (p) => (p.meant === undefined ? oneOf(p.name, p.names, "its keys") : `write \`${p.meant}\``),
    explain:
      "The result of a builtin, or a dict inside it, has keys that are known, and the one that is read is none of them. A dict " +
      "gives nil for what it does not have, so nothing stops the program: the test of such a value just never holds.\n" +
      "`result?.name` says that a key may be missing.",
  }),
  "HARN-NAM-017": entry({
    severity: "warning",
    message: (p: { readonly name: string }) => `the dict has the key \`${p.name}\` twice`,
    label: () => "this one wins",
    help: () => "remove one of the two, or give one of them another name",
    explain:
      "A dict holds one value under a key. Where a literal names a key twice the later value replaces the earlier one, which is " +
      "lost without a word.",
  }),
  "HARN-NAM-019": entry({
    severity: "warning",
    message: (p: { readonly dict: string; readonly name: string; readonly near: string }) =>
      `${p.dict} has no key \`${p.name}\` — did you mean \`${p.near}\`?`,
    label: () => "always nil",
    help: (p) => `write \`${p.near}\``,
    explain:
      "A dict that the program writes out itself and never changes is read under a key that it does not have, but nearly. A dict " +
      "gives nil for what it does not have, so nothing stops the program.",
  }),
  "HARN-NAM-020": entry({
    severity: "warning",
    message: (p: { readonly text: string; readonly type: string; readonly help: string }) =>
      `${JSON.stringify(p.text)} is a text here, not a variant: the type is ${p.type}`,
    label: () => "a text",
    help: (p) => p.help,
    explain:
      "A text with the name of an enum's variant stands where the enum or a text may. It is taken as the text, so no arm of a `match` " +
      "over the variants, and no comparison with one, ever finds it.",
  }),
  "HARN-NAM-018": entry({
    severity: "warning",
    message: (p: { readonly name: string; readonly near: string }) =>
      `schemas have no keyword \`${p.name}\` — did you mean \`${p.near}\`?`,
    label: () => "not looked at",
    help: (p) => `write \`${p.near}\``,
    explain:
      "A keyword that no schema has is carried along and checks nothing, so values pass that were meant to be refused. Keywords stand " +
      "in either spelling, that of the language (`min_length`) and that of JSON Schema (`minLength`).",
  }),
};
