/**
 * Compaction outside of loops: what a pass asks for is done at once, on a child path of the task. `agent_session_compact`, and the
 * ladder over a conversation that is made of a transcript.
 */
import type { Task } from "../../../interp/index.ts";
import { callableOnChild, newId } from "../../../interp/index.ts";
import {
  type Conversation,
  callFields,
  defaultThreshold,
  findAll,
  isCallOption,
  llmCall,
  publishNamed,
  sessionTokens,
} from "../../../model/index.ts";
import { at, meantField, refusal, unknownOption } from "../../../table/index.ts";
import {
  Callable,
  Dict,
  optionsDict,
  ScriptError,
  sha256Hex,
  thrown,
  uncaughtText,
  type Value,
} from "../../../values/index.ts";
import { runSessionHooks } from "../../hooks/index.ts";
import { ladderLabel, ladderName } from "../../options/compaction-loop-options.ts";
import { type CompactionOptions, handOptions } from "../../options/compaction-options.ts";
import { compactionFields, compactionPolicyFields } from "../../options/context-fields.ts";
import { type LadderOptions, ladderKeys, ladderOptionsOf } from "../../options/ladder-options.ts";
import { renderPromptSource } from "../../options/prompt-source.ts";
import {
  type CompactionMode,
  type CompactionReason,
  sourceAssetId,
} from "../../session/compaction-source.ts";
import { gapsText } from "../../session/contract-gaps.ts";
import { interveneOutside } from "../../session/interventions.ts";
import { ledgerText } from "../../session/ledger.ts";
import { emitDroppedReminders } from "../../session/reminders.ts";
import type { SummaryAnswer, TryCallbackAnswer } from "../../state/requests.ts";
import { ladderView } from "../compaction/commit.ts";
import type { CompactionAsk } from "../compaction/library.ts";
import type { PassInput } from "../compaction/pass.ts";
import type { LadderInput } from "../compaction/shown.ts";
import { passInWords, type WordsInput, wordsInputOf } from "../compaction/words.ts";
import { inputBudget, messageWeight, rawTokens } from "../meter.ts";
import { usualPrompt } from "../prompts/catalogue.ts";
import {
  betweenHooks,
  type CommittedPass,
  commitWithRecord,
  type EventFields,
  ladderRecord,
  type PassPlace,
  runNoted,
  wordsRecord,
} from "./record.ts";
import { checkPatterns, namedIn, toolFacts } from "./tool-facts.ts";

/** Something that is done outside of every turn. */
interface Deed {
  readonly kind: "deed";
  readonly perform: () => Promise<unknown>;
}

/** Drives the engine. `summary` is used where a model would be asked. What fails is thrown: the script asked for it. */
export async function performCompaction<T>(
  task: Task,
  caller: string,
  steps: Generator<CompactionAsk | Deed, T, unknown>,
  summary: string | null = null,
): Promise<T> {
  let answer: unknown;
  for (;;) {
    const step = steps.next(answer);
    if (step.done === true) return step.value;
    answer = await performAsk(task, caller, step.value, summary);
  }
}

async function performAsk(
  task: Task,
  caller: string,
  ask: CompactionAsk | Deed,
  summary: string | null,
): Promise<unknown> {
  switch (ask.kind) {
    case "deed":
      return ask.perform();
    case "settle":
      return ask.promise;
    case "callback":
      return callableOnChild(task, ask.callback, ask.args);
    case "try_callback":
      try {
        const value = await callableOnChild(task, ask.callback, ask.args);
        return { ok: true, value } satisfies TryCallbackAnswer;
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        return { ok: false, error: uncaughtText(error) } satisfies TryCallbackAnswer;
      }
    case "template":
      return renderPromptSource(task, ask.source, ask.bindings);
    case "summary": {
      if (summary !== null) return { ok: true, text: summary } satisfies SummaryAnswer;
      const answer = await llmCall(task, caller, { prompt: ask.prompt, system: null, options: ask.options });
      const text = answer.get("visible_text");
      return { ok: true, text: typeof text === "string" ? text : "" } satisfies SummaryAnswer;
    }
  }
}

/** Those entries of an options dict that a model call understands, and that leave it one question with a text for an answer. */
export function callOptionsIn(task: Task, options: Dict): Dict {
  let picked = new Dict();
  for (const [key, value] of options.entries())
    if (isCallOption(task, key) && !callFields.set("more than text").has(key))
      picked = picked.with(key, value);
  return picked;
}

function* nothing(): Generator<never, void, unknown> {}

// biome-ignore lint/correctness/useYield: nobody is asked for words that nobody may override here.
function* saying(text: string): Generator<never, string, unknown> {
  return text;
}

/** A conversation that no loop runs. Hooks and reminders are those of sessions, not of what transcripts hold. */
export function placeByHand(task: Task, conversation: Conversation, mode: CompactionMode): PassPlace<Deed> {
  const { id } = conversation;
  const isSession = mode === "session";
  function* deed<T>(perform: () => Promise<T>): Generator<Deed, T, unknown> {
    return (yield { kind: "deed", perform }) as T;
  }
  return {
    conversation,
    mode,
    *hook(event, fields, subject) {
      if (!isSession) return false;
      return (yield* deed(() => runSessionHooks(task, event, id, fields, subject))).blocked !== null;
    },
    checkpoint: nothing,
    intervene: (made) => deed(() => interveneOutside(task, conversation, made)),
    compacted: (fields) => deed(() => publishNamed(task, id, "transcript_compacted", Dict.of(fields))),
    reminders: (dropped) => (isSession ? deed(() => emitDroppedReminders(task, id, dropped)) : nothing()),
  };
}

// ── sessions ──────────────────────────────────────────────────────────────────────────────────────────────────────

const caller = "agent_session_compact";

/** Gives how many messages are shown afterwards. A `PreCompact` hook that blocks leaves everything as it was. */
export async function sessionCompact(task: Task, conversation: Conversation, input: Value): Promise<number> {
  const asked = optionsDict(caller, input);
  const place = placeByHand(task, conversation, "session");
  const perform = (
    about: { readonly label: string; readonly tokens: number; readonly budget?: number },
    pass: () => ByHand<CommittedPass | null>,
  ): Promise<unknown> => {
    const fields = function* (): ByHand<EventFields | null> {
      return (yield* pass())?.fields ?? null;
    };
    return performCompaction(task, caller, betweenHooks(place, { reason: "manual", ...about }, fields));
  };
  if (asksForLadder(asked)) {
    const ladder = ladderByHand(task, asked, caller);
    const about = { label: ladderName(ladder.options), ...sizeOfView(conversation, ladder.options) };
    await perform(about, () => climbByHand(task, place, ladder));
    return conversation.shown.length;
  }
  const options = sessionOptions(task, asked);
  const tokens = sessionTokens(conversation);
  if (options.threshold === 0 || tokens > options.threshold)
    await perform({ label: options.label, tokens }, () =>
      wordsByHand(task, place, wordsInputOf(conversation, options), "manual"),
    );
  return conversation.shown.length;
}

/** What may be said: knobs of the engine, a host's request, and the fields of a policy. */
const sessionKeys = (): readonly string[] => [
  ...compactionFields.set("session"),
  "compaction_request",
  ...compactionPolicyFields.names(),
];

/** `compaction_request` holds what a host asked for; the script's own options lie over it. */
function sessionOptions(task: Task, input: Dict): CompactionOptions {
  const request = input.get("compaction_request") ?? null;
  if (request !== null && !(request instanceof Dict))
    throw refusal(at(caller, "compaction_request"), "dict", request);
  const dict = (request ?? new Dict()).merge(input.without("compaction_request"));
  const keys = sessionKeys();
  for (const key of dict.keys()) {
    if (!keys.includes(key))
      throw thrown(unknownOption(at(caller), key, meantField(key, keys, "expected one of ")));
  }
  const { read, options } = handOptions(dict, caller);
  return {
    ...options,
    threshold: read.tokenThreshold ?? defaultThreshold,
    llm: callOptionsIn(task, dict),
  };
}

// ── the ladder ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether options ask for the ladder: by its name, or by a key that only it has where no strategy is named. */
export function asksForLadder(options: Dict): boolean {
  const named = options.get("compact_strategy") ?? options.get("strategy") ?? null;
  if (named !== null) return named === ladderLabel || named instanceof Callable;
  return ladderKeys.some((key) => (options.get(key) ?? null) !== null);
}

interface HandLadder {
  readonly options: LadderOptions;
  /** Of the summarizing call. */
  readonly route: Dict;
}

/** The ladder's options of a builtin; those of the summarizing call may stand beside them. */
export function ladderByHand(task: Task, asked: Dict, caller: string): HandLadder {
  const callOptions = callOptionsIn(task, asked);
  const options = ladderOptionsOf(asked, caller, callOptions, "");
  if (options.mustSurvive.functions.length > 0)
    throw thrown(`${caller}: \`must_survive\` takes texts and patterns here; functions are for loops`);
  if (options.tool)
    throw thrown(`${caller}: \`tool\` is for loops: there is no model here that could ask for a pass`);
  checkPatterns(options.mustSurvive, findingAll(task), `${caller}: \`must_survive\``);
  const { summarizer } = options;
  return { options, route: summarizer instanceof Dict ? callOptions.merge(summarizer) : callOptions };
}

/** What is made by hand: it asks, and it does things. */
export type ByHand<T> = Generator<CompactionAsk | Deed, T, unknown>;

/** `null`: there was nothing to take out. */
export function* climbByHand(
  task: Task,
  place: PassPlace<Deed>,
  { options, route }: HandLadder,
): ByHand<CommittedPass | null> {
  const { conversation } = place;
  const input: PassInput = {
    ...{ conversation, options, route },
    ladder: ladderInputOf(task, conversation, options),
    answers: new Map(),
    digest: (text) => sha256Hex(task.runtime.host.crypto, text),
    prompt: (name, bindings) => saying(usualPrompt(name, bindings)),
    outside: { ledger: ledgerText(conversation.workItems), gaps: gapsText(conversation.contract) },
    turnOf: () => 0,
  };
  const { pass } = yield* runNoted(place, input);
  if (pass === null) return null;
  const changed = (): number => sizeOfView(conversation, options).tokens;
  const means = { assetId: sourceAssetId(newId(task)), changed };
  return yield* commitWithRecord(place, pass, ladderRecord(input, pass), means);
}

/** The same with a summary in words. */
export function* wordsByHand(
  task: Task,
  place: PassPlace<Deed>,
  input: WordsInput,
  reason: CompactionReason,
): ByHand<CommittedPass | null> {
  const tokens = sessionTokens(place.conversation);
  const pass = yield* passInWords(input);
  if (pass === null) return null;
  const changed = (): number => sessionTokens(place.conversation);
  const means = { assetId: sourceAssetId(newId(task)), changed };
  return yield* commitWithRecord(place, pass, wordsRecord(input, pass, reason, tokens), means);
}

/** Which route goes on with the session is not known here: what one of them needs back stays. */
const anyRoute = true;

const tokensOf = ({ view }: Conversation): number =>
  rawTokens({
    weight: view.reduce((sum, message) => sum + messageWeight(message), 0),
    messages: view.length,
  });

/** The view by the estimate alone: nobody has counted it, and which window it is for is not known. */
const sizeOfView = (
  conversation: Conversation,
  { maxInputTokens }: LadderOptions,
): { tokens: number; budget: number } => ({
  tokens: tokensOf(conversation),
  budget: inputBudget({ window: null, maxTokens: null, maxInputTokens }),
});

const findingAll =
  (task: Task) =>
  (pattern: string, text: string): readonly string[] =>
    findAll(task.runtime, pattern, text);

function ladderInputOf(task: Task, conversation: Conversation, ladder: LadderOptions): LadderInput {
  const view = ladderView(conversation);
  return {
    view,
    task: conversation.task?.id ?? null,
    trigger: "manual",
    ...sizeOfView(conversation, ladder),
    factor: 1,
    settings: ladder.settings,
    reasoningStays: anyRoute,
    ...toolFacts({
      conversation,
      view,
      tools: new Map(),
      rules: ladder.durability,
      recalled: new Set(),
      treasured: new Set(),
    }),
    survivors: (_message, text) => [...new Set(namedIn(ladder.mustSurvive, findingAll(task), text))],
  };
}
