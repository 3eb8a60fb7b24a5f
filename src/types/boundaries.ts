/**
 * Answers from outside (models, JSON, HTTP, hosts) have no certain form. Under strict types, reading from one that was
 * not validated is reported, inside pipelines and functions (language.md §17.6, end).
 */
import type { Expr, Index, Member } from "../syntax/index.ts";
import { hasTrait } from "../table/index.ts";
import type { Checker } from "./checker.ts";

/** The boundary function that an expression is a call of. */
export function typeBoundaryOf(c: Checker, node: Expr): string | undefined {
  if (node.kind !== "Call" || node.callee.kind !== "Identifier") return undefined;
  if (!hasTrait(c.builtinSpec(node.callee.name), "unvalidated")) return undefined;
  return c.module.calls.get(node)?.builtin === true ? node.callee.name : undefined;
}

export function checkBoundaryAccess(c: Checker, node: Member | Index, object: Expr): void {
  const direct = typeBoundaryOf(c, object);
  const subscript = node.kind === "Index";
  if (direct !== undefined) {
    const kind = subscript ? "subscript" : "property";
    c.report("HARN-TYP-021", node, { text: `Direct ${kind} access on unvalidated \`${direct}()\` result` });
    return;
  }
  const variable = c.variableOf(object);
  const source = variable === undefined ? undefined : c.vars.get(variable)?.boundary;
  if (variable === undefined || source === undefined || c.flow.get(variable) !== undefined) return;
  if (c.module.topLevel.includes(variable)) return;
  c.report("HARN-TYP-021", node, {
    text: `${subscript ? "Subscript access on" : "Accessing property on"} unvalidated value '${variable.name}' from \`${source}\``,
  });
}
