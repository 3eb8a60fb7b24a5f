/**
 * What becomes of each message of a conversation's log in what the model sees: a plan by message id, never an edit.
 *
 *     renderView(log, plan) = the view, at every version
 *
 * A conversation has one plan. Whatever takes something out of view, shortens it or puts it elsewhere (compaction of every
 * strategy, repair, judges, scripts that trim) commits a `PlanChange`; `committed` stamps its records with the new version.
 * A message without an action is included, so that a turn that only adds says nothing here.
 *
 * The plan is plain data: a function of it and the log gives every view back, and a snapshot can hold it.
 */
import type { Json } from "../../effects/index.ts";
import type { MessageToolCall, ModelMessage } from "../llm/index.ts";
import type { Origin } from "./origin.ts";

/** A message with its identity. Never changed after it was appended. */
export interface LoggedMessage {
  /** `msg_1`, `msg_2` … in the order of the conversation. */
  readonly id: string;
  readonly message: ModelMessage;
  readonly origin: Origin;
}

export type PlanAction =
  /** Stays as it is. */
  | "include"
  /** Stays, with the text of its newest clear record as its body. */
  | "clear"
  /** Stays, with the text of its newest externalization record: its body is kept in the log alone. */
  | "externalize"
  /** Goes; a summary speaks of it. */
  | "summarize"
  /** Goes without a word of its own. */
  | "drop";

export interface ClearPlanEntry {
  readonly message_id: string;
  /** The call whose body it is: of a message that makes this call the arguments, else the whole body. Null: the body. */
  readonly call_id: string | null;
  readonly tool: string;
  readonly durability: string;
  readonly reason: string;
  /** Fields of the body that the text has, by name. */
  readonly kept: Readonly<Record<string, string>>;
  /** What is shown: a body, or JSON of a call's arguments. */
  readonly text: string;
  readonly version: number;
}

export interface ExternalizationRecord {
  readonly message_id: string;
  /** How the body is asked for. */
  readonly ref: string;
  /** SHA-256 of the body, hexadecimal; "" where nobody made one. */
  readonly digest: string;
  /** Of the body. */
  readonly chars: number;
  readonly text: string;
  readonly version: number;
}

export interface SummarizationRecord {
  /** Ids of the oldest and the newest message that the summary speaks of. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  readonly maker: "model" | "callback" | "extractive";
  readonly summary_message_id: string;
  /** What the check found in it; null where nothing was checked. */
  readonly retention: Json;
  readonly version: number;
}

export interface DropRecord {
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /**
   * `script`: a script trimmed its session; `unfinished`: an answer that was empty; `snapshot`: it was out of view in the
   * snapshot that the conversation was read from.
   */
  readonly reason: "pressure" | "repair" | "judge" | "script" | "unfinished" | "snapshot";
  readonly version: number;
}

/** A message that does not stand where the log has it. */
export interface PlacementRecord {
  readonly message_id: string;
  /** It stands right after this message, in view or not; null: before everything. The newest record counts. */
  readonly behind: string | null;
  readonly version: number;
}

/** A model message that is shown without the reasoning it came with. */
export interface ReasoningRecord {
  readonly message_id: string;
  readonly reason: string;
  /** What of it stands before the message's own text; "" for nothing. */
  readonly text: string;
  readonly version: number;
}

export interface CompactionPlan {
  /** The session. */
  readonly thread_id: string;
  /** One more with each committed change. */
  readonly version: number;
  /** By message id; absent: include. */
  readonly actions: Readonly<Record<string, PlanAction>>;
  readonly clear_records: readonly ClearPlanEntry[];
  readonly externalization_records: readonly ExternalizationRecord[];
  readonly summarization_records: readonly SummarizationRecord[];
  readonly drop_records: readonly DropRecord[];
  readonly placement_records: readonly PlacementRecord[];
  readonly reasoning_records: readonly ReasoningRecord[];
}

type Fresh<T> = readonly Omit<T, "version">[];

/** What one commit adds. Everything may be left out. */
export interface PlanChange {
  readonly actions?: Readonly<Record<string, PlanAction>>;
  readonly clear_records?: Fresh<ClearPlanEntry>;
  readonly externalization_records?: Fresh<ExternalizationRecord>;
  readonly summarization_records?: Fresh<SummarizationRecord>;
  readonly drop_records?: Fresh<DropRecord>;
  readonly placement_records?: Fresh<PlacementRecord>;
  readonly reasoning_records?: Fresh<ReasoningRecord>;
}

export const emptyPlan = (threadId: string): CompactionPlan => ({
  thread_id: threadId,
  version: 0,
  actions: {},
  clear_records: [],
  externalization_records: [],
  summarization_records: [],
  drop_records: [],
  placement_records: [],
  reasoning_records: [],
});

/** The plan with a change. Pure. */
export function committed(plan: CompactionPlan, change: PlanChange): CompactionPlan {
  const version = plan.version + 1;
  const stamped = <T>(
    before: readonly T[],
    added: readonly Omit<T, "version">[] | undefined,
  ): readonly T[] =>
    added === undefined || added.length === 0
      ? before
      : [...before, ...added.map((record) => ({ ...record, version }) as T)];
  return {
    thread_id: plan.thread_id,
    version,
    actions: change.actions === undefined ? plan.actions : { ...plan.actions, ...change.actions },
    clear_records: stamped(plan.clear_records, change.clear_records),
    externalization_records: stamped(plan.externalization_records, change.externalization_records),
    summarization_records: stamped(plan.summarization_records, change.summarization_records),
    drop_records: stamped(plan.drop_records, change.drop_records),
    placement_records: stamped(plan.placement_records, change.placement_records),
    reasoning_records: stamped(plan.reasoning_records, change.reasoning_records),
  };
}

export const isInView = (plan: CompactionPlan, id: string): boolean => {
  const action = plan.actions[id];
  return action !== "summarize" && action !== "drop";
};

/** A change that takes these messages, given in the order of the log, out of view without a word: one record a run. */
export function dropping(
  log: readonly LoggedMessage[],
  gone: ReadonlySet<string>,
  reason: DropRecord["reason"],
): Required<Pick<PlanChange, "actions" | "drop_records">> {
  const actions: Record<string, PlanAction> = {};
  const drop_records: Omit<DropRecord, "version">[] = [];
  let run: string[] = [];
  const close = (): void => {
    if (run.length > 0)
      drop_records.push({ first: run[0] as string, last: run.at(-1) as string, count: run.length, reason });
    run = [];
  };
  for (const { id } of log) {
    if (gone.has(id)) {
      actions[id] = "drop";
      run.push(id);
    } else close();
  }
  close();
  return { actions, drop_records };
}

// ── the view ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Messages as they were made for an earlier version of the plan, so that what did not change is the very same object. */
export type RenderedBodies = WeakMap<
  LoggedMessage,
  { readonly from: readonly object[]; readonly shown: LoggedMessage }
>;

/**
 * What the model sees. Messages that the plan leaves alone are those of the log. `made` remembers changed ones from one
 * version to the next.
 */
export function renderView(
  log: readonly LoggedMessage[],
  plan: CompactionPlan,
  made: RenderedBodies = new WeakMap(),
): LoggedMessage[] {
  const bodies = bodiesOf(plan);
  const view: LoggedMessage[] = [];
  for (const logged of orderOf(log, plan)) {
    if (!isInView(plan, logged.id)) continue;
    const changes = bodies.get(logged.id);
    if (changes === undefined) {
      view.push(logged);
      continue;
    }
    const before = made.get(logged);
    if (before !== undefined && sameItems(before.from, changes)) {
      view.push(before.shown);
      continue;
    }
    const shown = { ...logged, message: changes.reduce(withChange, logged.message) };
    made.set(logged, { from: changes, shown });
    view.push(shown);
  }
  return view;
}

/** A shorter text in the place of a message's own. What a person showed besides stays: pictures and files have no shorter form. */
export function withOtherText(
  { role, content }: ModelMessage,
  text: string,
): NonNullable<ModelMessage["content"]> {
  if (role !== "user" || !Array.isArray(content)) return text;
  const others = content.filter((block) => !("text" in block)); // pictures, sounds, documents
  return others.length === 0 ? text : [{ type: "text", text }, ...others];
}

const sameItems = (a: readonly object[], b: readonly object[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

type BodyChange = ClearPlanEntry | ExternalizationRecord | ReasoningRecord;

/** The records that are in force, by message: the newest body, the newest arguments of each call, the reasoning. */
function bodiesOf(plan: CompactionPlan): Map<string, BodyChange[]> {
  const inForce = new Map<string, Map<string, BodyChange>>();
  const put = (id: string, part: string, record: BodyChange): void => {
    const parts = inForce.get(id);
    if (parts === undefined) inForce.set(id, new Map([[part, record]]));
    else parts.set(part, record);
  };
  for (const record of plan.clear_records)
    if (plan.actions[record.message_id] === "clear")
      put(record.message_id, `body ${record.call_id ?? ""}`, record);
  for (const record of plan.externalization_records)
    if (plan.actions[record.message_id] === "externalize") put(record.message_id, "body", record);
  for (const record of plan.reasoning_records) put(record.message_id, "reasoning", record);
  return new Map([...inForce].map(([id, parts]) => [id, [...parts.values()]]));
}

function withChange(message: ModelMessage, change: BodyChange): ModelMessage {
  if (isReasoning(change)) {
    const { reasoning: _gone, ...rest } = message;
    return change.text === "" ? rest : { ...rest, content: withTextBefore(change.text, rest.content) };
  }
  const call = "call_id" in change ? message.tool_calls?.find(({ id }) => id === change.call_id) : undefined;
  if (call === undefined) return { ...message, content: withOtherText(message, change.text) };
  const shorter = (one: MessageToolCall): MessageToolCall =>
    one === call ? { ...one, arguments: JSON.parse(change.text) as MessageToolCall["arguments"] } : one;
  return { ...message, tool_calls: message.tool_calls?.map(shorter) ?? [] };
}

const isReasoning = (change: BodyChange): change is ReasoningRecord =>
  !("call_id" in change) && !("ref" in change);

function withTextBefore(
  text: string,
  content: ModelMessage["content"],
): NonNullable<ModelMessage["content"]> {
  if (Array.isArray(content)) return [{ type: "text", text }, ...content];
  return (content ?? "") === "" ? text : `${text}\n\n${content}`;
}

/** The log, with what was placed elsewhere in its place. Placements are made one after the other. */
export function orderOf(log: readonly LoggedMessage[], plan: CompactionPlan): readonly LoggedMessage[] {
  if (plan.placement_records.length === 0) return log;
  // Position 0 is before everything; message i stands at i + 1.
  const at = positionsIn(log);
  const size = log.length + 1;
  const next = new Int32Array(size);
  const before = new Int32Array(size);
  for (let index = 0; index < size; index++) {
    next[index] = (index + 1) % size;
    before[index] = (index + log.length) % size;
  }
  for (const { message_id, behind } of plan.placement_records) {
    const moved = at(message_id);
    const anchor = behind === null ? 0 : at(behind);
    if (moved === undefined || anchor === undefined || moved === anchor) continue;
    const [left, right] = [before[moved] as number, next[moved] as number];
    next[left] = right;
    before[right] = left;
    const follower = next[anchor] as number;
    next[anchor] = moved;
    before[moved] = anchor;
    next[moved] = follower;
    before[follower] = moved;
  }
  const order: LoggedMessage[] = [];
  for (let index = next[0] as number; index !== 0; index = next[index] as number)
    order.push(log[index - 1] as LoggedMessage);
  return order;
}

/** Where messages stand, from 1: mostly their number says it, and nothing is made for the whole log. */
function positionsIn(log: readonly LoggedMessage[]): (id: string) => number | undefined {
  let all: ReadonlyMap<string, number> | undefined;
  return (id) => {
    const number = Number(id.slice("msg_".length));
    if (log[number - 1]?.id === id) return number;
    all ??= new Map(log.map((one, index) => [one.id, index + 1]));
    return all.get(id);
  };
}

/**
 * The fewest placements that bring `wanted` into its order, given the order that there is: what already follows each other
 * stays, everything else is put after its predecessor.
 */
export function placementsFor(
  order: readonly LoggedMessage[],
  wanted: readonly LoggedMessage[],
): Omit<PlacementRecord, "version">[] {
  const at = new Map(order.map(({ id }, index) => [id, index]));
  const positions = wanted.map(({ id }) => at.get(id) ?? -1);
  const stays = longestRise(positions);
  return wanted.flatMap(({ id }, index) =>
    stays.has(index) ? [] : [{ message_id: id, behind: wanted[index - 1]?.id ?? null }],
  );
}

/** The same for a conversation, whose log may have grown since its plan was committed. */
export const placementsIn = (
  log: readonly LoggedMessage[],
  plan: CompactionPlan,
  wanted: readonly LoggedMessage[],
): Omit<PlacementRecord, "version">[] => placementsFor(orderOf(log, plan), wanted);

/** Indices of a longest rising sequence. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const previous = new Array<number>(numbers.length);
  for (const [index, number] of numbers.entries()) {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
  }
  const rise = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] as number) rise.add(index);
  return rise;
}
