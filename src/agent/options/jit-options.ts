/** The option `jit` (docs/control-plane.md, "It forgets the rules"): instructions that are given when they are needed. */
import { unknownKey } from "../../table/index.ts";
import { Callable, Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { jitRuleFields } from "./context-fields.ts";

/** The rules of the runtime, in the order in which they are looked at. */
export const builtinRuleIds = [
  "no_reads",
  "serial_reads",
  "reads_without_output",
  "turns_running_out",
  "planning_only",
  "compacted",
  "compacted_often",
  "work_items_stale",
] as const;
export type BuiltinRuleId = (typeof builtinRuleIds)[number];

/** A rule of the script. */
export interface OwnRule {
  readonly id: string;
  readonly instruction: string | Callable;
  readonly condition: Callable;
  /** Never again in its session. */
  readonly once: boolean;
  /** Turns between two times, where it may fire again. */
  readonly spacing: number;
}

export interface JitOptions {
  readonly own: readonly OwnRule[];
  readonly disabled: ReadonlySet<string>;
  readonly maxPerTurn: number;
}

const idForm = /^[A-Za-z0-9_.-]{1,64}$/;

/** `null`: nobody instructs. */
export function readJit(value: Value, caller: string): JitOptions | null {
  if (value === null || value === false) return null;
  const fail = (text: string): never => {
    throw thrown(`${caller}: ${text}`);
  };
  if (value === true) return { own: [], disabled: new Set(), maxPerTurn: 2 };
  if (value instanceof List) return { own: rulesIn(value, "jit", fail), disabled: new Set(), maxPerTurn: 2 };
  if (!(value instanceof Dict))
    return fail(`\`jit\` must be a bool, a list of rules, a dict, or nil; got ${typeOf(value)}`);
  const rules = value.get("rules") ?? null;
  if (rules !== null && !(rules instanceof List))
    return fail(`\`jit.rules\` must be a list of rules; got ${typeOf(rules)}`);
  const own = rules === null ? [] : rulesIn(rules, "jit.rules", fail);
  const max = value.get("max_per_turn") ?? 2;
  if (typeof max !== "number") return fail(`\`jit.max_per_turn\` must be an int; got ${typeOf(max)}`);
  if (max < 1) return fail(`\`jit.max_per_turn\` must be >= 1; got ${max}`);
  return { own, disabled: disabledIn(value.get("disable") ?? null, own, fail), maxPerTurn: max };
}

function disabledIn(value: Value, own: readonly OwnRule[], fail: (text: string) => never): Set<string> {
  if (value === null) return new Set();
  if (!(value instanceof List)) return fail(`\`jit.disable\` must be a list of ids; got ${typeOf(value)}`);
  const known: readonly string[] = [...builtinRuleIds, ...own.map(({ id }) => id)];
  return new Set(
    [...value].map((id) => {
      if (typeof id !== "string")
        return fail(`\`jit.disable\` must be a list of ids; got an entry of type ${typeOf(id)}`);
      return known.includes(id)
        ? id
        : fail(`\`jit.disable\`: there is no rule \`${id}\`; there are ${known.join(", ")}`);
    }),
  );
}

function rulesIn(list: List, path: string, fail: (text: string) => never): OwnRule[] {
  const seen = new Set<string>(builtinRuleIds);
  return [...list].map((value, index) => {
    const at = `${path}[${index}]`;
    if (!(value instanceof Dict))
      return fail(`\`${at}\` must be a rule; got ${typeOf(value)} (std/agent/jit has \`jit_rule\`)`);
    const rule = readJitRule(value, at, fail);
    if (seen.has(rule.id)) {
      const whose = builtinRuleIds.some((id) => id === rule.id) ? "is a rule of the runtime" : "stands twice";
      return fail(`\`${at}.id\`: \`${rule.id}\` ${whose}`);
    }
    seen.add(rule.id);
    return rule;
  });
}

function readJitRule(dict: Dict, at: string, fail: (text: string) => never): OwnRule {
  const wrong = (key: string, wanted: string): never =>
    fail(`\`${at}.${key}\` must be ${wanted}; got ${typeOf(dict.get(key) ?? null)}`);
  for (const key of dict.keys())
    if (jitRuleFields.get(key) === undefined && !key.startsWith("_"))
      fail(`unknown option \`${at}.${key}\`; ${unknownKey(jitRuleFields, key, true).hint}`);
  const id = dict.get("id") ?? null;
  if (typeof id !== "string") return wrong("id", "a text");
  if (!idForm.test(id))
    return fail(`\`${at}.id\` must be 1 to 64 letters, digits, \`_\`, \`.\` or \`-\`; got \`${id}\``);
  const instruction = dict.get("instruction") ?? null;
  if (typeof instruction !== "string" && !(instruction instanceof Callable))
    return wrong("instruction", "a text or a closure");
  const condition = dict.get("condition") ?? null;
  if (!(condition instanceof Callable)) return wrong("condition", "a closure");
  const once = dict.get("once") ?? true;
  if (typeof once !== "boolean") return wrong("once", "a bool");
  const spacing = dict.get("spacing") ?? 3;
  if (typeof spacing !== "number") return wrong("spacing", "an int");
  if (spacing < 1) return fail(`\`${at}.spacing\` must be >= 1; got ${spacing}`);
  return { id, instruction, condition, once, spacing };
}
