/** Arguments that a builtin refuses or leaves as they are, though others take whatever has a printed form. */
import type { Arg, Call, Expr } from "../syntax/index.ts";
import { hasTrait } from "../table/index.ts";
import { decimalsOf, placeholdersOf, unknownSpec } from "../values/index.ts";
import type { Checker } from "./checker.ts";
import { arePlainArguments } from "./enum-variants.ts";
import { accepts } from "./literals.ts";
import type { BuiltinSignature } from "./model/builtins.ts";
import { showType } from "./model/show-type.ts";
import { hole, includesNil, type Type, task } from "./model/type.ts";
import { choices, resolvedAlias } from "./model/type-scope.ts";

/** Parameters that take what their type says and nothing else. */
export function checkRefused(
  c: Checker,
  node: Call,
  name: string,
  params: BuiltinSignature["params"],
  types: readonly Type[],
): void {
  const refuses = c.builtinSpec(name)?.refuses;
  if (refuses === undefined) return;
  params.forEach((param, index) => {
    const arg = node.args[index] as Expr | undefined;
    const help = refuses[param.name];
    const actual = resolvedAlias(types[index] ?? hole);
    // An explicit nil for an optional argument means its default, and what only may be nil is not judged.
    if (
      arg === undefined ||
      help === undefined ||
      (includesNil(actual) && (param.optional || actual.kind === "union"))
    )
      return;
    if (accepts(c, arg, actual, param.type)) return;
    const text = `${name}: \`${param.name}\` takes ${showType(param.type)}, got ${showType(actual)}`;
    c.report("HARN-STD-005", arg, { text, help });
  });
}

/** What builtins do with their arguments beyond types: templates are filled, tasks awaited. */
export function checkTaken(c: Checker, node: Call, name: string, types: readonly Type[]): void {
  const spec = c.builtinSpec(name);
  if (hasTrait(spec, "needsWhole")) checkWhole(c, node.args[0], types[0], "has neither length nor form");
  if (hasTrait(spec, "takesTask")) checkTask(c, node, name, types);
  if (hasTrait(spec, "fillsTemplate")) checkTemplate(c, node, types);
}

/** A value whose elements are asked for by what has none yet. */
export function checkWhole(c: Checker, node: Arg | undefined, type: Type | undefined, lacks: string): void {
  if (node === undefined || type === undefined) return;
  const value = resolvedAlias(type);
  if (value.kind === "name" && value.name === "iter") c.report("HARN-TYP-030", node, { lacks });
}

/** Several tasks are no task: nothing is awaited. */
function checkTask(c: Checker, node: Call, name: string, types: readonly Type[]): void {
  const type = resolvedAlias(types[0] ?? hole);
  const parts =
    type.kind === "name"
      ? type.args
      : type.kind === "shape"
        ? Array.from(type.fields.values(), (one) => one.type)
        : [];
  if (!parts.some((part) => choices(part).includes(task))) return;
  c.report("HARN-TYP-029", node.args[0] as Arg, {
    text: `${name} takes one task, got ${showType(type)}`,
    help: `write \`tasks.map({ t -> ${name}(t) })\``,
  });
}

/** A literal template with what it is filled with: `{:>5}`, and more or fewer `{}` than values. */
function checkTemplate(c: Checker, node: Call, types: readonly Type[]): void {
  const [template, ...values] = node.args;
  if (template?.kind !== "StringLit" || !arePlainArguments(node.args)) return;
  const first = resolvedAlias(types[1] ?? hole);
  const isNamed = first.kind === "shape" || (first.kind === "name" && first.name === "dict");
  // Before the run nobody knows whether a value is a dict, whose keys fill the template.
  if (isNamed || (values.length > 0 && first.kind !== "name" && first.kind !== "literal")) return;
  const specs = placeholdersOf(template.value);
  const unknown = specs.find((spec) => spec !== "" && decimalsOf(spec) === undefined);
  if (unknown !== undefined) {
    const [text, help] = unknownSpec(unknown).split("; ") as [string, string];
    c.report("HARN-STD-005", template, { text, help });
  } else if (specs.length !== values.length)
    c.report("HARN-STD-005", template, {
      text: `format: the template has ${specs.length} \`{}\`, filled with ${values.length} value${values.length === 1 ? "" : "s"}`,
      help: /%[sdif]/.test(template.value)
        ? "a place is written `{}`, and `{:.2}` with two decimals"
        : "write a `{}` for each value; `{0}` and `{name}` are filled by no position",
    });
}
