/** What closures are called with that stand in the arguments of a builtin, or in a literal dict of its options. */
import type { Call, Expr } from "../../syntax/index.ts";
import { type CalledWith, parseSignature } from "../../table/index.ts";
import type { Checker } from "../checker.ts";

/** Before the arguments are looked at. */
export function noteCallbacks(c: Checker, node: Call, name: string): void {
  const spec = c.builtinSpec(name);
  if (spec === undefined || (spec.calledWith === undefined && spec.fields === undefined)) return;
  const { params } = parseSignature(spec.sig);
  for (const [index, arg] of node.args.entries()) {
    if (arg.kind === "Spread") return;
    const param = arg.kind === "NamedArg" ? arg.name.text : (params[index]?.name ?? "");
    const value = arg.kind === "NamedArg" ? arg.value : arg;
    if (value.kind === "Closure") noteCallback(c, value, `${name}'s \`${param}\``, spec.calledWith?.[param]);
    else if (value.kind === "DictLit") noteOptions(c, value, name, param);
  }
}

function noteOptions(c: Checker, dict: Expr & { kind: "DictLit" }, name: string, param: string): void {
  const table = c.fieldsOf(name, param);
  for (const entry of dict.entries) {
    if (entry.kind === "Spread" || typeof entry.key !== "string" || entry.value.kind !== "Closure") continue;
    noteCallback(c, entry.value, `\`${entry.key}\``, table?.get(entry.key)?.calledWith);
  }
}

function noteCallback(c: Checker, node: Expr, by: string, calledWith: (() => CalledWith) | undefined): void {
  const [param] = node.kind === "Closure" ? node.params : [];
  const binding = param === undefined || param.rest ? undefined : c.bindingOf(param.name);
  if (calledWith !== undefined && binding !== undefined && !binding.assigned)
    c.calledWith.set(binding, { by, dict: calledWith() });
}
