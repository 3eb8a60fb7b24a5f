/** Compaction policies (agents.md §3.3): what people ask of a summary, and how much of that the model may see. */

import { at, readRows, refusal } from "../../table/index.ts";
import { Dict, type Value } from "../../values/index.ts";
import { compactionPolicyFields } from "./context-fields.ts";

export interface CompactionPolicy {
  /** As given: events and callbacks show it. */
  readonly raw: Dict;
  readonly instructions: string;
  readonly preserve: readonly string[];
  readonly drop: readonly string[];
  readonly scope: string;
  readonly author: string | null;
  readonly mode: "default" | "extend" | "replace";
}

/** The policy under `policy` or `compaction_policy`, or spelled out among the options; `null` without any. */
export function policyOf(options: Dict, caller: string): CompactionPolicy | null {
  const value = options.get("policy") ?? options.get("compaction_policy") ?? null;
  if (value !== null && !(value instanceof Dict)) throw refusal(at(caller, "policy"), "dict", value);
  let raw = value ?? new Dict();
  // `mode` alone is too common a word to make a policy of.
  const spelled = [...compactionPolicyFields.names()].filter(
    (key) => key !== "mode" && (options.get(key) ?? null) !== null,
  );
  if (value === null && spelled.length === 0) return null;
  if (value === null && (options.get("mode") ?? null) !== null)
    raw = raw.with("mode", options.get("mode") ?? null);
  for (const key of spelled) if (!raw.has(key)) raw = raw.with(key, options.get(key) ?? null);
  const read = readRows(raw, compactionPolicyFields, at(caller, "policy"));
  const { instructions, preserve, drop, scope } = read;
  const directed = instructions !== "" || preserve.length > 0 || drop.length > 0;
  const replaces = read.extendDefaultInstructions === false;
  return {
    raw,
    instructions,
    preserve,
    drop,
    scope,
    author: read.author || null,
    mode: !directed ? "default" : replaces ? "replace" : "extend",
  };
}

/** The directives in words; "" without any. */
export function directives(policy: CompactionPolicy | null): string {
  if (policy === null) return "";
  const listed = (head: string, items: readonly string[]): string =>
    items.length === 0 ? "" : [head, ...items.map((item) => `- ${item}`)].join("\n");
  return [policy.instructions, listed("Preserve:", policy.preserve), listed("Drop:", policy.drop)]
    .filter((part) => part !== "")
    .join("\n");
}

const visibleScopes: readonly string[] = ["model_visible", "summary", "transcript"];

/** What of a policy the model is shown after the summary. */
export function visibleDirectives(policy: CompactionPolicy | null): string {
  if (policy === null || !visibleScopes.includes(policy.scope)) return "";
  const text = directives(policy);
  return text === "" ? "" : `[compaction instructions]\n${text}`;
}

/** The fields of a policy in a compaction event. */
export function policyEventFields(policy: CompactionPolicy | null): Record<string, Value | undefined> {
  return {
    instruction_mode: policy?.mode ?? "default",
    instruction_source: policy?.author ?? undefined,
    compaction_policy: policy?.raw,
  };
}
