/** Handlers of tools read the arguments that their tool declares: models are told of no others. */
import { Binding } from "../resolve/index.ts";
import type { Block, Call, DictLit, Expr, Node, Param } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { walkType } from "./model/tree.ts";

/** `tool_define(registry, name, description, {parameters, handler})` with both written out. */
export function checkToolHandler(c: Checker, node: Call): void {
  const [, name, , config] = node.args;
  if (config?.kind !== "DictLit") return;
  const parameters = entryOf(config, "parameters");
  const handler = handlerOf(c, entryOf(config, "handler"));
  const declared = parameters?.kind === "DictLit" ? parameterNames(parameters) : undefined;
  const [args] = handler?.params ?? [];
  if (declared === undefined || handler === undefined || args === undefined || args.rest) return;
  const tool = name?.kind === "StringLit" ? name.value : "tool";
  for (const { key, at } of readsOf(c, handler.body, args)) {
    if (declared.includes(key) || key.startsWith("_")) continue;
    c.report("HARN-NAM-014", at, { tool, name: key, names: declared });
  }
}

export function entryOf(dict: DictLit, key: string): Expr | undefined {
  // A spread may bring it too, and win.
  if (dict.entries.some((entry) => entry.kind === "Spread")) return undefined;
  for (const entry of dict.entries) if (entry.kind === "DictEntry" && entry.key === key) return entry.value;
  return undefined;
}

/** The names in a dict of parameters, or in the `properties` of a JSON schema; `undefined` when there may be more. */
function parameterNames(dict: DictLit): readonly string[] | undefined {
  const properties = entryOf(dict, "properties");
  if (properties !== undefined) {
    const open = entryOf(dict, "additionalProperties") ?? entryOf(dict, "additional_properties");
    const closed = open === undefined || (open.kind === "BoolLit" && !open.value);
    return properties.kind === "DictLit" && closed ? parameterNames(properties) : undefined;
  }
  const names: string[] = [];
  for (const entry of dict.entries) {
    if (entry.kind === "Spread" || typeof entry.key !== "string") return undefined;
    names.push(entry.key);
  }
  return names;
}

interface ToolHandler {
  readonly params: readonly Param[];
  readonly body: Block;
}

/** A closure, or a function of this file. */
function handlerOf(c: Checker, node: Expr | undefined): ToolHandler | undefined {
  if (node?.kind === "Closure") return node;
  if (node?.kind !== "Identifier") return undefined;
  const ref = c.module.refs.get(node);
  if (!(ref instanceof Binding) || ref.fn === undefined || ref.fn.module !== c.module) return undefined;
  return ref.fn.node.kind === "FnDecl" ? ref.fn.node : undefined;
}

/** `args.name` and `args["name"]` in a body. */
function readsOf(c: Checker, body: Block, param: Param): { readonly key: string; readonly at: Node }[] {
  const binding = c.module.bindings.get(param.name);
  const found: { key: string; at: Node }[] = [];
  const isArgs = (node: Expr): boolean =>
    node.kind === "Identifier" && binding !== undefined && c.module.refs.get(node) === binding;
  walkType(body, (node) => {
    const read = node as Expr;
    if (read.kind === "Member" && isArgs(read.object))
      found.push({ key: read.name.text, at: read.name as unknown as Node });
    else if (read.kind === "Index" && isArgs(read.object) && read.index.kind === "StringLit")
      found.push({ key: read.index.value, at: read.index });
    return true;
  });
  return found.sort((a, b) => a.at.start - b.at.start);
}
