/** Rules of an approval policy (agents.md §8.4): from what scripts write to a matcher over a call's context. */
import {
  type At,
  at,
  inside,
  meantField,
  readRows,
  refusal,
  row,
  rows,
  unknownOption,
} from "../../table/index.ts";
import { Dict, display, List, nameMatches, thrown, type Value } from "../../values/index.ts";
import { firstMatch, matchesBroadly } from "./glob.ts";

export type ApprovalAction = "allow" | "ask" | "deny";

/** What a rule looks at; the `context` of a receipt. */
export interface CallContext {
  readonly tool_name: string;
  readonly tool_kind: string | null;
  readonly side_effect: string | null;
  readonly capabilities: readonly string[];
  readonly paths: readonly string[];
  readonly commands: readonly string[];
  readonly command_identities: readonly string[];
  readonly urls: readonly string[];
  readonly domains: readonly string[];
  readonly http_methods: readonly string[];
  readonly mcp_servers: readonly string[];
  readonly mcp_tools: readonly string[];
  readonly agent: string | null;
  readonly persona: string | null;
  readonly mode: string | null;
  readonly repeat_count: number;
}

export interface ApprovalRule {
  readonly id: string | null;
  readonly action: ApprovalAction;
  readonly match: ReadonlyMap<string, readonly string[]>;
  readonly repeatAtLeast: number | null;
  readonly reason: string | null;
  readonly risk: readonly string[];
  /** `approval` as given: prompt, reviewers, grant options. */
  readonly approval: Dict | null;
}

export const approvalActions: ReadonlyMap<string, ApprovalAction> = new Map([
  ["allow", "allow"],
  ["approve", "allow"],
  ["auto_approve", "allow"],
  ["ask", "ask"],
  ["require_approval", "ask"],
  ["requires_approval", "ask"],
  ["approval", "ask"],
  ["deny", "deny"],
  ["block", "deny"],
  ["auto_deny", "deny"],
]);

/** How a key of `match` compares, and what it compares with. */
interface RuleField {
  readonly values: (context: CallContext) => readonly (string | null)[];
  readonly fits: (pattern: string, value: string) => boolean;
}
const coversText = (pattern: string, value: string): boolean =>
  nameMatches(pattern.toLowerCase(), value.toLowerCase());
const coversTextOrPart = (pattern: string, value: string): boolean =>
  nameMatches(pattern, value) || value.includes(pattern);

const fields: ReadonlyMap<string, RuleField> = new Map<string, RuleField>([
  ["tool", { values: (c) => [c.tool_name], fits: nameMatches }],
  ["tool_kind", { values: (c) => [c.tool_kind], fits: coversText }],
  ["side_effect", { values: (c) => [c.side_effect], fits: coversText }],
  ["path", { values: (c) => c.paths, fits: matchesBroadly }],
  ["command", { values: (c) => c.commands, fits: coversTextOrPart }],
  ["command_identity", { values: (c) => c.command_identities, fits: nameMatches }],
  ["url", { values: (c) => c.urls, fits: coversTextOrPart }],
  ["domain", { values: (c) => c.domains, fits: coversText }],
  ["http_method", { values: (c) => c.http_methods, fits: coversText }],
  ["mcp_server", { values: (c) => c.mcp_servers, fits: nameMatches }],
  ["mcp_tool", { values: (c) => c.mcp_tools, fits: nameMatches }],
  ["agent", { values: (c) => [c.agent], fits: nameMatches }],
  ["persona", { values: (c) => [c.persona], fits: nameMatches }],
  ["mode", { values: (c) => [c.mode], fits: nameMatches }],
  ["capability", { values: (c) => c.capabilities, fits: nameMatches }],
]);

const plurals: ReadonlyMap<string, string> = new Map([
  ...[...fields.keys()].map((name): [string, string] => [`${name}s`, name]),
  ["capabilities", "capability"],
  ["command_identities", "command_identity"],
  ["tool_name", "tool"],
  ["side_effect_level", "side_effect"],
]);

/** What rules may look at. */
export const ruleMatchKeys: readonly string[] = [...fields.keys(), "repeat_count_at_least"];

const holdsFor = (doc: string) => row.value(doc, "globs by key, or tools");

const shorthands = ["allow", "ask", "deny"] as const;

/** Other names are refused where rules are read: a loop without calls runs through with a broken rule. */
export const ruleFields = rows(
  () => ({
    id: row.text("What receipts call it."),
    name: row.text("Another name for `id`."),
    action: row.text("`allow`, `ask` or `deny`, and their other names."),
    match: holdsFor("What it holds for: globs by key, or tools."),
    allow: holdsFor("Short for the action and what it holds for."),
    ask: holdsFor("Short for the action and what it holds for."),
    deny: holdsFor("Short for the action and what it holds for."),
    reason: row.text("Why; shown to people and models."),
    approval: row.dict(null, "How people are asked: prompt, reviewers, risk."),
  }),
  { strict: true, refusedByReader: true },
);

/** The rule of an approval policy; throws what is wrong with it. */
export function approvalRuleOf(dict: Dict, index: number): ApprovalRule {
  const place = at("approval_policy", `rules[${index}]`);
  const read = readRows(dict, ruleFields, place);
  const short = shorthands.find((name) => read[name] !== null);
  if ((read.action === null) === (short === undefined))
    throw refusal(
      inside(place, "action"),
      "an action, or one of allow, ask and deny in its place",
      dict.get("action") ?? null,
    );
  return {
    id: read.id ?? read.name,
    action: short ?? actionOf(read.action ?? "", inside(place, "action")),
    ...matchOf(short === undefined ? read.match : read[short], inside(place, short ?? "match")),
    reason: read.reason,
    risk: textsOf(read.approval?.get("risk") ?? null),
    approval: read.approval,
  };
}

function actionOf(name: string, place: At): ApprovalAction {
  const action = approvalActions.get(name);
  if (action === undefined) throw refusal(place, "allow, ask, require_approval or deny", name);
  return action;
}

function matchOf(value: Value, place: At): Pick<ApprovalRule, "match" | "repeatAtLeast"> {
  const match = new Map<string, string[]>();
  let repeatAtLeast: number | null = null;
  if (typeof value === "string" || value instanceof List) match.set("tool", textsOf(value));
  if (!(value instanceof Dict)) return { match, repeatAtLeast };
  for (const [key, input] of value.entries()) {
    if (input === null) continue;
    const name = plurals.get(key) ?? key;
    if (key === "repeat_count_at_least") repeatAtLeast = typeof input === "number" ? input : null;
    else if (fields.has(name)) match.set(name, textsOf(input));
    else {
      throw thrown(unknownOption(place, key, meantField(key, ruleMatchKeys, "expected one of ")));
    }
  }
  return { match, repeatAtLeast };
}

function textsOf(value: Value): string[] {
  if (value instanceof List) return [...value].map(display);
  return value === null ? [] : [display(value)];
}

/** All given keys must fit; of a key's patterns any. */
export function ruleFits(rule: ApprovalRule, context: CallContext): boolean {
  if (rule.repeatAtLeast !== null && context.repeat_count < rule.repeatAtLeast) return false;
  return [...rule.match].every(([name, patterns]) => {
    const { values, fits } = fields.get(name) as RuleField;
    return values(context).some((value) => value !== null && firstMatch(patterns, value, fits) !== undefined);
  });
}
