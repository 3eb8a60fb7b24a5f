/**
 * The steps of a strategy become a plan: what becomes of which message, each step until the prediction is where it ends. Pure: a
 * function of the view, the settings, the meter and what tools say of themselves.
 *
 *     clear ─▶ externalize ─▶ summarize ─▶ drop        oldest first within each; whole groups, but for bodies of results
 */
import type { ModelMessage } from "../../../model/index.ts";
import { messageText, withOtherText } from "../../../model/index.ts";
import { isJsonObject, jsonOrText, type Value } from "../../../values/index.ts";
import type { Rung } from "../../options/ladder-fields.ts";
import type { Durability, ResultDurability } from "../../tools/durability.ts";
import { messageWeight } from "../meter.ts";
import { type CallBody, type MessageGroup, type ViewMessage, withBodies } from "./exchanges.ts";
import { callLibrary } from "./library.ts";
import {
  briefArguments,
  clearedNote,
  cut,
  failureOf,
  headAndTail,
  maxArguments,
  outsideNote,
  shorterArguments,
  shorterWritten,
  survivingNote,
} from "./notes.ts";
import {
  groupsOfView,
  type LadderInput,
  ladderMessages,
  ladderRoom,
  leastFreed,
  type StepsInput,
  sizeOfWeight,
  summaryCap,
} from "./shown.ts";
import { type StrategyStep, stepsIn } from "./strategy.ts";

export type { LadderInput, StepsInput } from "./shown.ts";

interface ClearRecord {
  readonly call: string | null;
  readonly tool: string;
  readonly durability: Durability;
  readonly reason: string;
  readonly kept: Readonly<Record<string, string>>;
}

/** A message that stays with less in it. */
export interface LadderEdit {
  readonly id: string;
  readonly action: "clear" | "externalize";
  readonly message: ModelMessage;
  readonly clears: readonly ClearRecord[];
}

/** Messages that leave the view together. Protected ones between them stay, so these need not be neighbours. */
interface LadderSpan {
  readonly ids: readonly string[];
  readonly tokens: number;
}

interface SummarySpan extends LadderSpan {
  /** What the strategy says of it; `null`: somebody is asked. */
  readonly text: string | null;
}

export interface LadderPlan {
  readonly edits: readonly LadderEdit[];
  /** What a summary is to stand for, and how many tokens it may have. */
  readonly span: SummarySpan | null;
  readonly drop: LadderSpan | null;
  readonly before: number;
  /** With the edits alone, before anything leaves. */
  readonly edited: number;
  readonly predicted: number;
  /** Those that did something. */
  readonly rungs: readonly Rung[];
  /** Texts that must survive, with the message that has them, of everything that leaves the view. */
  readonly survivors: readonly { readonly message: string; readonly text: string }[];
}

/** Head and tail of a person's words have at least so many characters. */
const shortBody = 200;
/** Of what is summarized, a summary is expected to be this part. */
const summaryShare = 0.15;
/** A person's protected words may have this part of the budget; beyond it head and tail are shown. */
const personShare = 0.1;

export const planLadder = (
  input: LadderInput,
  steps: readonly StrategyStep[] = librarySteps("ladder", input),
): LadderPlan => planSteps(input, steps);

export const planSteps = (input: StepsInput, steps: readonly StrategyStep[]): LadderPlan =>
  new LadderPlanner(input).plan(steps);

/** The steps of a strategy of the library. */
export const librarySteps = (name: string, input: LadderInput, ...more: readonly Value[]): StrategyStep[] =>
  stepsIn(callLibrary(name, ladderMessages(input), ladderRoom(input), ...more));

class LadderPlanner {
  private readonly input: StepsInput;
  private readonly groups: readonly MessageGroup[];
  private readonly byId = new Map<string, { group: MessageGroup; at: number }>();
  private readonly classes = new Map<CallBody, ResultDurability>();
  private readonly bodies = new Set<CallBody>();
  /** By position of the message. */
  private readonly changed = new Map<number, { from: number; to: number; text: string }[]>();
  private readonly records = new Map<number, ClearRecord[]>();
  private readonly actions = new Map<number, "clear" | "externalize">();
  private readonly messages = new Map<number, ModelMessage>();
  private readonly rungs = new Set<Rung>();
  /** Those that leave the view. */
  private readonly gone = new Set<MessageGroup>();
  private readonly found: { message: string; text: string }[] = [];
  private tokens: number;
  private saved = 0;

  constructor(input: StepsInput) {
    this.input = input;
    this.groups = groupsOfView(input);
    this.tokens = input.tokens;
  }

  private durability(body: CallBody): ResultDurability {
    let known = this.classes.get(body);
    if (known === undefined) {
      known = this.input.durability(body);
      this.classes.set(body, known);
    }
    return known;
  }

  plan(steps: readonly StrategyStep[]): LadderPlan {
    this.index();
    let span: SummarySpan | null = null;
    let drop: LadderSpan | null = null;
    for (const step of steps) {
      const until = step.until ?? -1;
      if (this.tokens <= until) continue;
      if (step.by === "clear" || step.by === "externalize") this.shortenBy(step, until);
      else if (step.by === "drop") drop = this.dropFrom(this.groupsOf(step.ids), drop, until);
      else if (span === null && this.input.summarizes !== false) span = this.summarize(step, until);
    }
    return this.result(span, drop);
  }

  private index(): void {
    for (const group of this.groups)
      for (let at = group.from; at < group.to; at++)
        this.byId.set((this.input.view[at] as ViewMessage).id, { group, at });
  }

  /** What an id names: a message, or one of the results in it (`msg_4/1`). */
  private named(id: string): { group: MessageGroup; bodies: readonly CallBody[] } | undefined {
    const slash = id.indexOf("/");
    const found = this.byId.get(slash < 0 ? id : id.slice(0, slash));
    if (found === undefined) return undefined;
    const nth = slash < 0 ? null : Number(id.slice(slash + 1));
    const bodies = found.group.bodies.filter(
      ({ at, index }) => at === found.at && (nth === null || index === nth),
    );
    return { group: found.group, bodies };
  }

  /** Whole groups, in the order of the view. */
  private groupsOf(ids: readonly string[]): MessageGroup[] {
    const found = new Set(ids.map((id) => this.byId.get(id)?.group));
    return this.groups.filter((group) => found.has(group) && group.kind !== "summary");
  }

  private shortenBy(step: StrategyStep, until: number): void {
    for (const id of step.ids) {
      if (this.tokens <= until) return;
      const named = this.named(id);
      if (named === undefined) continue;
      const { group, bodies } = named;
      if (this.gone.has(group)) continue;
      if (bodies.length > 0) for (const body of bodies) this.shortenBody(body, step);
      else if (group.kind === "exchange") this.clearArguments(group);
      else if (group.kind === "person" || group.kind === "task") this.shortenPerson(group);
    }
  }

  private shortenBody(body: CallBody, step: StrategyStep): void {
    const { reason, ends } = step;
    const action = step.by === "externalize" ? "externalize" : "clear";
    const own = step.keep.filter((text) => body.said.includes(text));
    if (ends !== null) {
      if (!this.bodies.has(body)) this.shorten(body, this.ends(body, ends, own), { action, reason });
      return;
    }
    if (step.text === null && !this.isWhole(body)) return;
    const { class: durability, keep } = this.durability(body);
    const must = [...this.surviving(body), ...own];
    if (step.text !== null) this.shorten(body, [step.text, ...must].join("\n"), { action, reason });
    else if (action === "externalize") {
      const note = [outsideNote(body.tool, body.said, this.refOf(body)), ...must].join("\n");
      this.shorten(body, note, { action, reason: "non_replayable" });
    } else {
      const kept = keptFields(body, keep, durability);
      const note = clearedNote({
        tool: body.tool,
        args: durability === "ephemeral" ? "" : briefArguments(body.args),
        chars: body.said.length,
        kept: [...Object.entries(kept).map(([key, value]) => `${key}: ${value}`), ...must],
        changedIn: step.changedIn,
        sameAs: step.sameAs,
        ref: this.refOf(body),
      });
      this.shorten(body, note, { action, reason, kept });
    }
  }

  // ── clear ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Texts that must survive stand in the note itself. */
  private surviving(body: CallBody): string[] {
    return [survivingNote(this.mustOf(this.refOf(body), body.said))].filter((note) => note !== "");
  }

  private mustOf(message: string, text: string): readonly string[] {
    return this.input.survivors?.(message, text) ?? [];
  }

  /** Head and tail of what is shown of a body, with what must survive of all of it. */
  private ends(body: CallBody, each: number, own: readonly string[]): string {
    const ref = this.refOf(body);
    return headAndTail(body.text, each, ref, [...this.mustOf(ref, body.said), ...own]);
  }

  /** Long texts in the arguments of calls that wrote something and are done with. */
  private clearArguments(group: MessageGroup): void {
    const { view, reasoningStays } = this.input;
    const settled = group.bodies.filter((body) => body.ok && this.input.isWriting(body));
    if (settled.length === 0 || group.caller < 0) return;
    const { id, message } = view[group.caller] as ViewMessage;
    if (reasoningStays === true && reasonsBesideCalls(message)) return;
    const native = (message.tool_calls?.length ?? 0) > 0;
    const must = (text: string): readonly string[] => this.mustOf(id, text);
    const shorter = native
      ? shorterArguments(message, new Set(settled.map(({ call }) => call)), id, must)
      : settled.length === group.bodies.length
        ? shorterWritten(message, id, must)
        : null;
    if (shorter === null) return;
    this.replace(group.caller, shorter, "clear");
    this.note(group.caller, {
      call: null,
      tool: settled[0]?.tool ?? "",
      durability: "anchoring",
      reason: "arguments",
      kept: {},
    });
    this.rungs.add("clear");
  }

  /** A person's words beyond a tenth of the budget: head and tail. */
  private shortenPerson(group: MessageGroup): void {
    const { view, budget } = this.input;
    const max = budget * personShare;
    const { id, message, original } = view[group.from] as ViewMessage;
    const tokens = this.tokensNow(group);
    if (tokens <= max || message !== original || this.messages.has(group.from)) return;
    const text = messageText(message);
    const each = Math.floor((max / 2) * (text.length / tokens));
    const shorter = headAndTail(text, Math.max(shortBody, each), id, this.mustOf(id, text));
    if (shorter.length >= text.length) return;
    this.replace(group.from, { ...message, content: withOtherText(message, shorter) }, "externalize");
    this.rungs.add("externalize");
  }

  // ── summarize, drop ─────────────────────────────────────────────────────────────────────────────────────────────

  /** The oldest of these groups, until a summary of them would bring the view to where the step ends. */
  private summarize({ ids, text, keep }: StrategyStep, until: number): SummarySpan | null {
    const groups = this.groupsOf(ids);
    const { budget, priorTokens = 0, summaryTokens: known = null } = this.input;
    const maxGroups = this.input.maxGroups ?? Number.POSITIVE_INFINITY;
    const cap = summaryCap(budget);
    const taken: MessageGroup[] = [];
    let span = 0;
    const size = (tokens: number): number => known ?? Math.min(cap, tokens * summaryShare + priorTokens);
    for (const group of groups) {
      if (taken.length >= maxGroups) break;
      if (known === null && this.tokens - span - priorTokens + size(span) <= until) break;
      taken.push(group);
      span += this.tokensNow(group);
    }
    const saved = span + priorTokens - size(span);
    if (taken.length === 0 || (known === null && saved < leastFreed * budget)) return null;
    this.rungs.add("summarize");
    this.saved += saved;
    this.tokens -= saved;
    return { ids: this.leaving(taken, keep), tokens: span, text };
  }

  /** Those that nothing milder can do anything about, oldest first. */
  private dropFrom(
    groups: readonly MessageGroup[],
    before: LadderSpan | null,
    until: number,
  ): LadderSpan | null {
    const taken: MessageGroup[] = [];
    let freed = 0;
    for (const group of groups) {
      if (this.tokens - freed <= until) break;
      if (this.gone.has(group)) continue;
      taken.push(group);
      freed += this.tokensNow(group);
    }
    if (taken.length === 0) return before;
    this.rungs.add("drop");
    this.saved += freed;
    this.tokens -= freed;
    const ids = [...(before?.ids ?? []), ...this.leaving(taken)];
    const at = (id: string): number => this.byId.get(id)?.at ?? 0;
    return { ids: ids.sort((a, b) => at(a) - at(b)), tokens: (before?.tokens ?? 0) + freed };
  }

  /** Ids of all their messages; what must survive of them is noted. */
  private leaving(taken: readonly MessageGroup[], keep: readonly string[] = []): string[] {
    const { view } = this.input;
    for (const group of taken) this.gone.add(group);
    const ids = taken.flatMap(({ from, to }) => view.slice(from, to).map(({ id }) => id));
    for (const { from, to } of taken)
      for (const { id, original } of view.slice(from, to)) {
        const whole = wholeMessageText(original);
        const kept = keep.filter((text) => whole.includes(text));
        for (const text of [...this.mustOf(id, whole), ...kept]) this.found.push({ message: id, text });
      }
    return ids;
  }

  // ── changes ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Nothing was taken out of it yet. */
  private isWhole(body: CallBody): boolean {
    return body.text === body.said && !this.bodies.has(body);
  }

  private refOf(body: CallBody): string {
    return (this.input.view[body.at] as ViewMessage).id;
  }

  private tokensNow({ from, to }: MessageGroup): number {
    let tokens = 0;
    for (let at = from; at < to; at++)
      tokens += sizeOfWeight(
        messageWeight(this.messages.get(at) ?? (this.input.view[at] as ViewMessage).message),
        this.input.factor,
      );
    return tokens;
  }

  private shorten(
    body: CallBody,
    text: string,
    how: {
      readonly action: "clear" | "externalize";
      readonly reason: string;
      readonly kept?: Readonly<Record<string, string>>;
    },
  ): void {
    if (this.input.isSingle !== true && text.length >= body.text.length) return;
    this.bodies.add(body);
    this.note(body.at, {
      call: body.call,
      tool: body.tool,
      durability: this.durability(body).class,
      reason: how.reason,
      kept: how.kept ?? {},
    });
    this.rungs.add(how.action);
    const { message } = this.input.view[body.at] as ViewMessage;
    const changed = [...(this.changed.get(body.at) ?? []), { from: body.from, to: body.to, text }];
    this.changed.set(body.at, changed);
    this.replace(body.at, { ...message, content: withBodies(messageText(message), changed) }, how.action);
  }

  private note(at: number, record: ClearRecord): void {
    const list = this.records.get(at);
    if (list === undefined) this.records.set(at, [record]);
    else list.push(record);
  }

  private replace(at: number, message: ModelMessage, action: "clear" | "externalize"): void {
    const before = this.messages.get(at) ?? (this.input.view[at] as ViewMessage).message;
    this.tokens -= ((messageWeight(before) - messageWeight(message)) / 4) * this.input.factor;
    this.messages.set(at, message);
    this.actions.set(at, action);
  }

  private result(span: SummarySpan | null, drop: LadderSpan | null): LadderPlan {
    const gone = new Set([...(span?.ids ?? []), ...(drop?.ids ?? [])]);
    const edits = [...this.messages]
      .sort(([a], [b]) => a - b)
      .flatMap(([at, message]): LadderEdit[] => {
        const { id } = this.input.view[at] as ViewMessage;
        if (gone.has(id)) return [];
        return [{ id, action: this.actions.get(at) ?? "clear", message, clears: this.records.get(at) ?? [] }];
      });
    const { tokens: before } = this.input;
    return {
      edits,
      span,
      drop,
      before,
      edited: this.tokens + this.saved,
      predicted: Math.round(this.tokens),
      rungs: [...this.rungs],
      survivors: this.found,
    };
  }
}

/** A call as its vendor knows it, with what the model thought before it. */
export const reasonsBesideCalls = ({ reasoning, tool_calls }: ModelMessage): boolean =>
  (reasoning?.length ?? 0) > 0 && (tool_calls?.length ?? 0) > 0;

/** What is said in a message, calls included: what sources and survivors are looked for in. */
export function wholeMessageText(message: ModelMessage): string {
  const calls = (message.tool_calls ?? []).map(
    ({ name, arguments: args }) => `${name}(${typeof args === "string" ? args : JSON.stringify(args)})`,
  );
  return [messageText(message), ...calls].filter((part) => part !== "").join("\n");
}

/** What stays of an anchoring result: the fields that were asked for, and the first line that looks like a failure. */
function keptFields(body: CallBody, keep: readonly string[], durability: Durability): Record<string, string> {
  const kept: Record<string, string> = {};
  if (keep.length > 0) {
    const value = jsonOrText(body.said);
    for (const key of keep)
      if (isJsonObject(value) && Object.hasOwn(value, key)) kept[key] = brief(value[key]);
  }
  if (durability === "anchoring" && !body.ok) kept.failed = failureOf(body.said);
  return kept;
}

const brief = (value: unknown): string =>
  cut(typeof value === "string" ? value : JSON.stringify(value), maxArguments);
