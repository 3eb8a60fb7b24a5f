/** Passes in a turn of the loop: what they are given of it, what becomes of them, and how the loop ends when nothing is left to take. */
import { typedEvent } from "../../../events/index.ts";
import {
  type LoggedMessage,
  type ModelMessage,
  makeModelError,
  sessionTokens,
} from "../../../model/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../../values/index.ts";
import { ladderName } from "../../options/compaction-loop-options.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import type { LadderOptions } from "../../options/ladder-options.ts";
import { type CompactionReason, sourceAssetId } from "../../session/compaction-source.ts";
import { gapsText } from "../../session/contract-gaps.ts";
import { noteIntervention } from "../../session/interventions.ts";
import { ledgerText } from "../../session/ledger.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import {
  emit,
  emitNamed,
  requestHooks,
  requestTime,
  type Turn,
  type TurnRequest,
} from "../../state/requests.ts";
import { turnFields } from "../../state/turn-fields.ts";
import { checkpoint } from "../checkpoint.ts";
import { commitPass, ladderView } from "../compaction/commit.ts";
import type { ViewMessage } from "../compaction/exchanges.ts";
import type { Asking } from "../compaction/library.ts";
import {
  type Pass,
  type PassEnd,
  type PassInput,
  type PassPrompt,
  saidMessage,
  withoutSummary,
} from "../compaction/pass.ts";
import { librarySteps, planLadder } from "../compaction/planner.ts";
import {
  isUrgent,
  type LadderInput,
  type LadderTrigger,
  leastFreed,
  sizeOfWeight,
} from "../compaction/shown.ts";
import { passInWords, wordsInputOf } from "../compaction/words.ts";
import { noteSpoken, speaksInMessage } from "../jit/compacted.ts";
import { messageWeight } from "../meter.ts";
import { type MeterReading, meterOf, softTokens } from "../metering.ts";
import { promptText } from "../prompts/overrides.ts";
import { reportReminders } from "../reminders.ts";
import { refreshVisible } from "../visible-tools.ts";
import {
  betweenHooks,
  commitWithRecord,
  type EventFields,
  ladderRecord,
  type PassPlace,
  runNoted,
  wordsRecord,
} from "./record.ts";
import { namedIn, toolFacts, writtenCallsIn } from "./tool-facts.ts";

// ── the loop as a place ───────────────────────────────────────────────────────────────────────────────────────────

const placeInLoop = (loop: Loop): PassPlace<TurnRequest> => ({
  conversation: loop.conversation,
  mode: loop.compactionMode,
  *hook(event, fields, subject) {
    if (!loop.hooked(event)) return false;
    return ((yield* requestHooks(event, fields, subject))?.blocked ?? null) !== null;
  },
  checkpoint: (name) => checkpoint(loop, name),
  intervene: (made) => intervene(loop, made),
  compacted: (fields, summary) => noteCompaction(loop, fields, summary),
  reminders: (dropped) => reportReminders(loop, dropped, "dropped"),
});

/** For scripts as ever, for logs with the summary and with what was carried over. */
function* noteCompaction(loop: Loop, fields: EventFields, summary: string): Turn<void> {
  const { conversation, options, state } = loop;
  const message = options.ladder === null || summary === "" ? null : conversation.ladder?.message;
  if (message != null && speaksInMessage(loop)) yield* noteSpoken(loop, message);
  const name = "transcript_compacted";
  const listed = "context_compaction";
  const [type, data] = typedEvent({ name, fields: Dict.of(fields), live: true, listed });
  if (type !== "context.compacted") return yield* emit(type, data);
  // Context providers of the program: what they give stands in every request.
  const pinned = options.providers
    .filter(({ kind, id }) => kind === "own" && (state.slots.provided.get(id)?.text ?? "") !== "")
    .map(({ id }) => id);
  const { length: kept } = conversation.shown;
  yield* emit(type, { ...data, kept, summary, pinned, cut: cutAmongLast(loop) });
}

/** Of the messages that should have stayed byte for byte (`keep_messages`): those that were too large for the window alone. */
function cutAmongLast({ options, conversation }: Loop): string[] {
  const last = options.ladder?.settings.keepMessages ?? 0;
  if (last === 0) return [];
  const { actions } = conversation.plan;
  return conversation.shown
    .slice(-last)
    .filter(({ id }) => actions[id] === "clear" || actions[id] === "externalize")
    .map(({ id }) => id);
}

/** A pass whose summary is in words. Gives whether anything went. */
export function* compactInLoop(
  loop: Loop,
  options: CompactionOptions,
  reason: CompactionReason,
): Turn<boolean> {
  const { conversation } = loop;
  const place = placeInLoop(loop);
  const pass = function* (): Turn<EventFields | null> {
    const before = sessionTokens(conversation);
    const input = wordsInputOf(conversation, options);
    const made = yield* passInWords(input);
    if (made === null) return null;
    const changed = (archived: number): number => {
      loop.state.slots.compaction.count++;
      const after = sessionTokens(conversation);
      // The event tells it: here it is noted for those who ask why.
      noteIntervention(conversation, loop.work.iteration + 1, {
        kind: "compaction",
        rule: reason,
        reason: `${archived} messages went out of view (${made.words?.engine})`,
        facts: { before, after, plan_version: conversation.plan.version },
        messages: conversation.plan.summarization_records.slice(-1).map((one) => one.summary_message_id),
      });
      return after;
    };
    const means = { assetId: sourceAssetId(loop.freshId()), changed };
    return (yield* commitWithRecord(place, made, wordsRecord(input, made, reason, before), means)).fields;
  };
  const occasion = { reason, label: options.label, tokens: sessionTokens(conversation) };
  return (yield* betweenHooks(place, occasion, pass)) !== null;
}

// ── the ladder ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A result over a quarter of the budget enters the view as head and tail; the log has all of it. */
export function* enterLarge(loop: Loop, ladder: LadderOptions): Turn<void> {
  const { conversation, state } = loop;
  const slot = state.slots.ladder;
  const added = conversation.log.length - slot.entered;
  slot.entered = conversation.log.length;
  if (added <= 0) return;
  const { shown } = conversation;
  const from = Math.max(0, shown.length - added);
  const { budget, factor } = meterOf(loop);
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
  const plan = planLadder(input, librarySteps("large_results", input, from));
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
  const { budget, factor, fixed } = meterOf(loop);
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
  const { tokens, budget, factor } = meterOf(loop);
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

/** Gives whether the view has changed. */
export function* climb(loop: Loop, ladder: LadderOptions, trigger: LadderTrigger, focus = ""): Turn<boolean> {
  const urgent = isUrgent(trigger);
  const { tokens, budget } = meterOf(loop);
  const occasion = { reason: trigger, label: ladderName(ladder), tokens, budget, urgent };
  let made = false;
  const pass = function* (): Turn<EventFields | null> {
    const fields = yield* climbOnce(loop, ladder, trigger, focus);
    made = true;
    return fields;
  };
  const changed = yield* betweenHooks(placeInLoop(loop), occasion, pass);
  if (!made) return false;
  const after = changed === null ? tokens : meterOf(loop).tokens;
  if (urgent && after >= ladder.settings.hard * meterOf(loop).budget) endExhausted(loop, ladder, after);
  return changed !== null && loop.work.ending === null;
}

function* climbOnce(
  loop: Loop,
  ladder: LadderOptions,
  trigger: LadderTrigger,
  focus: string,
): Turn<EventFields | null> {
  const before = meterOf(loop);
  const { tokens, budget } = before;
  const place = placeInLoop(loop);
  if (loop.listens())
    yield* emitNamed("compaction_started", { trigger, tokens, budget, ...turnFields(loop) });
  const started = yield* requestTime();
  loop.reached("compaction.plan");
  const input = ladderInput(loop, ladder, trigger);
  yield* askSurvivors(loop, ladder, input.view);
  const passing = passInLoop(loop, ladder, input, focus);
  const end = yield* runNoted(place, passing);
  yield* noteMaker(loop, end);
  const { pass } = end;
  const duration = (yield* requestTime()) - started;
  const changed = pass === null ? null : yield* commitInLoop(loop, passing, pass);
  const after = changed === null ? tokens : meterOf(loop).tokens;
  noteLadderProgress(loop, ladder, trigger, before, after);
  if (loop.listens())
    yield* emitNamed("compaction_completed", {
      ...{ trigger, before: tokens, after, freed: tokens - after },
      rungs: new List([...(pass?.plan.rungs ?? [])]),
      retention: retentionValue(pass),
      outcome: changed !== null ? "committed" : end.rolledBack.length > 0 ? "rolled_back" : "nothing",
      duration_ms: duration,
      ...turnFields(loop),
    });
  return changed;
}

const retentionValue = (pass: Pass | null): Value => {
  if (pass === null || pass.maker === null) return null;
  const { checked, present, recoverable, lost } = pass.retention;
  return Dict.of({ checked, present, recoverable, lost: new List([...lost]) });
};

function passInLoop(loop: Loop, ladder: LadderOptions, input: LadderInput, focus: string): PassInput {
  const { state, work, conversation, options } = loop;
  const slot = state.slots.ladder;
  return {
    ...{ conversation, options: ladder, ladder: input, focus },
    asksMaker: () => loop.reached("compaction.summary"),
    rests: work.iteration + 1 < slot.offUntil,
    route: ladder.summarizer instanceof Dict ? ladder.summarizer : new Dict(),
    answers: slot.answers,
    digest: loop.digest,
    // What a compaction message says that no model wrote.
    outside: {
      ledger: options.workItems?.recite === "never" ? "" : ledgerText(conversation.workItems),
      gaps: gapsText(conversation.contract),
    },
    prompt: (name, bindings) => passPrompt(loop, name, bindings),
    turnOf: (message) => slot.turns.get(message) ?? 0,
  };
}

function* passPrompt(
  loop: Loop,
  name: PassPrompt,
  bindings: Readonly<Record<string, Value>>,
): Asking<string> {
  const text = yield* promptText(loop, name, bindings) as Asking<string>;
  if (name === "agent.summarizer" || !speaksInMessage(loop)) return text;
  const said = yield* promptText(loop, "agent.instruction.compacted", {}) as Asking<string>;
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

function* commitInLoop(loop: Loop, input: PassInput, pass: Pass): Turn<EventFields> {
  loop.reached("compaction.commit");
  const { plan } = pass;
  const record = ladderRecord(input, pass, () => ({
    summarized: plan.span?.ids.length ?? 0,
    dropped: plan.drop?.ids.length ?? 0,
    version: loop.conversation.plan.version,
  }));
  const changed = (): number => {
    refreshVisible(loop);
    loop.state.slots.compaction.count++;
    return meterOf(loop).tokens;
  };
  const assetId = sourceAssetId(loop.freshId());
  return (yield* commitWithRecord(placeInLoop(loop), pass, record, { assetId, changed })).fields;
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
  const { budget, fixed, factor } = meterOf(loop);
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
  Math.ceil(sizeOfWeight(messageWeight(message), factor));
