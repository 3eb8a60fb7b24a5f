/**
 * One pass of the ladder, up to what is to be committed. `std/agent/compaction` decides it (`pass`); here is what it asks of the
 * runtime: plans, questions to models and functions, and looks for what was promised.
 */

import type { NativeCallable } from "../../../interp/index.ts";
import type { Conversation, LadderMemory, Retention } from "../../../model/index.ts";
import { bm25Words, messageText, noMemory } from "../../../model/index.ts";
import {
  Callable,
  Dict,
  Float,
  fromJson,
  List,
  ScriptError,
  textField,
  textOf,
  thrown,
  toJson,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { directives } from "../../options/compaction-policy.ts";
import type { EngineStrategy } from "../../options/context-fields.ts";
import type { LadderOptions } from "../../options/ladder-options.ts";
import type { SummaryAnswer, TryCallbackAnswer } from "../../state/requests.ts";
import { exactParts, identifiersIn } from "../exact-words.ts";
import { textWeight } from "../meter.ts";
import { type Anchor, checkSummary } from "./anchors.ts";
import { deltaSchema, jsonOfAnswer, parseDelta } from "./delta.ts";
import type { ViewMessage } from "./exchanges.ts";
import { type Asking, natives, runLibrary } from "./library.ts";
import { briefArguments, headAndTail } from "./notes.ts";
import { type LadderInput, type LadderPlan, planLadder, wholeMessageText } from "./planner.ts";
import { groupsOfView, ladderMessages, ladderRoom, leastFreed, sizeOfWeight, summaryCap } from "./shown.ts";
import { stepsIn } from "./strategy.ts";
import type { RefusedEntry } from "./summaries.ts";

/** Whose words a summary is made of. */
export type Maker = "model" | "callback" | "extractive";

/** What a pass is given by whoever makes it: a loop, or a builtin by hand. */
export interface PassInput {
  readonly ladder: LadderInput;
  readonly options: LadderOptions;
  readonly conversation: Conversation;
  /** Of the summarizing call: what is said of it besides the options' own. */
  readonly route: Dict;
  /** The summarizer is left alone for a while. */
  readonly rests?: boolean;
  /** What must be kept above all. */
  readonly focus?: string;
  /** Good answers of summarizers, by what was asked; the oldest go. */
  readonly answers: Map<string, string>;
  readonly digest: (text: string) => string;
  readonly prompt: (name: PassPrompt, bindings: Readonly<Record<string, Value>>) => Asking<string>;
  /** What stands in the compaction message besides the entries. Texts, "" for nothing. */
  readonly outside: { readonly ledger: string; readonly gaps: string };
  /** The turn in which a message was said; 0 when nobody knows. */
  readonly turnOf: (message: string) => number;
  /** Called whenever a maker is about to be asked. */
  readonly asksMaker?: () => void;
}

export type PassPrompt = "agent.summarizer" | "agent.compaction_message";

export interface Pass {
  readonly plan: LadderPlan;
  /** The compaction message; `null`: none is needed, or the one there is stays. */
  readonly text: string | null;
  readonly memory: LadderMemory | null;
  readonly maker: Maker | null;
  readonly refused: readonly RefusedEntry[];
  readonly retention: Retention;
  /** Estimate after it; of the ladder alone. */
  readonly after: number;
  /** Of a summary in words: the strategy that made it first, and the message behind which it stands (`null`: before all). */
  readonly words: {
    readonly engine: EngineStrategy;
    readonly behind: string | null;
    readonly overHardLimit: boolean;
  } | null;
}

export interface PassEnd {
  /** `null`: nothing is worth a change of the view. */
  readonly pass: Pass | null;
  readonly rolledBack: readonly {
    readonly maker: Maker;
    readonly reason: string;
    readonly messages: number;
  }[];
  /** Why the steps of the script's own strategy were not carried out; `null`: they were, or there is none. */
  readonly refused: string | null;
  /** Whether the model or the function of the script was asked, and how it did. */
  readonly asked: "unasked" | "good" | "failed";
}

const nothingChecked: Retention = { checked: 0, present: 0, recoverable: 0, lost: [] };

/** A pass that changes bodies only: what the compaction message says stays. */
export const withoutSummary = (plan: LadderPlan): Pass => ({
  ...{ plan, text: null, memory: null, maker: null, refused: [], retention: nothingChecked },
  ...{ after: plan.predicted, words: null },
});

export function* runPass(input: PassInput): Asking<PassEnd> {
  return yield* new PassHost(input).run();
}

/** What `pass` of the library gives. */
interface PassSaid extends Pick<PassEnd, "refused" | "asked"> {
  readonly pass:
    | (Omit<Pass, "plan" | "refused" | "retention" | "words"> & {
        readonly plan: number;
        readonly refused_entries: Pass["refused"];
        readonly retention: Retention | null;
      })
    | null;
  readonly rolled_back: PassEnd["rolledBack"];
}

/** What `pass` of the library bounds a plan by. */
interface PlanLimits {
  readonly summarizes: boolean;
  readonly most: number | null;
  readonly summary?: number;
}

const maxAnswers = 100;

class PassHost {
  private readonly input: PassInput;
  private readonly memory: LadderMemory;
  /** Who is asked first; `null`: nobody. */
  private readonly maker: "model" | "callback" | null;
  private readonly plans: LadderPlan[] = [];
  private readonly priorTokens: number;

  constructor(input: PassInput) {
    this.input = input;
    const { summarizer } = input.options;
    this.maker =
      summarizer === false || input.rests === true
        ? null
        : summarizer instanceof Callable
          ? "callback"
          : "model";
    this.memory = input.conversation.ladder ?? noMemory;
    const shown = input.ladder.view.find(({ id }) => id === this.memory.message);
    this.priorTokens = shown === undefined ? 0 : this.sizeOf(wholeMessageText(shown.message));
  }

  *run(): Asking<PassEnd> {
    const { input } = this;
    const { ladder } = input;
    const { strategy, policy, minRetention, probes, verify } = input.options;
    const cap = summaryCap(ladder.budget);
    const given = Dict.of({
      messages: ladderMessages(ladder),
      room: ladderRoom(ladder),
      own: strategy !== null,
      memory: fromJson(this.memory),
      people: this.said(unheardWords(input.conversation, ladder.view)),
      maker: this.maker,
      policy: policy?.raw ?? null,
      min_retention: new Float(minRetention),
      probes,
      verifies: verify !== null,
      cap,
      weight: new Float((cap * 4) / ladder.factor),
      outside: Dict.of(input.outside),
      least: new Float(leastFreed * ladder.budget),
    });
    const made = yield* runLibrary(
      "pass",
      (ask) => [this.host(ask), given],
      (asked) => this.answer(asked),
    );
    const { pass, rolled_back: rolledBack, refused, asked } = toJson(made) as never as PassSaid;
    if (pass === null) return { pass, rolledBack, refused, asked };
    const { plan, refused_entries, retention, ...rest } = pass;
    const whole = { ...rest, plan: this.plans[plan] as LadderPlan, refused: refused_entries };
    return {
      pass: { ...whole, retention: retention ?? nothingChecked, words: null },
      rolledBack,
      refused,
      asked,
    };
  }

  private sizeOf(text: string): number {
    return sizeOfWeight(textWeight(text), this.input.ladder.factor);
  }

  // ── what is asked of others ─────────────────────────────────────────────────────────────────────────────────────

  private *answer(request: Dict): Asking<Value> {
    const { input } = this;
    const { options, route, focus = "" } = input;
    const prompt = textField(request, "prompt");
    const args = (request.get("args") as List | undefined)?.toArray() ?? [];
    switch (request.get("kind")) {
      case "rules": {
        const wanted = [directives(options.policy), focus === "" ? "" : `Keep above all: ${focus}`];
        const rules = yield* input.prompt("agent.summarizer", {
          policy: wanted.filter((part) => part !== "").join("\n"),
        });
        return `${rules}\n\nSCHEMA:\n${JSON.stringify(deltaSchema)}`;
      }
      case "message":
        return yield* input.prompt("agent.compaction_message", bindingsOf(request.get("bindings")));
      case "strategy":
        return yield* triedCallback(options.strategy, args);
      case "summarizer": {
        const said = yield* triedCallback(options.summarizer as Callable, args);
        const value = said.get("value") ?? null;
        if (value === null || typeof value === "string" || value instanceof Dict) return said;
        throw thrown(`compaction.summarizer must return a dict, a string or nil; got ${typeOf(value)}`);
      }
      case "verify":
        return (yield { kind: "callback", callback: options.verify as Callable, args }) as Value;
      case "probe":
        return yield* askedOfModel(
          prompt,
          options.probeModel === null ? route : route.with("model", options.probeModel),
        );
      default:
        return yield* askedOfModel(prompt, route);
    }
  }

  // ── what is looked up and measured ──────────────────────────────────────────────────────────────────────────────

  private host(ask: NativeCallable): Dict {
    const { input } = this;
    const keyOf = (question: Value): string => input.digest(JSON.stringify([question, String(input.route)]));
    return Dict.of({
      ask,
      prior_tokens: new Float(this.priorTokens),
      ...natives({
        plan: (steps, limits) => this.plan(steps as List, limits as Dict),
        why_unreadable: (steps) => this.whyUnreadable(steps as Value),
        groups: (ids) => this.groups(ids as List),
        said: (ids) => this.said(this.among(ids as List)),
        size: (text) => new Float(this.sizeOf(text as string)),
        asks_maker: () => {
          input.asksMaker?.();
          return null;
        },
        known_answer: (question) => input.answers.get(keyOf(question as Value)) ?? null,
        keep_answer: (question, answer) => {
          const key = keyOf(question as Value);
          input.answers.delete(key);
          input.answers.set(key, answer as string);
          for (const oldest of input.answers.keys()) {
            if (input.answers.size <= maxAnswers) break;
            input.answers.delete(oldest);
          }
          return null;
        },
        json: (text) => fromJson(jsonOfAnswer(text as string) ?? null),
        delta: (value) => parseDelta(value as Value),
        ends: (text, each, ref) => headAndTail(text as string, each as number, ref as string),
        exact_parts: (text) => new List(exactParts(text as string)),
        names: (text) => new List(identifiersIn(text as string)),
        check: (text, anchors, least) =>
          fromJson(
            checkSummary(
              text as string,
              toJson(anchors as Value) as never as Anchor[],
              Number(toJson(least as Value)),
            ),
          ),
        alike: (a, b) => new Float(tokenSetRatio(a as string, b as string)),
      }),
    });
  }

  private plan(steps: List, limits: Dict): Dict {
    const { priorTokens } = this;
    const { ladder } = this.input;
    const {
      summarizes,
      most: maxGroups,
      summary: summaryTokens = null,
    } = toJson(limits) as never as PlanLimits;
    const bounds = { priorTokens, summarizes, maxGroups, summaryTokens };
    const plan = planLadder({ ...ladder, ...bounds }, stepsIn(steps));
    this.plans.push(plan);
    const { span, drop, edits, before, edited, predicted, survivors } = plan;
    return Dict.of({
      at: this.plans.length - 1,
      span:
        span === null
          ? null
          : Dict.of({ ids: new List([...span.ids]), text: span.text, tokens: new Float(span.tokens) }),
      drop: drop === null ? null : Dict.of({ ids: new List([...drop.ids]), tokens: new Float(drop.tokens) }),
      edits: edits.length,
      ...{ before, edited: new Float(edited), predicted },
      survivors: fromJson(survivors),
    });
  }

  /** Why a value is no list of steps; `null`: it is one. */
  private whyUnreadable(value: Value): string | null {
    try {
      stepsIn(value);
      return null;
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return textOf(error.value);
    }
  }

  /** In the order in which it was said. */
  private among(ids: List): ViewMessage[] {
    const named = new Set<Value>(ids);
    return this.input.ladder.view.filter(({ id }) => named.has(id));
  }

  private readonly said = (messages: readonly ViewMessage[]): List => new List(messages.map(saidMessage));

  /** Whole groups of the view, as they were said. */
  private groups(ids: List): List {
    const { view, written, isWriting } = this.input.ladder;
    const named = new Set<Value>(ids);
    const groups = groupsOfView(this.input.ladder).filter(({ from }) =>
      named.has((view[from] as ViewMessage).id),
    );
    return new List(
      groups.map(({ kind, from, to, bodies }) => {
        const { id, original } = view[from] as ViewMessage;
        const results = bodies.map((body): Value => {
          const { tool, ok, said: text, args, at } = body;
          const message = (view[at] as ViewMessage).id;
          const paths = new List([...written(body)]);
          return Dict.of({
            tool,
            ok,
            text,
            args: briefArguments(args),
            message,
            writes: isWriting(body),
            written: paths,
          });
        });
        return Dict.of({
          ...{ kind, turn: this.input.turnOf(id), results: new List(results) },
          ids: new List(view.slice(from, to).map((one) => one.id)),
          text: kind === "person" ? messageText(original) : "",
        });
      }),
    );
  }
}

/** What people said, of what is in view, that no model or function which summarizes was shown yet. */
function unheardWords({ log, plan }: Conversation, view: readonly ViewMessage[]): ViewMessage[] {
  const people = view.filter(({ origin }) => origin.by === "person");
  const record = plan.summarization_records.findLast(({ maker }) => maker !== "extractive");
  if (record === undefined || people.length === 0) return people;
  // Those that were said before the summary.
  const known = new Set<string>();
  for (const { id } of log) {
    if (id === record.summary_message_id) break;
    known.add(id);
  }
  return people.filter(({ id }) => !known.has(id));
}

/** A message as it was said, for whoever looks at what leaves. */
export const saidMessage = ({ id, original, origin }: ViewMessage): Dict =>
  Dict.of({ id, role: original.role, by: origin.by, text: wholeMessageText(original) });

const bindingsOf = (value: Value | undefined): Record<string, Value> =>
  Object.fromEntries((value as Dict).entries());

function* triedCallback(callback: Callable | null, args: readonly Value[]): Asking<Dict> {
  return Dict.of({
    ...((yield { kind: "try_callback", callback: callback as Callable, args }) as TryCallbackAnswer),
  });
}

function* askedOfModel(prompt: string, route: Dict): Asking<Dict> {
  const options = route.with("response_format", "json");
  return Dict.of({ ...((yield { kind: "summary", prompt, options }) as SummaryAnswer) });
}

/** How much of the words of the shorter text the other has, 0 … 1. */
function tokenSetRatio(a: string, b: string): number {
  const left = new Set(bm25Words(a));
  const right = new Set(bm25Words(b));
  if (left.size === 0 || right.size === 0) return left.size === right.size ? 1 : 0;
  return [...left].filter((word) => right.has(word)).length / Math.min(left.size, right.size);
}

/** What leaves the view with a pass: with a new compaction message the earlier one, too. */
export const goneBy = (
  { span, drop }: LadderPlan,
  text: string | null,
  earlier: string | null,
): Set<string> =>
  new Set([
    ...(span?.ids ?? []),
    ...(drop?.ids ?? []),
    ...(text === null || earlier === null ? [] : [earlier]),
  ]);

/**
 * After which message of the view the compaction message stands: the last that left. Before everything (`null`) where
 * what is left would not begin with a message of the user's.
 */
export function placeOfSummary(view: readonly ViewMessage[], gone: ReadonlySet<string>): string | null {
  const last = view.findLastIndex(({ id }) => gone.has(id));
  const first = view.find(({ id }) => !gone.has(id));
  if (first?.message.role !== "user") return null;
  return view[last]?.id ?? null;
}
