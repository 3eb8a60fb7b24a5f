/**
 * One pass of the ladder, up to what is to be committed:
 *
 *     plan ─▶ (a summary is planned) ask ─▶ merge ─▶ check ─▶ commit
 *               ▲ the extractive maker, then half the span, then without the rung ◀── roll back
 *
 * A generator that asks for models and functions of the script; everything else is a pure function of what it is given. The
 * old view stays until all of it is accepted.
 */
import type { ExactValue, LadderMemory, Retention, Trust } from "../../../model/index.ts";
import { noMemory } from "../../../model/index.ts";
import {
  type Callable,
  Dict,
  fromJson,
  List,
  ScriptError,
  textOf,
  type Value,
} from "../../../values/index.ts";
import type { Rung } from "../../options/ladder-fields.ts";
import type { TryCallbackAnswer } from "../../state/requests.ts";
import { textWeight } from "../meter.ts";
import { anchorsOf, checkSummary, exactValues, foldBlanks } from "./anchors.ts";
import { cleanDelta } from "./delta.ts";
import type { Asking } from "./engine.ts";
import { type CallBody, groupExchanges, type MessageGroup, type ViewMessage } from "./exchanges.ts";
import { libraryText } from "./library.ts";
import { type Maker, type MakerInput, makeSummary } from "./makers.ts";
import {
  type LadderInput,
  type LadderPlan,
  ladderSteps,
  planLadder,
  type SummarySpan,
  wholeMessageText,
} from "./planner.ts";
import {
  isUrgent,
  ladderMessages,
  ladderRoom,
  leastFreed,
  pinnedGroups,
  sizeOfWeight,
  summaryCap,
  whyRefused,
} from "./shown.ts";
import { type StrategyStep, stepsIn } from "./strategy.ts";
import {
  entryTexts,
  type MergedSummary,
  mergeSummary,
  messageParts,
  type RefusedEntry,
  renderSummary,
  type SummarySource,
  saidMessage,
  summaryEntries,
} from "./summaries.ts";

/** What stands in the compaction message besides the entries. Texts, "" for nothing. */
export interface Outside {
  readonly ledger: string;
  readonly gaps: string;
}

export interface PassInput {
  readonly ladder: LadderInput;
  /** The script's own; `null`: the library's ladder. */
  readonly strategy: Callable | null;
  readonly memory: LadderMemory | null;
  /** What people said that nobody who summarizes was shown yet; what stays in view of it is shown beside the span. */
  readonly people?: readonly ViewMessage[];
  /** Called whenever a maker is about to be asked. */
  readonly asksMaker?: () => void;
  /** Who is asked first; `null`: nobody, the extractive maker does it. */
  readonly maker: "model" | "callback" | null;
  readonly makerInput: Omit<MakerInput, "view" | "groups" | "people" | "prior" | "cap" | "said">;
  readonly minRetention: number;
  /** `fn({before, after, archived, summary}) -> nil | reason` */
  readonly verify: Callable | null;
  /** Questions that are asked about what leaves; see `probes.ts`. Gives a reason to reject, or null. */
  readonly probe: ((span: readonly ViewMessage[], summary: string) => Asking<string | null>) | null;
  readonly outside: Outside;
  /** Renders the prompt `agent.compaction_message` with these bindings. */
  readonly message: (parts: Readonly<Record<string, Value>>) => Asking<string>;
  /** The turn in which a message was said; 0 when nobody knows. */
  readonly turnOf: (message: string) => number;
}

interface RolledBack {
  readonly maker: Maker;
  readonly reason: string;
  readonly messages: number;
}

export interface Pass {
  readonly plan: LadderPlan;
  /** The compaction message; `null`: none is needed, or the one there is stays. */
  readonly text: string | null;
  readonly memory: LadderMemory | null;
  readonly maker: Maker | null;
  /** Entries of the maker's answer that were left out of the summary. */
  readonly refused: readonly RefusedEntry[];
  readonly retention: Retention;
  /** Estimate after it. */
  readonly after: number;
}

export interface PassEnd {
  /** `null`: nothing is worth a change of the view. */
  readonly pass: Pass | null;
  readonly rolledBack: readonly RolledBack[];
  /** Why the steps of the script's own strategy were not carried out; `null`: they were, or there is none. */
  readonly refused: string | null;
  /** Whether the model or the function of the script was asked, and how it did. */
  readonly asked: "unasked" | "good" | "failed";
}

const nothingChecked: Retention = { checked: 0, present: 0, recoverable: 0, lost: [] };

/** A mask is a summary that shows each message in its place. */
function maskedStep(step: StrategyStep, messages: List): StrategyStep {
  if (step.by !== "mask" || step.text !== null) return step;
  const ids = new Set<Value>(step.ids);
  const shown = messages.toArray().filter((one) => one instanceof Dict && ids.has(one.get("id") ?? null));
  return { ...step, text: libraryText("masked_text", new List(shown)) };
}

/** A pass that changes bodies only: what the compaction message says stays. */
export const withoutSummary = (plan: LadderPlan): Pass => ({
  plan,
  text: null,
  memory: null,
  maker: null,
  refused: [],
  retention: nothingChecked,
  after: plan.predicted,
});

export function* runPass(input: PassInput): Asking<PassEnd> {
  return yield* new Passing(input).run();
}

/** A pass with what the last resort took beyond it. */
export function* directPass(input: PassInput, pass: Pass | null, direct: LadderPlan): Asking<Pass> {
  return yield* new Passing(input).withDirect(pass, direct);
}

class Passing {
  private readonly input: PassInput;
  private readonly memory: LadderMemory;
  private readonly rolledBack: RolledBack[] = [];
  private usual: readonly StrategyStep[] | undefined;
  private refused: string | null = null;
  private asked: PassEnd["asked"] = "unasked";

  constructor(input: PassInput) {
    this.input = input;
    this.memory = input.memory ?? noMemory;
  }

  *run(): Asking<PassEnd> {
    let maxGroups = Number.POSITIVE_INFINITY;
    const without = new Set<Rung>();
    const steps = this.input.strategy === null ? undefined : yield* this.ownSteps(this.input.strategy);
    let own = steps;
    for (let first = true; ; ) {
      const priorTokens = this.priorTokens();
      const ladder = { ...this.input.ladder, without, maxGroups, priorTokens };
      const plan = planLadder({ ...ladder, steps: own ?? this.usualSteps() });
      if (this.leavesTooMuch(plan, steps)) {
        own = undefined;
        continue;
      }
      const { span } = plan;
      if (span === null) return this.end(yield* this.unsummarized(plan));
      const groups = this.groupsIn(new Set(span.ids));
      const makers: Maker[] =
        first && this.firstMaker(span) !== null
          ? [this.firstMaker(span) as Maker, "extractive"]
          : ["extractive"];
      for (const maker of makers) {
        const made = yield* this.summarized(plan, groups, span.cap, maker);
        if (made !== null) return this.end(made);
      }
      first = false;
      if (groups.length <= 1) without.add("summarize");
      else maxGroups = Math.floor(groups.length / 2);
    }
  }

  /** What the library's ladder says: the same after every roll back. */
  private usualSteps(): readonly StrategyStep[] {
    this.usual ??= ladderSteps(this.input.ladder);
    return this.usual;
  }

  /** When nothing may hold a pass back, own steps that don't make enough room give way to the usual ones. */
  private leavesTooMuch({ predicted }: LadderPlan, steps: readonly StrategyStep[] | undefined): boolean {
    const { trigger, settings, budget } = this.input.ladder;
    const limit = settings.hard * budget;
    if (steps === undefined || this.refused !== null || !isUrgent(trigger) || predicted < limit) return false;
    this.refused = `they leave about ${predicted} tokens, ${Math.floor(limit)} can be sent`;
    return true;
  }

  /** Words of the strategy are what its own summarizer would have said. */
  private firstMaker({ text }: SummarySpan): Maker | null {
    return text === null ? this.input.maker : "callback";
  }

  /** What the script's strategy says; `undefined`: it can't be carried out, and the usual one takes its place. */
  private *ownSteps(callback: Callable): Asking<readonly StrategyStep[] | undefined> {
    const { ladder } = this.input;
    const groups = groupExchanges(ladder.view, ladder.task, ladder.readWritten);
    const messages = ladderMessages(ladder, groups);
    const ask = { kind: "try_callback", callback, args: [messages, ladderRoom(ladder)] } as const;
    const answer = (yield ask) as TryCallbackAnswer;
    if (!answer.ok) {
      this.refused = `it threw: ${cleanDelta(answer.error)}`;
      return undefined;
    }
    try {
      const steps = stepsIn(answer.value).map((step) => maskedStep(step, messages));
      const pinned = pinnedGroups(groups, ladder.holds);
      this.refused = whyRefused(steps, ladder.view, groups, pinned);
      return this.refused === null ? steps : undefined;
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      this.refused = textOf(error.value);
      return undefined;
    }
  }

  /** The plan of a pass with what is done directly besides. */
  private joinedPlan(plan: LadderPlan | undefined, direct: LadderPlan): LadderPlan {
    const edits = new Map([...(plan?.edits ?? []), ...direct.edits].map((edit) => [edit.id, edit]));
    return {
      ...(plan ?? direct),
      edits: [...edits.values()],
      drop: joinedDrops(plan?.drop ?? null, direct.drop),
      predicted: direct.predicted,
      before: this.input.ladder.tokens,
      rungs: [...new Set([...(plan?.rungs ?? []), ...direct.rungs])],
    };
  }

  *withDirect(pass: Pass | null, direct: LadderPlan): Asking<Pass> {
    const before = pass?.memory ?? this.memory;
    const { drop } = direct;
    const plan = this.joinedPlan(pass?.plan, direct);
    const made = pass ?? withoutSummary(plan);
    if (drop === null) return { ...made, plan, after: direct.predicted };
    const { budget } = this.input.ladder;
    const must = direct.survivors.map(({ message, text }) => ({ message, text, must: true }));
    const range = { first: drop.first, last: drop.last, count: drop.ids.length };
    const memory: LadderMemory = {
      ...before,
      values: exactValues(before.values, must, budget, { all: true }),
      dropped: [...before.dropped, range],
    };
    const text = yield* this.textOf(memory);
    const { factor } = this.input.ladder;
    const after = Math.round(direct.predicted + sizeOfWeight(textWeight(text), factor));
    return { ...made, plan, text, memory, after };
  }

  private end(pass: Pass | null): PassEnd {
    const { budget } = this.input.ladder;
    const kept = pass !== null && pass.plan.before - pass.after >= leastFreed * budget ? pass : null;
    return {
      pass: kept,
      rolledBack: this.rolledBack,
      refused: this.refused,
      asked: this.asked,
    };
  }

  private groupsIn(ids: ReadonlySet<string>): MessageGroup[] {
    const { view, task, readWritten } = this.input.ladder;
    return groupExchanges(view, task, readWritten).filter(({ from }) =>
      ids.has((view[from] as ViewMessage).id),
    );
  }

  /** Tokens of the compaction message that is shown now. */
  private priorTokens(): number {
    const { view, factor } = this.input.ladder;
    const shown = view.find(({ id }) => id === this.memory.message);
    return shown === undefined ? 0 : sizeOfWeight(textWeight(wholeMessageText(shown.message)), factor);
  }

  // ── without a summary ───────────────────────────────────────────────────────────────────────────────────────────

  private *unsummarized(plan: LadderPlan): Asking<Pass | null> {
    if (plan.drop === null) {
      if (plan.edits.length === 0) return null;
      return withoutSummary(plan);
    }
    const memory = this.remembered(plan, this.memory.summary, this.mustOf(plan));
    const text = yield* this.textOf(memory);
    return this.passOf(plan, text, memory, { maker: null, refused: [] }, nothingChecked);
  }

  private mustOf(plan: LadderPlan): ExactValue[] {
    return plan.survivors.map(({ message, text }) => ({ message, text, must: true }));
  }

  // ── with one ────────────────────────────────────────────────────────────────────────────────────────────────────

  private *summarized(
    plan: LadderPlan,
    groups: readonly MessageGroup[],
    cap: number,
    maker: Maker,
  ): Asking<Pass | null> {
    const { view } = this.input.ladder;
    const prior = this.memory.summary;
    const reject = (reason: string): null => {
      this.rolledBack.push({ maker, reason, messages: plan.span?.ids.length ?? 0 });
      if (maker !== "extractive") this.asked = "failed";
      return null;
    };
    this.input.asksMaker?.();
    const people = this.peopleBeside(plan);
    const made = yield* makeSummary(maker, {
      ...this.input.makerInput,
      ...{ view, groups, people, prior, cap },
      said: plan.span?.text ?? null,
    });
    if (maker !== "extractive") this.asked = "good";
    if (!made.ok) {
      reject(made.reason);
      if (made.excused === true) this.asked = "unasked";
      return null;
    }
    const merged = mergeSummary(prior, made.delta, this.sourcesOf(groups, people));
    const wrong = whyUnusable(merged, maker);
    if (wrong !== null) return reject(wrong);
    const candidate = yield* this.checked(plan, groups, merged);
    if (typeof candidate === "string") return reject(candidate);
    const { text, memory, retention } = candidate;
    const size = sizeOfWeight(textWeight(text), this.input.ladder.factor);
    if (size >= (plan.span?.tokens ?? 0) + this.priorTokens())
      return reject("the summary is no smaller than what it stands for");
    const objection = yield* this.objection(plan, groups, text, memory);
    if (objection !== null) return reject(objection);
    return this.passOf(plan, text, memory, { maker, refused: merged.refused }, retention);
  }

  /** What people said that stays in view. */
  private peopleBeside({ span }: LadderPlan): ViewMessage[] {
    const leaving = new Set(span?.ids ?? []);
    return (this.input.people ?? []).filter(({ id }) => !leaving.has(id));
  }

  /** In the order in which it was said. */
  private sourcesOf(groups: readonly MessageGroup[], people: readonly ViewMessage[]): SummarySource[] {
    const { view } = this.input.ladder;
    const cited = new Set([...groups.flatMap(({ from, to }) => view.slice(from, to)), ...people]);
    return view
      .filter((one) => cited.has(one))
      .map(({ id, original, origin }) => ({
        id,
        text: wholeMessageText(original),
        trust: trustOf(origin.by),
      }));
  }

  private *checked(
    plan: LadderPlan,
    groups: readonly MessageGroup[],
    merged: MergedSummary,
  ): Asking<string | { text: string; memory: LadderMemory; retention: Retention }> {
    const { view, written, isWriting, budget } = this.input.ladder;
    const cap = this.weightOfCap();
    const rendered = renderSummary(merged.summary, cap);
    const shownBefore = renderSummary(this.memory.summary, cap).shown;
    // What is no longer true, or has no room, is out of it by design; every other entry has to be there word for word.
    const entries = new Map(
      [...entryTexts(this.memory.summary)].filter(([id]) => shownBefore.has(id) && rendered.shown.has(id)),
    );
    const must = [
      ...plan.survivors,
      ...this.memory.values.filter((value) => value.must).map(({ message, text }) => ({ message, text })),
    ];
    const { revoked } = merged;
    const anchors = anchorsOf({ view, groups, written, isWriting, entries, must, revoked });
    const check = (text: string): ReturnType<typeof checkSummary> =>
      checkSummary(text, anchors, this.input.minRetention);
    let memory = this.remembered(plan, merged.summary, this.mustOf(plan));
    let text = yield* this.textOf(memory);
    let found = check(text);
    if (found.missing.length > 0) {
      const added = found.missing
        .filter(({ rule }) => rule !== "entry")
        .map(
          ({ rule, message, text: value }): ExactValue => ({ message, text: value, must: rule === "must" }),
        );
      memory = { ...memory, values: exactValues(memory.values, added, budget) };
      text = yield* this.textOf(memory);
      found = check(text);
    }
    return found.accepted ? { text, memory, retention: found.retention } : found.reason;
  }

  private *objection(
    plan: LadderPlan,
    groups: readonly MessageGroup[],
    text: string,
    memory: LadderMemory,
  ): Asking<string | null> {
    const { view } = this.input.ladder;
    const span = groups.flatMap(({ from, to }) => view.slice(from, to));
    if (this.input.probe !== null) {
      const reason = yield* this.input.probe(span, text);
      if (reason !== null) return reason;
    }
    if (this.input.verify === null) return null;
    const about = Dict.of({
      before: plan.before,
      after: plan.predicted,
      archived: new List(span.map((one) => saidMessage(one).without("by"))),
      summary: text,
      entries: fromJson(memory.summary),
    });
    const said = (yield { kind: "callback", callback: this.input.verify, args: [about] }) as Value;
    if (said === null || said === true) return null;
    return typeof said === "string" ? said : "the script's own check rejects it";
  }

  // ── what is kept ────────────────────────────────────────────────────────────────────────────────────────────────

  private remembered(
    plan: LadderPlan,
    summary: LadderMemory["summary"],
    added: readonly ExactValue[],
  ): LadderMemory {
    const { covered, dropped } = this.memory;
    const { budget } = this.input.ladder;
    const { span, drop } = plan;
    const ids = new Set([...(span?.ids ?? []), ...(drop?.ids ?? [])]);
    const count = (covered?.count ?? 0) + (span?.ids.length ?? 0);
    return {
      summary,
      values: exactValues(stillTrue(this.memory, summary), added, budget, { all: span === null }),
      files: this.filesWith(this.groupsIn(ids)),
      covered: span === null ? covered : { first: covered?.first ?? span.first, last: span.last, count },
      dropped:
        drop === null
          ? dropped
          : [...dropped, { first: drop.first, last: drop.last, count: drop.ids.length }],
      message: this.memory.message,
    };
  }

  private filesWith(groups: readonly MessageGroup[]): LadderMemory["files"] {
    const { view, written } = this.input.ladder;
    const files = new Map(this.memory.files.map((file) => [file.path, file]));
    const note = (body: CallBody, caller: number): void => {
      if (!body.ok) return;
      const message = (view[body.at] as ViewMessage).id;
      const turn = this.input.turnOf((view[caller < 0 ? body.at : caller] as ViewMessage).id);
      for (const path of written(body)) {
        files.delete(path);
        files.set(path, { path, turn, message });
      }
    };
    for (const { bodies, caller } of groups) for (const body of bodies) note(body, caller);
    return [...files.values()];
  }

  private weightOfCap(): number {
    const { budget, factor } = this.input.ladder;
    return (summaryCap(budget) * 4) / factor;
  }

  private *textOf(memory: LadderMemory): Asking<string> {
    return yield* this.input.message({ ...this.input.outside, ...messageParts(memory, this.weightOfCap()) });
  }

  private passOf(
    plan: LadderPlan,
    text: string,
    memory: LadderMemory,
    { maker, refused }: Pick<Pass, "maker" | "refused">,
    retention: Retention,
  ): Pass {
    const { factor } = this.input.ladder;
    const own = sizeOfWeight(textWeight(text), factor);
    const gone = (plan.span?.tokens ?? 0) + (plan.drop?.tokens ?? 0) + this.priorTokens();
    return { plan, text, memory, maker, refused, retention, after: Math.round(plan.edited - gone + own) };
  }
}

const joinedDrops = (a: LadderPlan["drop"], b: LadderPlan["drop"]): LadderPlan["drop"] => {
  if (a === null || b === null) return a ?? b;
  return { ids: [...a.ids, ...b.ids], first: a.first, last: b.last, tokens: a.tokens + b.tokens };
};

const trustOf = (by: string): Trust => (by === "person" ? "user" : by === "tool" ? "tool" : "model");

/** Why what a maker gave is no summary; `null`: it is one. */
function whyUnusable({ refused, received }: MergedSummary, maker: Maker): string | null {
  if (maker === "extractive") return null;
  if (received === 0) return "the answer is empty";
  if (refused.length * 2 >= received) {
    const [first] = refused;
    const why =
      first === undefined
        ? ""
        : `, first: ${first.why}${first.found.length > 0 ? ` (${first.found.join(", ").slice(0, 80)})` : ""}`;
    return `${refused.length} of ${received} entries are refused${why}`;
  }
  return null;
}

/** Exact values of entries that are no longer true go with them. */
function stillTrue(memory: LadderMemory, summary: LadderMemory["summary"]): readonly ExactValue[] {
  const before = new Set(memory.summary.superseded.map(({ id }) => id));
  const gone = new Set(summary.superseded.filter(({ id }) => !before.has(id)).map(({ id }) => id));
  if (gone.size === 0) return memory.values;
  const texts = [...summaryEntries(summary)];
  const removed = texts.filter(([id]) => gone.has(id)).map(([, text]) => foldBlanks(text));
  const alive = texts.filter(([id]) => !gone.has(id) && !before.has(id)).map(([, text]) => foldBlanks(text));
  return memory.values.filter(
    ({ text, must }) =>
      must || !removed.some((said) => said.includes(text)) || alive.some((said) => said.includes(text)),
  );
}
