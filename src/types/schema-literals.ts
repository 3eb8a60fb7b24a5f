/**
 * Schemas that are written out, for a check, a model or the parameters of a tool: words that are no type, keywords that are nearly
 * one, and required keys that no property has. The runtime takes them as they are: such a rule just never holds.
 */
import { nearest } from "../diagnostics/index.ts";
import type { Call, DictLit, Expr } from "../syntax/index.ts";
import { hasTrait } from "../table/index.ts";
import { Dict, isSchemaType, isShape, schemaKeywords, schemaTypes, type Value } from "../values/index.ts";
import type { Checker } from "./checker.ts";
import { entryOf } from "./tool-handlers.ts";

/** Options of model calls and loops that hold a schema. */
const schemaOptions: readonly string[] = ["schema", "json_schema", "output_schema"];

/** Literal schemas in the arguments of a builtin. */
export function checkSchemas(
  c: Checker,
  node: Call,
  name: string,
  params: readonly { readonly name: string }[],
): void {
  const takes = hasTrait(c.builtinSpec(name), "takesSchema");
  for (const [index, arg] of node.args.entries()) {
    if (arg.kind === "Spread") return;
    const param = arg.kind === "NamedArg" ? arg.name.text : params[index]?.name;
    const value = arg.kind === "NamedArg" ? arg.value : arg;
    if (value.kind !== "DictLit") continue;
    if (takes && param === "schema") checkWritten(c, value);
    else
      for (const option of schemaOptions)
        if (c.fieldsOf(name, param ?? "")?.get(option)) checkPart(c, entryOf(value, option));
  }
  if (name === "tool_define" && node.args[3]?.kind === "DictLit")
    checkParameters(c, entryOf(node.args[3], "parameters"));
}

/** `{path: "string", depth: {type: "int"}}`, or a whole schema. */
function checkParameters(c: Checker, node: Expr | undefined): void {
  if (node?.kind !== "DictLit") return;
  if (entryOf(node, "properties")?.kind === "DictLit") checkWritten(c, node);
  else checkProperties(c, node);
}

function checkProperties(c: Checker, node: DictLit): void {
  for (const entry of node.entries) {
    if (entry.kind === "Spread") continue;
    if (entry.value.kind === "StringLit") checkType(c, entry.value);
    else checkPart(c, entry.value);
  }
}

function checkPart(c: Checker, node: Expr | undefined): void {
  if (node?.kind === "DictLit") checkWritten(c, node);
}

/** What of it is written out, as the check of values sees it. */
const writtenValue = (node: Expr): Value => {
  if (node.kind === "StringLit") return node.value;
  if (node.kind !== "DictLit") return null;
  const entries = node.entries.flatMap((entry): [string, Value][] =>
    entry.kind === "Spread" || typeof entry.key !== "string" ? [] : [[entry.key, writtenValue(entry.value)]],
  );
  return Dict.from(entries);
};

/** Nesting ends where the parser's does. */
function checkWritten(c: Checker, node: DictLit): void {
  if (isShape(writtenValue(node) as Dict)) {
    checkProperties(c, node);
    return;
  }
  for (const entry of node.entries) {
    if (entry.kind === "Spread" || typeof entry.key !== "string") continue;
    const { key, value } = entry;
    if (key === "type") checkType(c, value);
    else if (key === "properties" && value.kind === "DictLit") checkProperties(c, value);
    else if (key === "items") checkPart(c, value);
    else if (!schemaKeywords.has(key)) {
      const near = nearest(key, schemaKeywords, 2);
      if (near !== undefined && key.length > 3) c.report("HARN-NAM-018", entry.keySpan, { name: key, near });
    }
  }
  checkRequired(c, node);
}

/** `{type: "strng"}`: nothing fits it, or models are told of no type. */
function checkType(c: Checker, node: Expr): void {
  if (node.kind !== "StringLit" || isSchemaType(node.value)) return;
  if (/^[a-z]+$/.test(node.value))
    c.report("HARN-NAM-013", node, { what: "a type of a schema", name: node.value, names: [...schemaTypes] });
}

/** `required: ["nmae"]`, nearly a property: no value has that key. */
function checkRequired(c: Checker, node: DictLit): void {
  const required = entryOf(node, "required");
  const properties = entryOf(node, "properties");
  if (required?.kind !== "ListLit" || properties?.kind !== "DictLit") return;
  const names = properties.entries.map((entry) => (entry.kind === "Spread" ? undefined : entry.key));
  if (!names.every((one) => typeof one === "string")) return;
  for (const one of required.elements)
    if (one.kind === "StringLit" && !names.includes(one.value) && nearest(one.value, names) !== undefined)
      c.report("HARN-NAM-013", one, { what: "a required key of these properties", name: one.value, names });
}
