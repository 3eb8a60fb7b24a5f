/**
 * What is wrong with a list of messages, and the list without it: pure, and the same for the view of a conversation and for
 * what a callback or a projection made of one. Vendors refuse
 *
 *     a call without a result           ─▶ answered as interrupted
 *     a result without a call, a second ─▶ left out
 *     a result elsewhere, words between ─▶ the results right after their call, in its order, the words after them
 *     a model message that holds nothing─▶ left out
 *     arguments that nobody can read    ─▶ `{}`, their text in the result
 *     reasoning that no longer fits     ─▶ taken out
 *
 * What `mended` gives is sound (`isSound`), so that a second look changes nothing.
 */
import { finishedCall, type ModelMessage, messageText } from "../../../model/index.ts";
import { answeredCall } from "../projection/tool-results.ts";

export type RepairRule =
  | "call_without_result"
  | "result_without_call"
  | "second_result"
  | "out_of_place"
  | "empty_message"
  | "unreadable_arguments"
  | "unfit_reasoning"
  | "begins_without_user"
  | "refused_history";

/** How a kind of item is looked at. `fits`: the message still goes with the reasoning that it came with. */
export interface HistoryReader<T> {
  message(item: T): ModelMessage;
  fits(item: T): boolean;
}

/** One thing that was wrong. */
export interface RepairFinding<T> {
  readonly rule: Exclude<RepairRule, "begins_without_user" | "refused_history">;
  /** What it is about: the message with the call, the result, the words. */
  readonly item: T;
  /** What came of it: the result that was made. */
  readonly made: T | null;
  readonly call: string | null;
  readonly tool: string | null;
}

/** A call and the result that was found for it. */
interface Slot<T> {
  readonly id: string;
  readonly name: string;
  readonly unreadable: boolean;
  result: T | undefined;
}

/** Whether arguments are an object, or the text of one. */
export function isReadableCall(value: unknown): boolean {
  if (typeof value === "string") return finishedCall("", "", value).arguments !== null;
  return value === undefined || value === null || (typeof value === "object" && !Array.isArray(value));
}

/** A message of a model that says nothing and calls nothing. */
function isEmpty({ role, content, tool_calls: calls }: ModelMessage): boolean {
  if (role !== "assistant" || (calls !== undefined && calls.length > 0)) return false;
  if (Array.isArray(content))
    return content.every((block) => "text" in block) && messageText({ role, content }).trim() === "";
  return (content ?? "").trim() === "";
}

/** Whether nothing of the above is wrong from `from` on, where everything before it is sound. */
export function isSound<T>(items: readonly T[], from: number, reader: HistoryReader<T>): boolean {
  let open: readonly string[] = [];
  let next = 0;
  for (let index = from; index < items.length; index++) {
    const item = items[index] as T;
    const message = reader.message(item);
    const resultOf = answeredCall(message);
    if (resultOf !== undefined) {
      if (open[next] !== resultOf) return false;
      next++;
      continue;
    }
    if (next < open.length || isEmpty(message) || !reader.fits(item)) return false;
    const calls = message.tool_calls ?? [];
    if (!calls.every((call) => isReadableCall(call.arguments))) return false;
    open = calls.map(({ id }) => id);
    next = 0;
  }
  return next === open.length;
}

/** The messages in the order in which a vendor takes them, and what was wrong. `missing` makes the result of a call. */
export function mended<T>(
  items: readonly T[],
  reader: HistoryReader<T>,
  missing: (call: string, tool: string) => T,
): { readonly kept: T[]; readonly found: RepairFinding<T>[] } {
  const { slots, orphans } = slotsOf(items, reader);
  const found: RepairFinding<T>[] = [];
  const kept: T[] = [];
  for (const [index, item] of items.entries()) {
    const message = reader.message(item);
    const resultOf = answeredCall(message);
    if (resultOf !== undefined) {
      const rule = orphans.get(item);
      if (rule !== undefined)
        found.push({ rule, item, made: null, call: resultOf, tool: message.name ?? null });
      continue;
    }
    if (isEmpty(message)) {
      found.push({ rule: "empty_message", item, made: null, call: null, tool: null });
      continue;
    }
    kept.push(item);
    if (!reader.fits(item)) found.push({ rule: "unfit_reasoning", item, made: null, call: null, tool: null });
    for (const [place, { id, name, unreadable, result }] of (slots.get(item) ?? []).entries()) {
      const made = result ?? missing(id, name);
      kept.push(made);
      const about = { item, call: id, tool: name };
      if (unreadable) found.push({ rule: "unreadable_arguments", made, ...about });
      if (result === undefined) found.push({ rule: "call_without_result", made, ...about });
      else if (items[index + 1 + place] !== result)
        found.push({ rule: "out_of_place", item: result, made: null, call: id, tool: name });
    }
  }
  return { kept, found };
}

/**
 * Which result answers which call. Ids may come again in later turns: a result belongs to the last message that made such a
 * call before it; one that stands before the only call of its id belongs to that.
 */
function slotsOf<T>(
  items: readonly T[],
  { message: read }: HistoryReader<T>,
): {
  readonly slots: ReadonlyMap<T, Slot<T>[]>;
  readonly orphans: ReadonlyMap<T, "result_without_call" | "second_result">;
} {
  const slots = new Map<T, Slot<T>[]>();
  const open = new Map<string, Slot<T>[]>();
  const early = new Map<string, T[]>();
  const orphans = new Map<T, "result_without_call" | "second_result">();
  for (const item of items) {
    const message = read(item);
    const resultOf = answeredCall(message);
    if (resultOf !== undefined) {
      const waiting = open.get(resultOf);
      const slot = waiting?.shift();
      if (slot !== undefined) slot.result = item;
      else {
        orphans.set(item, waiting === undefined ? "result_without_call" : "second_result");
        if (waiting === undefined) early.set(resultOf, [...(early.get(resultOf) ?? []), item]);
      }
      continue;
    }
    if (message.tool_calls === undefined || message.tool_calls.length === 0) continue;
    const own = openSlots<T>(message.tool_calls);
    slots.set(item, own);
    for (const { id } of own) open.set(id, []);
    for (const slot of own) open.get(slot.id)?.push(slot);
  }
  for (const slot of [...slots.values()].flat()) {
    const item = slot.result === undefined ? early.get(slot.id)?.shift() : undefined;
    if (item === undefined) continue;
    slot.result = item;
    orphans.delete(item);
  }
  return { slots, orphans };
}

/** Places for the results of a message's calls; none has come yet. */
const openSlots = <T>(calls: NonNullable<ModelMessage["tool_calls"]>): Slot<T>[] =>
  calls.map(
    ({ id, name, arguments: args }): Slot<T> => ({
      id,
      name,
      unreadable: !isReadableCall(args),
      result: undefined,
    }),
  );
