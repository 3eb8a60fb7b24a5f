/**
 * Texts that are one of a fixed set: names of events that a builtin is given, states that its result has. The sets stand in
 * the declarations of the builtins.
 */
import { nearest } from "../../diagnostics/index.ts";
import type { Binary, Call, Expr, Member } from "../../syntax/index.ts";
import { areKeys, isVocabulary, type KnownKeys } from "../../table/index.ts";
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
    const property = side.name.text;
    const dict = knownDict(c, side.object);
    const known = dict === undefined ? undefined : under(dict.keys, property);
    if (dict === undefined || !isVocabulary(known) || known.includes(other.value)) continue;
    if (nearest(other.value, known) !== undefined)
      c.report("HARN-NAM-013", other, {
        what: `\`${property}\` of ${dict.name}`,
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
  const dict = knownDict(c, node.object);
  const name = node.name.text;
  if (dict === undefined || Object.hasOwn(dict.keys, name)) return;
  const near = nearest(name, Object.keys(dict.keys));
  if (near !== undefined) c.report("HARN-NAM-016", node.name, { dict: dict.described, name, near });
}

/** A dict of which all keys are known. */
interface KnownDict {
  readonly keys: KnownKeys;
  /** `agent_loop`, behind "of". */
  readonly name: string;
  /** "the result of agent_loop", as the subject of a sentence. */
  readonly described: string;
}

const under = (keys: KnownKeys, name: string) => (Object.hasOwn(keys, name) ? keys[name] : undefined);

/** What a builtin gave, a `let` that holds it, or a dict inside it. */
function knownDict(c: Checker, node: Expr): KnownDict | undefined {
  switch (node.kind) {
    case "Identifier": {
      const variable = c.variableOf(node);
      const begun = variable === undefined || variable.mutable ? undefined : c.initial.get(variable);
      return begun === undefined ? undefined : knownDict(c, begun);
    }
    case "Call": {
      const ref = c.module.calls.get(node);
      const keys = ref?.builtin === true ? c.builtinSpec(ref.name)?.resultKeys?.() : undefined;
      return keys && ref && { keys, name: ref.name, described: `the result of ${ref.name}` };
    }
    case "Member": {
      const outer = knownDict(c, node.object);
      const keys = outer && under(outer.keys, node.name.text);
      if (outer === undefined || !areKeys(keys)) return undefined;
      const name = `\`${node.name.text}\` of ${outer.described}`;
      return { keys, name, described: name };
    }
    default:
      return undefined;
  }
}
