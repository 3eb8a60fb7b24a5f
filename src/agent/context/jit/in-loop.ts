/**
 * Just-in-time instructions in a loop: PLANNING, after compaction, the rules are looked at in order, and what fires becomes
 * one message at the end of the conversation, so that nothing that was sent before changes. What fired is kept with the
 * session's interventions: a resumed session says nothing twice.
 */
import type { Conversation, ToolEntry } from "../../../model/index.ts";
import { Dict, List, type Value } from "../../../values/index.ts";
import type { OwnRule } from "../../options/jit-options.ts";
import type { PromptId } from "../../options/prompt-ids.ts";
import { kindOfTool, sideEffectOf } from "../../policy/annotations.ts";
import { coverageSummary } from "../../session/contract-record.ts";
import { isOpen } from "../../session/ledger.ts";
import { intervene } from "../../state/interventions.ts";
import type { JitState, RecordedTurn } from "../../state/jit-state.ts";
import type { Loop } from "../../state/loop-state.ts";
import { type Turn, tryCallBack, warnPerson } from "../../state/requests.ts";
import type { Subsystem } from "../../state/subsystem.ts";
import { toolClass } from "../../tools/tool-class.ts";
import { giveFeedback } from "../feedback.ts";
import { meterOf } from "../metering.ts";
import { promptText } from "../prompts/overrides.ts";
import { compactedRule } from "./compacted.ts";
import { builtinRules, type JitFacts, type RuleFiring } from "./rules.ts";

/** Turns that rules and conditions see. */
const keptTurns = 12;

interface RuleText {
  readonly rule: string;
  readonly text: string;
}

export const jit: Subsystem = {
  name: "jit",
  option: "jit",
  prepare: instruct,
  // biome-ignore lint/correctness/useYield: it asks nobody.
  *settled(loop) {
    noteJitTurn(loop);
  },
  // biome-ignore lint/correctness/useYield: it asks nobody.
  *continued(loop) {
    loop.state.slots.jit.refused = loop.work.completion.vetoed;
  },
};

function* instruct(loop: Loop): Turn<void> {
  const { jit: options } = loop.options;
  if (options === null) return;
  const { jit: state, compaction } = loop.state.slots;
  const facts = jitFacts(loop, state, compaction.count > state.compacted);
  if (facts.compactedNow) state.compactions.push(facts.turn);
  state.compacted = compaction.count;
  loop.conversation.seen.looked({
    loop: loop.identity.id,
    turn: facts.turn,
    facts: lookedAt(loop, facts),
  });
  const spoken: RuleText[] = [];
  for (const { id, speaks } of builtinRules) {
    if (spoken.length >= options.maxPerTurn || options.disabled.has(id)) continue;
    // After a refusal the model has been told what to do.
    if (state.refused && id !== "turns_running_out") continue;
    // The compaction's own message has said it.
    if (id === compactedRule && state.compactionsPrompted === compaction.count) continue;
    const bindings = speaks({ ...facts, compactions: state.compactions }, firedOf(loop, id));
    if (bindings === null) continue;
    const prompt = `agent.instruction.${id}` satisfies PromptId;
    spoken.push({ rule: id, text: yield* promptText(loop, prompt, bindings) });
    if (id === "planning_only") state.wasPlanningPrompted = true;
  }
  if (!state.refused)
    for (const rule of options.own) {
      if (spoken.length >= options.maxPerTurn) break;
      if (options.disabled.has(rule.id) || !mayFire(loop, rule, facts.turn)) continue;
      const text = yield* askOwn(loop, rule, facts);
      if (text !== null) spoken.push({ rule: rule.id, text });
    }
  if (spoken.length > 0) yield* speakRules(loop, spoken, facts);
}

function* speakRules(loop: Loop, spoken: readonly RuleText[], facts: JitFacts): Turn<void> {
  const text = spoken.map((one) => one.text).join("\n");
  const { id } = yield* giveFeedback(loop, "instruction", text);
  for (const { rule } of spoken) {
    const before = firedOf(loop, rule);
    firedIn(loop).set(rule, { times: before.times + 1, turn: facts.turn });
    yield* intervene(loop, {
      kind: "instruction",
      rule,
      reason: `the rule ${rule} applies before turn ${facts.turn}`,
      facts: lookedAt(loop, facts),
      messages: [id],
    });
  }
}

/** What interventions and those who ask why are told of the facts. */
const lookedAt = (loop: Loop, facts: JitFacts) => ({
  max_turns: facts.maxTurns,
  reads: facts.reads,
  distinct_reads: facts.distinctReads,
  writes: facts.writes,
  planning_turns: facts.planning,
  compactions: loop.state.slots.compaction.count,
  work_items_open: facts.itemsOpen,
});

// ── own rules ─────────────────────────────────────────────────────────────────────────────────────────────────────

function mayFire(loop: Loop, { id, once, spacing }: OwnRule, turn: number): boolean {
  if (loop.state.slots.jit.off.has(id)) return false;
  const fired = firedOf(loop, id);
  if (once) return fired.times === 0;
  return fired.turn === 0 || turn - fired.turn >= spacing;
}

/** What an own rule says; null: nothing, or it failed and is off from now on. */
function* askOwn(loop: Loop, rule: OwnRule, facts: JitFacts): Turn<string | null> {
  const context = contextOf(loop, facts);
  const holds = yield* guarded(loop, rule, "condition", context);
  if (holds === undefined) return null;
  if (typeof holds !== "boolean") return yield* failedRule(loop, rule, "`condition` must return a bool");
  if (!holds) return null;
  if (typeof rule.instruction === "string") return rule.instruction;
  const text = yield* guarded(loop, rule, "instruction", context);
  if (text === undefined) return null;
  if (typeof text !== "string") return yield* failedRule(loop, rule, "`instruction` must return a text");
  return text === "" ? null : text;
}

/** `undefined`: it threw, and the rule is off. */
function* guarded(
  loop: Loop,
  rule: OwnRule,
  part: "condition" | "instruction",
  context: Dict,
): Turn<Value | undefined> {
  const callback = rule[part];
  if (typeof callback === "string") return callback;
  const answer = yield* tryCallBack(callback, context);
  if (answer.ok) return answer.value;
  yield* failedRule(loop, rule, `\`${part}\` failed: ${answer.error}`);
  return undefined;
}

function* failedRule(loop: Loop, { id }: OwnRule, why: string): Turn<null> {
  loop.state.slots.jit.off.add(id);
  yield* warnPerson(`the rule ${id} of \`jit\` is off for this loop: ${why}`);
  return null;
}

/** `ctx` of conditions and instructions. */
function contextOf(loop: Loop, facts: JitFacts): Dict {
  const { calls, compaction } = loop.state.slots;
  const { conversation } = loop;
  const { tokens, budget } = meterOf(loop);
  return Dict.of({
    turn: facts.turn,
    max_turns: facts.maxTurns,
    tool_usage: Dict.of(Object.fromEntries(calls.usage)),
    work_items_complete: facts.itemsTotal - facts.itemsOpen,
    work_items_total: facts.itemsTotal,
    compaction_count: compaction.count,
    reads: facts.reads,
    writes: facts.writes,
    distinct_reads: facts.distinctReads,
    last_turns: new List(
      facts.turns.map(({ calls, classes }) =>
        Dict.of({ calls: new List([...calls]), classes: new List([...classes]) }),
      ),
    ),
    tokens,
    budget,
    coverage: conversation.contract === null ? null : coverageSummary(conversation.contract),
    session_id: loop.state.sessionId,
  });
}

// ── facts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function jitFacts(loop: Loop, state: JitState, compactedNow: boolean): JitFacts {
  return {
    turn: loop.work.iteration + 1,
    maxTurns: loop.core.control.budget.limits.turns ?? loop.options.iterationBudget.max,
    reads: state.reads,
    writes: state.writes,
    distinctReads: state.distinctReads.size,
    turns: state.turns,
    planning: state.planning,
    wasPlanningPrompted: state.wasPlanningPrompted,
    ...itemFacts(loop),
    ledgerAge: state.ledgerAge,
    compactedNow,
    compactions: state.compactions,
    visible: visibleClasses(loop),
  };
}

/** The session's work items in figures. */
function itemFacts(loop: Loop): Pick<JitFacts, "artifacts" | "itemsOpen" | "itemsTotal" | "staleAfter"> {
  const items = loop.conversation.workItems?.items ?? [];
  return {
    artifacts: items.filter(({ artifact }) => artifact !== null).length,
    itemsOpen: items.filter(isOpen).length,
    itemsTotal: items.length,
    staleAfter: loop.options.workItems?.staleAfter ?? 12,
  };
}

const visibleClasses = ({ visible }: Loop): Set<string> =>
  new Set(visible.entries.filter(({ origin }) => origin !== "runtime").map(toolClass));

/** Tools by which nothing is found out and nothing changed. */
const planningKinds: ReadonlySet<unknown> = new Set(["plan", "think"]);

/** It reaches the network and only looks there: for narrowing it counts as a change, here it is a read. */
const isFetching = ({ annotations }: ToolEntry): boolean =>
  sideEffectOf(annotations) === "network" && fetchingKinds.has(kindOfTool(annotations) ?? "");
const fetchingKinds: ReadonlySet<string> = new Set(["fetch", "search", "read", "lookup"]);

function noteJitTurn(loop: Loop): void {
  const { work, tools } = loop;
  const { jit: state } = loop.state.slots;
  if (!work.answered || work.held) return;
  const calls: string[] = [];
  const classes: string[] = [];
  const signatures: string[] = [];
  let planning = work.calls.length > 0;
  let wroteLedger = false;
  let wrote = false;
  for (const [index, { name, arguments: args, rawArguments }] of work.calls.entries()) {
    const entry = tools.byName.get(name);
    const kind = entry === undefined ? "unknown" : toolClass(entry);
    const own = entry !== undefined && entry.origin !== "runtime";
    const plans =
      kind === "progress" || planningKinds.has(entry?.annotations?.get("kind")) || isLedgerTool(name, own);
    const signature = `${name} ${args === null ? rawArguments : JSON.stringify(args)}`;
    calls.push(name);
    classes.push(kind);
    signatures.push(signature);
    planning &&= plans;
    wroteLedger ||= isLedgerTool(name, own) && name !== "work_item_list" && work.outcomes[index]?.ok === true;
    if (!own || plans) continue;
    const fetches = entry !== undefined && isFetching(entry);
    if (kind === "read_only" || fetches) {
      state.reads++;
      state.distinctReads.add(loop.digest(signature).slice(0, 16));
    }
    if (kind === "mutating" && !fetches) {
      state.writes++;
      wrote = true;
    }
  }
  keep(state, { calls, classes, signatures, planning });
  state.planning = planning ? state.planning + 1 : 0;
  if (!planning) state.wasPlanningPrompted = false;
  if (wroteLedger) state.ledgerAge = 0;
  else if (wrote) state.ledgerAge++;
}

const isLedgerTool = (name: string, own: boolean): boolean => !own && name.startsWith("work_item_");

function keep({ turns }: JitState, turn: RecordedTurn): void {
  turns.push(turn);
  if (turns.length > keptTurns) turns.shift();
}

// ── what fired ────────────────────────────────────────────────────────────────────────────────────────────────────

function firedIn({ state, conversation }: Loop): Map<string, { times: number; turn: number }> {
  const { jit: slot } = state.slots;
  slot.fired ??= firedBefore(conversation);
  return slot.fired;
}

const ofTheLoop: ReadonlySet<string> = new Set(
  builtinRules.filter(({ perLoop }) => perLoop === true).map(({ id }) => id),
);

function firedBefore({ interventions }: Conversation): Map<string, { times: number; turn: number }> {
  const fired = new Map<string, { times: number; turn: number }>();
  for (const { kind, rule } of interventions.list())
    if (kind === "instruction" && !ofTheLoop.has(rule))
      fired.set(rule, { times: (fired.get(rule)?.times ?? 0) + 1, turn: 0 });
  return fired;
}

const firedOf = (loop: Loop, rule: string): RuleFiring => firedIn(loop).get(rule) ?? { times: 0, turn: 0 };
