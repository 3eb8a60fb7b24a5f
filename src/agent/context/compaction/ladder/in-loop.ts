/**
 * The ladder in the loop: when a pass is made, what becomes of it, and how the loop ends when there is nothing left to take.
 *
 *     meter ≥ soft ─▶ pass (hooks may hold it)            ─▶ commit, or the old view stays
 *     meter ≥ hard, or the vendor refused ─▶ pass, then bodies of every age, then everything unprotected ─▶ or the loop ends
 *
 * One pass a turn, before a model call that would be made anyway. A pass makes progress or the next one waits.
 */
import { type LoggedMessage, type ModelMessage, makeModelError } from "../../../../model/index.ts";
import { Callable, Dict, List, thrown, typeOf, type Value } from "../../../../values/index.ts";
import { ladderLabel, ladderName } from "../../../options/compaction-loop-options.ts";
import { directives, policyEventFields } from "../../../options/compaction-policy.ts";
import type { LadderOptions } from "../../../options/ladder-options.ts";
import { sourceAssetId } from "../../../session/compaction-source.ts";
import { gapsText } from "../../../session/contract-gaps.ts";
import { ledgerText } from "../../../session/ledger.ts";
import { keepsThroughCompaction } from "../../../session/reminder-value.ts";
import { intervene } from "../../../state/interventions.ts";
import type { Loop } from "../../../state/loop-state.ts";
import { emitNamed, readTime, requestHooks, type Turn } from "../../../state/requests.ts";
import { turnFields } from "../../../state/turn-fields.ts";
import { checkpoint } from "../../checkpoint.ts";
import { noteSpoken, speaksInMessage } from "../../jit/compacted.ts";
import { messageWeight } from "../../meter.ts";
import { type MeterReading, readMeter, softTokens } from "../../metering.ts";
import { promptText } from "../../prompts/overrides.ts";
import { recallName } from "../../recall.ts";
import { reportReminders } from "../../reminders.ts";
import { refreshVisible } from "../../visible-tools.ts";
import { emitCompacted } from "../compacted-event.ts";
import type { CompactionAsk } from "../engine.ts";
import type { ViewMessage } from "../exchanges.ts";
import { commitPass, type LadderEffect, ladderView, unheardWords, viewAfter } from "./commit.ts";
import { saidMessage } from "./entries.ts";
import { toolFacts, writtenCallsIn } from "./facts.ts";
import { lastAnswers } from "./makers.ts";
import {
  directPass,
  type Pass,
  type PassEnd,
  type PassInput,
  refusedEntries,
  refusedStrategy,
  runPass,
  withoutSummary,
} from "./pass.ts";
import { type LadderInput, planDirectClear, planEntry } from "./plan-ladder.ts";
import { probeRoute, probeSummary } from "./probes.ts";
import { isUrgent, type LadderTrigger, leastFreed } from "./settings.ts";
import { namedIn } from "./survivors.ts";

/** Before a model call: what is too large enters as head and tail, and a pass is made when it is time. */
export function* climbWhenFull(loop: Loop, ladder: LadderOptions): Turn<void> {
  yield* enterLarge(loop, ladder);
  const slot = loop.state.slots.ladder;
  const { tokens, budget } = readMeter(loop);
  const { hard } = ladder.settings;
  const soft = softTokens(loop, ladder.settings);
  const level = tokens >= hard * budget ? "hard" : tokens >= soft ? "soft" : "none";
  yield* emitPressure(loop, level, tokens, budget);
  const { asked } = slot;
  slot.asked = null;
  if (level === "hard") yield* climb(loop, ladder, "hard");
  else if (asked !== null) yield* climb(loop, ladder, "tool", asked.focus);
  else if (level === "soft" && tokens > slot.rest && loop.conversation.log.length !== slot.looked)
    yield* climb(loop, ladder, "soft");
}

/** How often a call that was refused as too long is made again after a pass. */
export const ladderRetries = 2;

/** After the vendor refused: the window is smaller than was thought. Gives whether the call is to be made again. */
export function* climbAfterRefusal(loop: Loop, ladder: LadderOptions): Turn<boolean> {
  return yield* climb(loop, ladder, "context_overflow");
}

const levels = ["none", "soft", "hard"] as const;

/** Emitted at each crossing upwards; after a fall the next one counts again. */
function* emitPressure(
  loop: Loop,
  level: (typeof levels)[number],
  tokens: number,
  budget: number,
): Turn<void> {
  const slot = loop.state.slots.ladder;
  const before = levels.indexOf(slot.pressure);
  slot.pressure = level;
  if (levels.indexOf(level) <= before) return;
  yield* intervene(loop, {
    kind: "pressure",
    rule: level,
    reason: `the coming request has about ${tokens} tokens of ${budget}`,
    facts: { tokens, budget },
  });
  if (loop.listens()) yield* emitNamed("context_pressure", { level, tokens, budget, ...turnFields(loop) });
}

/** A result over a quarter of the budget enters the view as head and tail; the log has all of it. */
function* enterLarge(loop: Loop, ladder: LadderOptions): Turn<void> {
  const { conversation, state } = loop;
  const slot = state.slots.ladder;
  const added = conversation.log.length - slot.entered;
  slot.entered = conversation.log.length;
  if (added <= 0) return;
  const { shown } = conversation;
  const from = Math.max(0, shown.length - added);
  const { budget, factor } = readMeter(loop);
  const isLarge = ({ message }: LoggedMessage): boolean => (messageWeight(message) / 4) * factor > budget / 4;
  const large = new Set(
    shown
      .slice(from)
      .filter(isLarge)
      .map(({ id }) => id),
  );
  if (large.size === 0 || untouchedFit(loop, ladder)) return;
  const input = ladderInput(loop, ladder, "soft");
  yield* askSurvivors(
    loop,
    ladder,
    input.view.filter(({ id }) => large.has(id)),
  );
  const plan = planEntry(input, from);
  if (plan.edits.length === 0) return;
  const { changed } = commitPass(
    conversation,
    input.view,
    withoutSummary(plan),
    loop.digest,
    "",
    loop.reasoningStays,
  );
  refreshVisible(loop);
  // Nothing that was sent has changed.
  if (slot.anchor !== null && slot.anchor.revision === conversation.revision - 1)
    slot.anchor = { ...slot.anchor, revision: conversation.revision };
  yield* intervene(loop, {
    kind: "compaction",
    rule: "large_result",
    reason: "a result over a quarter of the budget enters as head and tail",
    facts: { budget },
    messages: changed,
  });
}

/** Whether the messages that stay byte for byte (`keep_messages`) can be sent as they are. */
function untouchedFit(loop: Loop, { settings }: LadderOptions): boolean {
  if (settings.keepMessages === 0) return false;
  const { budget, factor, fixed } = readMeter(loop);
  const tokens = loop.conversation.shown
    .slice(-settings.keepMessages)
    .reduce((sum, { message }) => sum + sizeOf(message, factor), fixed);
  return tokens < settings.hard * budget;
}

const recallProtects = 4;

function ladderInput(loop: Loop, ladder: LadderOptions, trigger: LadderTrigger): LadderInput {
  const { conversation, state, work, tools, channel } = loop;
  const slot = state.slots.ladder;
  const view = ladderView(conversation);
  const { tokens, budget, factor } = readMeter(loop);
  const turn = work.iteration + 1;
  const recalled = new Set(
    slot.recalled
      .filter((one) => turn - one.turn <= recallProtects)
      .flatMap((one) => [one.message, one.call]),
  );
  const facts = toolFacts({
    conversation,
    view,
    tools: tools.byName,
    rules: ladder.durability,
    recalled,
    treasured: new Set([...slot.recalls].filter(([, count]) => count >= 2).map(([message]) => message)),
  });
  return {
    view,
    task: conversation.task?.id ?? null,
    trigger,
    tokens,
    factor,
    budget,
    settings: ladder.settings,
    ...facts,
    survivors: (message, text) => survivorsIn(loop, ladder, message, text),
    readWritten: writtenCallsIn(channel, () => tools.byName.keys()),
    reasoningStays: loop.reasoningStays,
  };
}

function survivorsIn(loop: Loop, { mustSurvive }: LadderOptions, message: string, text: string): string[] {
  const found = namedIn(mustSurvive, loop.findAll, text);
  for (const one of loop.state.slots.ladder.survivors.get(message) ?? [])
    if (text.includes(one)) found.push(one);
  return [...new Set(found)];
}

/** Functions of `must_survive` see each message once. */
function* askSurvivors(loop: Loop, { mustSurvive }: LadderOptions, view: readonly ViewMessage[]): Turn<void> {
  const { survivors } = loop.state.slots.ladder;
  if (mustSurvive.functions.length === 0) return;
  for (const one of view) {
    const { id, origin } = one;
    if (survivors.has(id) || origin.by === "compaction") continue;
    const found: string[] = [];
    for (const callback of mustSurvive.functions) {
      const answer = (yield { kind: "callback", callback, args: [saidMessage(one)] }) as Value;
      if (typeof answer === "string") found.push(answer);
      else if (answer instanceof List)
        found.push(...answer.toArray().filter((text) => typeof text === "string"));
      else if (answer !== null)
        throw thrown(
          `agent_loop: compaction.must_survive: a function must return texts or nil; got ${typeOf(answer)}`,
        );
    }
    survivors.set(id, found);
  }
}

// ── a pass ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Gives whether the view has changed. */
export function* climb(loop: Loop, ladder: LadderOptions, trigger: LadderTrigger, focus = ""): Turn<boolean> {
  const urgent = isUrgent(trigger);
  const before = readMeter(loop);
  if (loop.hooked("PreCompact")) {
    const about = Dict.of({
      mode: loop.compactionMode,
      reason: trigger,
      strategy: ladderName(ladder),
      message_count: loop.conversation.shown.length,
      estimated_tokens: before.tokens,
      budget: before.budget,
    });
    const said = yield* requestHooks("PreCompact", about, ladderName(ladder));
    if (said !== null && said.blocked !== null && !urgent) return false;
  }
  yield* checkpoint(loop, "pre_compact");
  const { tokens, budget } = before;
  if (loop.listens())
    yield* emitNamed("compaction_started", { trigger, tokens, budget, ...turnFields(loop) });
  const started = yield* readTime();
  loop.reached("compaction.plan");
  const input = ladderInput(loop, ladder, trigger);
  yield* askSurvivors(loop, ladder, input.view);
  const passing = passInput(loop, ladder, input, focus);
  const end = yield* runPass(passing);
  if (end.refused !== null) yield* intervene(loop, refusedStrategy(end.refused));
  for (const { maker, reason, messages } of end.rolledBack)
    yield* intervene(loop, {
      kind: "rollback",
      rule: maker,
      reason,
      facts: { trigger, messages },
    });
  yield* noteMaker(loop, end);
  const pass = urgent ? yield* lastResort(passing, end.pass) : end.pass;
  const duration = (yield* readTime()) - started;
  const changed = pass === null ? null : yield* commitCompaction(loop, input, pass, trigger);
  const after = changed === null ? tokens : readMeter(loop).tokens;
  noteLadderProgress(loop, ladder, trigger, before, after);
  if (loop.listens()) {
    yield* emitNamed("compaction_completed", {
      trigger,
      before: tokens,
      after,
      freed: tokens - after,
      rungs: new List([...(pass?.plan.rungs ?? [])]),
      retention: retentionValue(pass),
      outcome: changed !== null ? "committed" : end.rolledBack.length > 0 ? "rolled_back" : "nothing",
      duration_ms: duration,
      ...turnFields(loop),
    });
  }
  if (changed !== null) {
    yield* checkpoint(loop, "post_compact");
    if (loop.hooked("PostCompact")) yield* requestHooks("PostCompact", Dict.of(changed), ladderName(ladder));
  }
  if (urgent && after >= ladder.settings.hard * readMeter(loop).budget) endExhausted(loop, ladder, after);
  return changed !== null && loop.work.ending === null;
}

const retentionValue = (pass: Pass | null): Value => {
  if (pass === null || pass.maker === null) return null;
  const { checked, present, recoverable, lost } = pass.retention;
  return Dict.of({ checked, present, recoverable, lost: new List([...lost]) });
};

function probeOf(ladder: LadderOptions, route: Dict): PassInput["probe"] {
  const { probes: count, minRetention } = ladder;
  if (count === 0) return null;
  return (span, summary) =>
    probeSummary({ count, route: probeRoute(ladder, route), minRetention }, span, summary);
}

function passInput(loop: Loop, ladder: LadderOptions, input: LadderInput, focus: string): PassInput {
  const { state, work, conversation } = loop;
  const slot = state.slots.ladder;
  const { summarizer, policy } = ladder;
  const off = work.iteration + 1 < slot.offUntil;
  const maker = summarizer === false || off ? null : summarizer instanceof Callable ? "callback" : "model";
  const route = summarizer instanceof Dict ? summarizer : new Dict();
  const asked = [directives(policy), focus === "" ? "" : `Keep above all: ${focus}`].filter(
    (part) => part !== "",
  );
  return {
    ladder: input,
    strategy: ladder.strategy,
    memory: conversation.ladder,
    people: unheardWords(conversation, input.view),
    asksMaker: () => loop.reached("compaction.summary"),
    maker,
    makerInput: {
      rules: () => askingRules(loop, asked.join("\n")),
      policy: policy?.raw ?? null,
      route,
      callback: summarizer instanceof Callable ? summarizer : null,
      answers: lastAnswers(slot.answers),
      digest: loop.digest,
    },
    minRetention: ladder.minRetention,
    verify: ladder.verify,
    probe: maker === null ? null : probeOf(ladder, route),
    outside: outsideOf(loop),
    message: (parts) => compactedMessage(loop, parts),
    turnOf: (message) => slot.turns.get(message) ?? 0,
  };
}

/** What a turn asks for, as far as a pass asks for it: models, templates, functions of the script. */
type PassTurn<T> = Generator<CompactionAsk, T, unknown>;

const askingRules = (loop: Loop, policy: string): PassTurn<string> =>
  promptText(loop, "agent.summarizer", { policy }) as PassTurn<string>;

function* compactedMessage(loop: Loop, parts: Readonly<Record<string, Value>>): PassTurn<string> {
  const text = yield* promptText(loop, "agent.compaction_message", { ...parts }) as PassTurn<string>;
  if (!speaksInMessage(loop)) return text;
  const said = yield* promptText(loop, "agent.instruction.compacted", {}) as PassTurn<string>;
  return said === "" ? text : `${text}\n${said}`;
}

/** After so many failures in a row the model, or the function, is left alone for a while. */
const maxFailures = 3;
const turnsOff = 20;

function* noteMaker(loop: Loop, { asked }: PassEnd): Turn<void> {
  const slot = loop.state.slots.ladder;
  if (asked === "good") slot.failures = 0;
  if (asked !== "failed" || ++slot.failures < maxFailures) return;
  slot.failures = 0;
  slot.offUntil = loop.work.iteration + 1 + turnsOff;
  yield* intervene(loop, {
    kind: "rollback",
    rule: "summarizer_rests",
    reason: `${maxFailures} summaries in a row were not usable: for ${turnsOff} turns they are made without the summarizer`,
    facts: { failures: maxFailures, until_turn: slot.offUntil },
  });
  if (slot.degraded) return;
  slot.degraded = true;
  if (loop.listens())
    yield* emitNamed("compaction_degraded", { failures: maxFailures, turns: turnsOff, maker: "extractive" });
}

/** When nothing was proposed, or too little: bodies of every age, then everything that is not protected. */
function* lastResort(passing: PassInput, pass: Pass | null): Turn<Pass | null> {
  const { ladder, memory } = passing;
  const limit = ladder.settings.hard * ladder.budget;
  if (pass !== null && pass.after < limit && ladder.trigger !== "context_overflow") return pass;
  if (pass !== null && pass.after <= ladder.settings.target * ladder.budget) return pass;
  const view = pass === null ? ladder.view : viewAfter(ladder.view, pass, memory?.message ?? null);
  const plan = planDirectClear({ ...ladder, view, tokens: pass?.after ?? ladder.tokens });
  if (plan.edits.length === 0 && plan.drop === null) return pass;
  return yield* directPass(passing, pass, plan);
}

function* commitCompaction(
  loop: Loop,
  input: LadderInput,
  pass: Pass,
  trigger: LadderTrigger,
): Turn<Record<string, Value | undefined>> {
  const { conversation, options } = loop;
  loop.reached("compaction.commit");
  const assetId = sourceAssetId(loop.freshId());
  const made: LadderEffect = commitPass(
    conversation,
    input.view,
    pass,
    loop.digest,
    assetId,
    loop.reasoningStays,
  );
  refreshVisible(loop);
  loop.state.slots.compaction.count++;
  const after = readMeter(loop).tokens;
  const { plan, maker, text } = pass;
  const fields = {
    mode: loop.compactionMode,
    reason: trigger,
    strategy: options.compaction?.label ?? ladderLabel,
    engine_strategy: "ladder",
    archived_messages: made.archived,
    new_summary_len: text?.length ?? 0,
    keep_first: 0,
    keep_last: 0,
    estimated_tokens_before: input.tokens,
    estimated_tokens_after: after,
    snapshot_asset_id: assetId,
    ...policyEventFields(options.compaction?.policy ?? null),
  };
  conversation.audit.push({
    kind: "compaction",
    role: "system",
    visibility: "internal",
    text: "Transcript compacted via ladder",
    metadata: Dict.of(fields),
  });
  yield* intervene(loop, {
    kind: "compaction",
    rule: trigger,
    reason: `about ${input.tokens} tokens of ${input.budget} became ${after}`,
    facts: {
      before: input.tokens,
      after,
      budget: input.budget,
      rungs: [...plan.rungs],
      maker,
      summarized: plan.span?.ids.length ?? 0,
      dropped: plan.drop?.ids.length ?? 0,
      version: conversation.plan.version,
    },
    messages: made.changed,
  });
  const { refused } = pass;
  if (refused.length > 0) yield* intervene(loop, refusedEntries(maker, refused));
  const message = text === null ? null : (conversation.ladder?.message ?? null);
  if (message !== null && speaksInMessage(loop)) yield* noteSpoken(loop, message);
  yield* emitCompacted(loop, fields, text ?? "");
  const droppedReminders = conversation.reminders.filter((reminder) => !keepsThroughCompaction(reminder));
  conversation.reminders = conversation.reminders.filter(keepsThroughCompaction);
  yield* reportReminders(loop, droppedReminders, "dropped");
  return fields;
}

/** How much of the budget is to come before the next soft pass: after one that ended above soft, and after two of no use. */
const growth = 0.1;
const growthAfterStrikes = 0.25;

function noteLadderProgress(
  loop: Loop,
  { settings }: LadderOptions,
  trigger: LadderTrigger,
  { tokens, budget }: MeterReading,
  after: number,
): void {
  const slot = loop.state.slots.ladder;
  slot.looked = loop.conversation.log.length;
  slot.entered = Math.max(slot.entered, loop.conversation.log.length);
  slot.strikes = tokens - after < leastFreed * budget ? slot.strikes + 1 : 0;
  const soft = softTokens(loop, settings);
  const share = slot.strikes >= 2 ? growthAfterStrikes : after >= soft ? growth : 0;
  slot.rest = share === 0 ? 0 : Math.ceil(after + share * budget);
  if (trigger !== "context_overflow" && after < soft) slot.pressure = "none";
}

// ── the end ───────────────────────────────────────────────────────────────────────────────────────────────────────

const namedParts = 5;

/** Nothing is left to take: the loop ends, and says what is so large. */
function endExhausted(loop: Loop, ladder: LadderOptions, tokens: number): void {
  const { conversation, state, work, route } = loop;
  const { budget, fixed, factor } = readMeter(loop);
  const sizes = conversation.shown
    .map(({ id, message }) => ({ id, role: message.role, tokens: sizeOf(message, factor) }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, namedParts);
  const parts = [
    `system text and tools ${fixed}`,
    ...sizes.map(({ id, role, tokens: size }) => `${id} (${role}) ${size}`),
  ];
  const max = Math.floor(ladder.settings.hard * budget);
  const message = `the context is exhausted: about ${tokens} tokens, ${max} of a budget of ${budget} can be sent, and nothing is left to take out. Largest parts in tokens: ${parts.join(", ")}`;
  const { provider, model } = route;
  const error = makeModelError({
    category: "generic",
    reason: "context_exhausted",
    message,
    provider,
    model,
  });
  const value = Dict.of({
    category: "context_exhausted",
    message,
    tokens,
    budget,
    fixed,
    parts: new List(sizes.map(({ id, role, tokens: size }) => Dict.of({ message: id, role, tokens: size }))),
  });
  state.failure = { error, afterToolResult: false, budget: null, own: { status: "failed", value } };
  work.ending = { status: "failed", reason: "context_exhausted" };
}

const sizeOf = (message: ModelMessage, factor: number): number =>
  Math.ceil((messageWeight(message) / 4 + 4) * factor);

// ── what a turn leaves behind for later passes ────────────────────────────────────────────────────────────────────

/** The turn in which a message of the model was said. */
// biome-ignore lint/correctness/useYield: it asks nobody.
export function* noteTurn(loop: Loop): Turn<void> {
  const { work, state, options } = loop;
  if ((options.compaction?.ladder ?? null) === null || work.assistant === null) return;
  state.slots.ladder.turns.set(work.assistant.id, work.iteration + 1);
}

/** What tools said of their results: `{pin: true}`, `{durability}`. */
export function* noteResults(loop: Loop): Turn<void> {
  const { work, conversation } = loop;
  if ((loop.options.compaction?.ladder ?? null) === null || work.assistant === null || work.held) return;
  const at = conversation.log.lastIndexOf(work.assistant);
  if (at < 0) return;
  const native = conversation.log[at + 1]?.message.role !== "user";
  const messageAt = (index: number): string => conversation.log[at + 1 + (native ? index : 0)]?.id ?? "";
  for (const [index, outcome] of work.outcomes.entries()) {
    if (outcome?.name === recallName && outcome.ok) noteRecalled(loop, messageAt(index));
    const { result } = outcome ?? { result: null };
    if (!(result instanceof Dict)) continue;
    const said = result.get("durability");
    const pin = result.get("pin") === true;
    if (!pin && typeof said !== "string") continue;
    const key = `${messageAt(index)}/${native ? 0 : index}`;
    conversation.resultNotes.set(key, { pin, durability: typeof said === "string" ? said : null });
  }
}

/** The message with the answer of the oldest recall that has none yet. */
function noteRecalled(loop: Loop, message: string): void {
  const { recalled } = loop.state.slots.ladder;
  const at = recalled.findIndex(({ call }) => call === "");
  if (at >= 0) recalled[at] = { ...(recalled[at] as (typeof recalled)[number]), call: message };
}

/** What a compaction message says that no model wrote. */
const outsideOf = ({ conversation, options }: Loop): { ledger: string; gaps: string } => ({
  ledger: options.workItems?.recite === "never" ? "" : ledgerText(conversation.workItems),
  gaps: gapsText(conversation.contract),
});
