/**
 * A pass whose summary is in words: `truncate`, `observation_mask`, a model's summary, a function's. `std/agent/compaction` decides it
 * (`pass_in_words`). The task of a conversation (the message of a person that opens it) is never archived: the summary follows it;
 * a caller by hand may say otherwise (`keep_first: 0`).
 */
import {
  type Conversation,
  cleanVisibleText,
  type LoggedMessage,
  messageChars,
  tokensOf,
} from "../../../model/index.ts";
import { Dict, List, textField, thrown, typeOf, type Value } from "../../../values/index.ts";
import type { CompactionOptions } from "../../options/compaction-options.ts";
import { directives, visibleDirectives } from "../../options/compaction-policy.ts";
import type { EngineStrategy } from "../../options/context-fields.ts";
import type { SummaryAnswer } from "../../state/requests.ts";
import { ladderView } from "./commit.ts";
import type { ViewMessage } from "./exchanges.ts";
import { type Asking, callLibrary, natives, runLibrary } from "./library.ts";
import { type Maker, type Pass, withoutSummary } from "./pass.ts";
import { type LadderPlan, planSteps } from "./planner.ts";
import { stepsIn, strategyDict } from "./strategy.ts";

/** Messages that a pass in words is made for. */
export interface WordsView {
  readonly view: readonly ViewMessage[];
  /** The running loop's prompt: it stays in view. */
  readonly task: string | null;
}

export interface WordsInput extends WordsView {
  readonly options: CompactionOptions;
  /** Those that wait to be told. */
  readonly reminders: readonly Dict[];
  /** A message as scripts see it. */
  readonly valueFor: (id: string) => Value;
}

/** What a conversation shows. */
export const viewOf = (conversation: Conversation): WordsView => ({
  view: ladderView(conversation),
  task: conversation.task?.id ?? null,
});

export const wordsInputOf = (conversation: Conversation, options: CompactionOptions): WordsInput => {
  const shown = new Map(conversation.shown.map((logged) => [logged.id, logged]));
  const valueFor = (id: string): Value => conversation.value(shown.get(id) as LoggedMessage);
  return { ...viewOf(conversation), options, reminders: conversation.reminders, valueFor };
};

/** What of the options a strategy decides by. */
interface KeepOptions extends Pick<CompactionOptions, "keepFirst" | "keepLast" | "unpinned"> {
  readonly threshold?: number | null;
  readonly hardLimit?: number | null;
  readonly toolOutputMaxChars?: number | null;
}

/** Messages and room as the strategies are given them. */
function shownInWords({ view, task }: WordsView, options: KeepOptions): [List, Dict] {
  const opening = options.unpinned === true ? -1 : openingOf(view);
  const messages = view.map((one, at) => strategyDict(one, at, one.id === task || at === opening));
  const room = Dict.of({
    tokens: tokensOf(view.reduce((sum, { message }) => sum + messageChars(message), 0)),
    soft: options.threshold ?? 0,
    hard: options.hardLimit ?? null,
    keep_first: options.keepFirst,
    keep_last: options.keepLast,
    task: opening,
    result_chars: options.toolOutputMaxChars ?? 0,
  });
  return [new List(messages), room];
}

/** A function of the library about messages and room. */
export const askedInWords = (
  name: "archivable" | "question_about",
  view: WordsView,
  options: KeepOptions,
  ...more: readonly Value[]
): Dict => callLibrary(name, ...shownInWords(view, options), ...more) as Dict;

/**
 * Where the task stands: the message of a person that opens the conversation, whatever the runtime said before it. -1 where a
 * model or a tool spoke first, and where an earlier summary is all that is left of it.
 */
function openingOf(view: readonly ViewMessage[]): number {
  const at = view.findIndex(({ message, origin }) => message.role !== "system" && origin.by !== "runtime");
  const first = view[at];
  return first?.message.role === "user" && first.origin.by === "person" ? at : -1;
}

/** `null`: there is nothing to do. */
export function* passInWords(input: WordsInput): Asking<Pass | null> {
  const { view, options } = input;
  const { policy, strategy, hardStrategy } = options;
  const [messages, room] = shownInWords(input, options);
  const plans: LadderPlan[] = [];
  const host = (ask: Value): Dict =>
    Dict.of({
      ask,
      ...natives({
        plan: (steps) => plans.push(planSteps({ ...singly, view }, stepsIn(steps as Value))) - 1,
        length: (text) => (text as string).length,
        tokens: (at, text) =>
          tokensOf(charsAfter(view, plans[at as number] as LadderPlan) + (text as string).length),
      }),
    });
  const given = Dict.of({
    messages,
    room,
    strategy,
    hard_strategy: hardStrategy,
    directives: directives(policy),
    replaces: policy?.mode === "replace",
    visible: visibleDirectives(policy),
  });
  const made = yield* runLibrary(
    "pass_in_words",
    (ask) => [host(ask), given],
    (asked) => answerInWords(input, asked),
  );
  if (!(made instanceof Dict)) return null;
  const plan = plans[made.get("plan") as number] as LadderPlan;
  const engine = made.get("engine") as CompactionOptions["strategy"];
  const behind = made.get("behind") as string | null;
  const words = { engine, behind, overHardLimit: made.get("over") === true };
  return { ...withoutSummary(plan), text: textField(made, "text"), maker: makers[engine], words };
}

const makers = {
  llm: "model",
  custom: "callback",
  truncate: "extractive",
  observation_mask: "extractive",
} as const satisfies Readonly<Record<EngineStrategy, Maker>>;

/** Each message goes by itself: the strategies pair calls and results. */
const singly = {
  ...{ task: null, tokens: Number.POSITIVE_INFINITY, factor: 1, budget: 0, isSingle: true },
  durability: () => ({ class: "non_replayable" as const, keep: [] }),
  isWriting: () => false,
};

function charsAfter(view: readonly ViewMessage[], { span, drop, edits }: LadderPlan): number {
  const gone = new Set([...(span?.ids ?? []), ...(drop?.ids ?? [])]);
  const edited = new Map(edits.map(({ id, message }) => [id, message]));
  return view.reduce(
    (sum, { id, message }) => (gone.has(id) ? sum : sum + messageChars(edited.get(id) ?? message)),
    0,
  );
}

// ── what is asked of others ───────────────────────────────────────────────────────────────────────────────────────────

function* answerInWords({ options, reminders, valueFor }: WordsInput, asked: Dict): Asking<Value> {
  const { maskCallback, compressCallback, toolOutputMaxChars } = options;
  const archived = (): List =>
    new List([...((asked.get("ids") as List | undefined) ?? [])].map((id) => valueFor(id as string)));
  switch (asked.get("kind")) {
    case "compress": {
      if (compressCallback === null) return textField(asked, "text");
      const message = asked.get("message") as Dict;
      const about = { tool_name: textField(message, "tool"), output: textField(message, "text") };
      const args = [Dict.of({ ...about, max_chars: toolOutputMaxChars })];
      const shorter = (yield { kind: "callback", callback: compressCallback, args }) as Value;
      if (typeof shorter === "string") return shorter;
      throw thrown(`compress_callback must return a string; got ${typeOf(shorter)}`);
    }
    case "mask": {
      if (maskCallback === null) return new List([]);
      const masks = (yield { kind: "callback", callback: maskCallback, args: [archived()] }) as Value;
      if (masks === null) return new List([]);
      if (!(masks instanceof List))
        throw thrown(`mask_callback must return a list or nil; got ${typeOf(masks)}`);
      return new List(masks.toArray().map((text) => (typeof text === "string" ? text : null)));
    }
    case "compactor":
      return yield* askCompactor(options, archived(), reminders);
    default:
      return yield* askForSummary(options, asked);
  }
}

function* askForSummary(
  { summarizePrompt: source, llm: options }: CompactionOptions,
  asked: Dict,
): Asking<string> {
  const archived_count = (asked.get("count") as number | undefined) ?? 0;
  const bindings = Dict.of({ formatted: textField(asked, "formatted"), archived_count });
  const prompt =
    source === null ? textField(asked, "usual") : ((yield { kind: "template", source, bindings }) as string);
  const said = (yield { kind: "summary", prompt, options }) as SummaryAnswer;
  return said.ok ? cleanVisibleText(said.text) : "";
}

function* askCompactor(
  { customCompactor: callback, policy }: CompactionOptions,
  archived: List,
  reminders: readonly Dict[],
): Asking<string> {
  if (callback === null) throw thrown("compact_callback is required when compact_strategy is 'custom'");
  const more = [new List([...reminders]), ...(policy === null ? [] : [policy.raw])];
  const args = [archived, ...more].slice(0, Math.max(1, callback.params.length));
  const answered = (yield { kind: "callback", callback, args }) as Value;
  const text =
    answered instanceof Dict ? (answered.get("summary") ?? answered.get("text") ?? null) : answered;
  if (text === null) return "";
  if (typeof text === "string") return text;
  throw thrown(`compact_callback must return a string or a dict with \`summary\`; got ${typeOf(answered)}`);
}
