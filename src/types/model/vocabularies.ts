/**
 * Texts that are one of a fixed set: names of events that a builtin is given, states that its result has. The sets stand in
 * the declarations of the builtins.
 */
import { nearest } from "../../diagnostics/index.ts";
import type { Binary, Call, Expr, Member } from "../../syntax/index.ts";
import type { Checker } from "../checker.ts";

/** Literal arguments for which the builtin knows all texts. */
export function checkTexts(
  c: Checker,
  node: Call,
  name: string,
  params: readonly { readonly name: string }[],
): void {
  const texts = c.builtinSpec(name)?.texts;
  if (texts === undefined) return;
  for (const [index, arg] of node.args.entries()) {
    if (arg.kind === "Spread") return;
    const param = params[index]?.name ?? "";
    const known = Object.hasOwn(texts, param) ? texts[param]?.() : undefined;
    if (known === undefined || arg.kind !== "StringLit" || known.includes(arg.value)) continue;
    c.report("HARN-NAM-013", arg, { what: `\`${param}\` of ${name}`, name: arg.value, names: known });
  }
}

/**
 * `result.status == "doen"`, where `result` is what a builtin gave. Scripts may add states of their own (`loop_control`), so
 * only what is nearly one of the known ones is a mistake.
 */
export function checkStates(c: Checker, node: Binary): void {
  if (node.op !== "==" && node.op !== "!=") return;
  for (const [side, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    if (side.kind !== "Member" || other.kind !== "StringLit") continue;
    const name = builtinOf(c, side.object);
    const states = name === undefined ? undefined : c.builtinSpec(name)?.states;
    const property = side.name.text;
    const known = states !== undefined && Object.hasOwn(states, property) ? states[property] : undefined;
    if (known === undefined || known.includes(other.value)) continue;
    if (nearest(other.value, known) !== undefined)
      c.report("HARN-NAM-013", other, {
        what: `\`${property}\` of ${name}`,
        name: other.value,
        names: known,
      });
  }
}

/**
 * `result.stop_reson`, where `result` is what a builtin gave: nil, without a word. Only what is nearly one of its keys is a
 * mistake, since a later version may have more of them.
 */
export function checkResultKey(c: Checker, node: Member): void {
  const builtin = builtinOf(c, node.object);
  const keys = builtin === undefined ? undefined : c.builtinSpec(builtin)?.resultKeys?.();
  const name = node.name.text;
  if (builtin === undefined || keys === undefined || keys.includes(name)) return;
  const near = nearest(name, keys);
  if (near !== undefined) c.report("HARN-NAM-016", node.name, { builtin, name, near });
}

/** The builtin whose result an expression is: a call of it, or a `let` that holds one. */
function builtinOf(c: Checker, node: Expr): string | undefined {
  if (node.kind === "Identifier") {
    const variable = c.variableOf(node);
    const begun = variable === undefined || variable.mutable ? undefined : c.initial.get(variable);
    return begun?.kind === "Call" ? builtinOf(c, begun) : undefined;
  }
  if (node.kind !== "Call") return undefined;
  const ref = c.module.calls.get(node);
  return ref?.builtin === true ? ref.name : undefined;
}
