/** TYP: what the type checker finds (language.md §17). Message texts are those of §17.3; §17.8 gives the codes. */

import { entry } from "../diagnostic.ts";
import { nearest } from "../nearest.ts";

export interface Mismatch {
  readonly expected: string;
  readonly found: string;
  /** Why the value does not satisfy an interface. */
  readonly why?: string | undefined;
  /** What to write instead. */
  readonly help?: string | undefined;
}

export interface Unequal {
  readonly op: string;
  readonly left: string;
  readonly right: string;
  readonly help?: string | undefined;
}

export interface Text {
  readonly text: string;
  readonly help?: string | undefined;
}

const expectedFound = (p: Mismatch): string => `expected ${p.expected}, found ${p.found}`;

/** What helps most often when one type stands where another is wanted. */
function typeConversion(p: Mismatch): string | undefined {
  if (p.why !== undefined || p.help !== undefined) return p.why ?? p.help;
  if (p.found === `${p.expected} | nil` || p.found === `nil | ${p.expected}`)
    return "test it with `!= nil` first, or give a default: `value ?? …`";
  if (p.expected === "string") return "convert it with `to_string(…)`";
  if (p.expected === "int" && (p.found === "string" || p.found === "float"))
    return "convert it with `to_int(…)`";
  if (p.expected === "float" && p.found === "string") return "convert it with `to_float(…)`";
  if (p.expected.startsWith("list<") && p.found.startsWith("list<"))
    return "lists are invariant: every element must have exactly the declared type";
  return undefined;
}

export const typ = {
  "HARN-TYP-001": entry({
    severity: "error",
    message: (p: Mismatch) => `closure parameters: expected ${p.expected}, found ${p.found}`,
    label: () => "takes other parameters",
    help: (p) => `write a closure that takes the parameters of ${p.expected}`,
    explain:
      "A closure stands where a function type with other parameters is expected.\n" +
      "It must take as many parameters as the type names, and accept everything that they may be.",
  }),
  "HARN-TYP-002": entry({
    severity: "error",
    message: (p: Text) => p.text,
    label: () => "these operands do not go together",
    help: (p) => p.help,
    explain:
      "The operator does not work on operands of these types, and nothing is converted silently.\n" +
      "Numbers take `+ - * / % **`; strings, lists and dicts take `+`; a string times an int repeats it.\n" +
      'Build texts with interpolation (`"n = ${n}"`), convert with `to_int`, `to_float` or `to_string`.',
  }),
  "HARN-TYP-003": entry({
    severity: "error",
    message: (p: Mismatch) => `emit type doesn't match: expected ${p.expected}, got ${p.found}`,
    label: expectedFound,
    help: (p) => typeConversion(p) ?? `emit a ${p.expected}, or change the declared Stream type`,
    explain:
      "The function declares `Stream<T>` and emits a value that is no T.\n" +
      "Emit values of the declared type, or declare what is emitted.",
  }),
  "HARN-TYP-004": entry({
    severity: "error",
    nearlyCertain: (p) => p.ends !== undefined,
    message: (p: Mismatch & { readonly ends?: string }) =>
      p.ends === undefined
        ? `return type doesn't match: expected ${p.expected}, got ${p.found}`
        : `function \`${p.ends}\` can end without giving its ${p.expected}`,
    label: (p) => (p.ends === undefined ? expectedFound(p) : "gives nil here"),
    help: (p) =>
      p.ends === undefined
        ? (typeConversion(p) ?? "change the value or the declared result type")
        : `return a value there, or declare the result as ${p.expected.includes(" ") ? `(${p.expected})` : p.expected}?`,
    explain:
      "The function declares a result type and returns a value of another one, or its end can be reached, where it gives nil: behind an " +
      "`if` without `else`, a loop, a `match` whose arms don't all leave.\n" +
      "A function with `yield` gives a generator: a `return` in it only ends it and has no value.",
  }),
  "HARN-TYP-005": entry({
    severity: "error",
    message: (p: Mismatch & { readonly name: string }) =>
      `can't assign ${p.found} to '${p.name}' (declared as ${p.expected})`,
    label: expectedFound,
    help: (p) => typeConversion(p) ?? `declare it as \`${p.expected} | ${p.found}\` if it may be both`,
    explain:
      "A variable keeps the type of its annotation or, without one, of its first value.\n" +
      "Annotate it with a union if it is meant to hold values of several types, or use another variable.",
  }),
  "HARN-TYP-006": entry({
    severity: "error",
    message: (p: Mismatch & { readonly index: number; readonly name: string }) =>
      `Argument ${p.index}${p.name === "" ? "" : ` ('${p.name}')`}: expected ${p.expected}, got ${p.found}`,
    label: expectedFound,
    help: (p) =>
      typeConversion(p) ?? "pass a value of the declared type, or widen the parameter's annotation",
    explain:
      "The argument's type does not fit the annotation of the parameter.\n" +
      "An int may stand for a float, a shape for one with fewer fields; lists and dicts must match exactly.",
  }),
  "HARN-TYP-007": entry({
    severity: "error",
    message: (p: Mismatch & { readonly name: string; readonly details: string }) =>
      `'${p.name}' declared as ${p.expected}, but assigned ${p.found}${p.details}`,
    label: expectedFound,
    help: (p) => typeConversion(p) ?? "change the annotation or the value",
    explain:
      "The value of a `let` or `var` does not fit its annotation.\n" +
      "Annotations of variables are checked here only, never while the program runs.",
  }),
  "HARN-TYP-008": entry({
    severity: "error",
    message: (p: Mismatch) => `closure return value: expected ${p.expected}, found ${p.found}`,
    label: expectedFound,
    help: (p) => typeConversion(p) ?? `let the last expression of the closure be of type ${p.expected}`,
    explain:
      "The last expression of a closure gives its value, and that has another type than the function type asks for.",
  }),
  "HARN-TYP-009": entry({
    severity: "error",
    message: (p: Mismatch & { readonly field: string; readonly struct: string }) =>
      `Field '${p.field}' in struct '${p.struct}' expects ${p.expected}, got ${p.found}`,
    label: expectedFound,
    help: (p) => typeConversion(p) ?? "change the value or the field's type",
    explain:
      "The value given for a field does not fit the type that the struct declares for it.\n" +
      "Nothing checks fields while the program runs, so this is the only place where it is noticed.",
  }),
  "HARN-TYP-010": entry({
    severity: "error",
    message: (p: { readonly found: string }) => `\`gen fn\` must return Stream<T>, got ${p.found}`,
    label: () => "not a Stream",
    help: (p) => `declare \`-> Stream<${p.found}>\``,
    explain:
      "Calling a `gen fn` gives a stream of what it emits, so its result type is `Stream<T>` or is left out.",
  }),
  "HARN-TYP-011": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly first: string; readonly second: string }) =>
      `type parameter '${p.name}' was inferred as both ${p.first} and ${p.second}`,
    label: (p) => `${p.second} here`,
    help: (p) => `pass values of one type, or give ${p.name} explicitly`,
    explain:
      "A type parameter stands for one type in each call, and two arguments disagree about it.\n" +
      "Use two type parameters if the types are independent of each other.",
  }),
  "HARN-TYP-012": entry({
    severity: "error",
    message: (p: Text) => p.text,
    label: () => "type arguments",
    help: () => "leave them out: they are inferred from the arguments",
    explain:
      "A call gives explicit type arguments that the function does not declare, or another number of them.",
  }),
  "HARN-TYP-013": entry({
    severity: "error",
    message: (p: {
      readonly type: string;
      readonly interface: string;
      readonly reason: string;
      readonly variable: string;
    }) =>
      `Type '${p.type}' does not satisfy interface '${p.interface}': ${p.reason} (required by constraint \`where ${p.variable}: ${p.interface}\`)`,
    label: (p) => `expected ${p.interface}, found ${p.type}`,
    help: (p) => `add the methods in \`impl ${p.type} { … }\``,
    explain:
      "The function's `where` clause asks for a type with certain methods, and the argument's type lacks one or has it with " +
      "another signature.\n" +
      "A struct satisfies an interface when its `impl` has all methods with as many parameters and compatible types.",
  }),
  "HARN-TYP-014": entry({
    severity: "error",
    message: (p: {
      readonly name: string;
      readonly variance: "in" | "out";
      readonly position: string;
      readonly owner: string;
    }) =>
      `type parameter '${p.name}' is declared '${p.variance}' (${p.variance === "out" ? "covariant" : "contravariant"}) but appears in a ${p.position} position in ${p.owner}`,
    label: (p) => `${p.position} position`,
    help: (p) => `remove \`${p.variance}\` from ${p.name}`,
    explain:
      "`out T` promises that T is only given out (results, fields), `in T` that it is only taken (parameters).\n" +
      "Lists and dicts use their element type both ways, so inside them neither promise can hold.",
  }),
  "HARN-TYP-015": entry({
    severity: "error",
    message: (p: { readonly type: string }) =>
      `\`max_concurrent\` on \`parallel\` must be int, got Named(${JSON.stringify(p.type)})`,
    label: (p) => `expected int, found ${p.type}`,
    help: () => "give a whole number; 0 means no limit",
    explain:
      "`max_concurrent` says how many bodies of a `parallel` may run at once, which is a whole number.",
  }),
  "HARN-TYP-016": entry({
    severity: "error",
    message: (p: { readonly type: string }) =>
      `unreachable() argument has type \`${p.type}\` — not all cases are handled`,
    label: (p) => `may still be ${p.type}`,
    help: (p) => `handle ${p.type} before this line`,
    explain:
      "`unreachable(x)` says that every type x may have was handled before, and here some are left.\n" +
      "Handle them with `if type_of(x) == …` or a `match` arm that returns.",
  }),
  "HARN-TYP-017": entry({
    severity: "error",
    message: (p: Mismatch & { readonly variant: string; readonly field: string }) =>
      `${p.variant} expects ${p.field}: ${p.expected}, got ${p.found}`,
    label: expectedFound,
    help: (p) => typeConversion(p) ?? `give a value of type ${p.expected}`,
    explain: "The payload of an enum value does not fit the type that the enum declares for it.",
  }),
  "HARN-TYP-018": entry({
    severity: "warning",
    message: (p: Text) => p.text,
    label: () => "these have no common order",
    help: () => "compare values of one type: numbers, strings or pairs",
    explain:
      "Only numbers, strings, pairs and lists have an order. Of any other two values neither is smaller, so `<` is false " +
      "and `<=` is true.",
  }),
  "HARN-TYP-019": entry({
    severity: "warning",
    message: (p: { readonly site: string; readonly name: string; readonly types: string }) =>
      `\`${p.site}\` reached but \`${p.name}: unknown\` was not fully narrowed — uncovered concrete type(s): ${p.types}`,
    label: () => "reached with types not tested",
    help: (p) => `test \`type_of(${p.name})\` for the types left`,
    explain:
      "A value of type `unknown` was tested for some types, and the place that should be reached by none is reached by the others.\n" +
      "Test for the types that the message lists, or annotate the value more narrowly.",
  }),
  "HARN-TYP-020": entry({
    severity: "warning",
    message: (p: {
      readonly method: string;
      readonly interface: string;
      readonly variable: string;
      readonly methods: readonly string[];
    }) => `Method '${p.method}' not found in interface '${p.interface}' (constraint on '${p.variable}')`,
    label: () => "not a method of the constraint",
    help: (p) => {
      const near = nearest(p.method, p.methods);
      return near === undefined ? `add it to \`interface ${p.interface}\`` : `did you mean \`${near}\`?`;
    },
    explain:
      "The value's type is a type parameter, and of that only the methods of its `where` constraint are known.\n" +
      "Add the method to the interface, or constrain the parameter further.",
  }),
  "HARN-TYP-021": entry({
    severity: "warning",
    message: (p: Text) => p.text,
    label: () => "not validated",
    help: () =>
      "validate with schema_expect(), schema_is() in an if-condition, or add a shape type annotation",
    explain:
      "What comes from a model, from JSON, HTTP or a host may have any form.\n" +
      "Validate it before reading from it: `let r: {name: string} = schema_expect(json_parse(text), Person)`.",
  }),
  "HARN-TYP-025": entry({
    severity: "error",
    message: (p: Text) => p.text,
    label: () => "may be nil",
    help: () => "use `?.`, test it with `!= nil`, or give a default with `??`",
    explain:
      "The value may be nil, and nil has no properties, methods or elements.\n" +
      "`x?.name` gives nil instead of an error; after `if x != nil` the checker knows that it is none.",
  }),
  "HARN-TYP-026": entry({
    severity: "warning",
    message: (p: Unequal) =>
      `${p.left} and ${p.right} are never equal: this \`${p.op}\` is always ${p.op === "==" ? "false" : "true"}`,
    label: () => "values of two types",
    help: (p) => p.help ?? "compare values of one type: `to_int(…)`, `to_string(…)`",
    explain:
      '`==` and `!=` convert nothing: a number and a text are never equal, also if they look alike, as `3` and `"3"` do. A value of ' +
      'an enum is no text either: `colour == Colour.Red`, or `colour.variant == "Red"`.',
  }),
  "HARN-TYP-027": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly op: "&&" | "||"; readonly instead: string }) =>
      `\`${p.op}\` gives true or false, never the value of an operand`,
    label: () => "only its truth counts",
    help: (p) => p.instead,
    explain:
      "In Python and JavaScript `x || 5` is 5 where x is nothing. Here `||` and `&&` give a bool, so a literal as an operand makes " +
      "the result always the same. `x ?? 5` gives 5 where x is nil; `c ? a : b` chooses; `x == 1 || x == 2` compares twice.",
  }),
  "HARN-TYP-028": entry({
    severity: "warning",
    message: (p: { readonly op: "&&" | "||"; readonly type: string }) =>
      `\`${p.op}\` gives true or false, but its right side is ${p.type}`,
    label: () => "the value is a bool",
    help: (p) => (p.op === "||" ? "write `a ?? b` for the first that is not nil" : "write `a ? b : nil`"),
    explain:
      "The value of `||` and `&&` is a bool, whatever their operands are. Where it is given a name, passed or returned, somebody " +
      "mostly wanted one of the operands: `a ?? b`, or `a ? b : c`. If the truth is meant, compare: `a != nil || b != nil`.",
  }),
  "HARN-TYP-030": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly lacks: string }) => `an iterator ${p.lacks}`,
    label: () => "lazy",
    help: () => "write `.to_list()` behind it",
    explain:
      "`iter(xs)`, methods of ranges and of iterators (`map`, `filter` …) give an iterator: nothing of it is computed until somebody " +
      "goes through it, which can be done once. So it has no length, no printed form and no JSON, and equals nothing; asking for one of " +
      "these stops the program.\n`.to_list()` computes all elements and keeps them.",
  }),
  "HARN-TYP-029": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string; readonly help: string | undefined }) => p.text,
    label: () => "not what is taken here",
    help: (p) => p.help,
    explain:
      "A loop, a spread and `parallel each` go over lists, dicts, sets and ranges, a loop also over what is pulled (iterators, " +
      "generators, streams, channels); `parallel` without a word takes a number, `await` one task. Other values stop the program there.",
  }),
};
