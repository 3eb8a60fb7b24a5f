/**
 * What becomes of each message: a plan, never an edit. The log keeps every message as it was said; a view is made by
 * applying a plan to it.
 *
 *     kept first │ archived: summarized or dropped │ kept last: included, or cleared when a tool said too much
 *                ▲ the summary goes here
 */
import type { Entry } from "./entries.ts";

export type Decision =
  /** Stays as it is. */
  | { readonly kind: "include" }
  /** Stays, with a shorter body. */
  | { readonly kind: "clear"; readonly text: string }
  /** Stays, with a note in place of its body, which is kept outside the view under this name. */
  | { readonly kind: "externalize"; readonly note: string }
  /** Goes; the summary speaks of it. */
  | { readonly kind: "summarize" }
  /** Goes without a word of its own. */
  | { readonly kind: "drop" };

export const include: Decision = { kind: "include" };
export const summarize: Decision = { kind: "summarize" };
export const drop: Decision = { kind: "drop" };

export interface ViewPlan {
  /** One per message. */
  readonly decisions: readonly Decision[];
  /** Where the summary is put; `null` when there is none. */
  readonly summaryAt: number | null;
}

/** The view that a plan makes. `changed` gives a message another body. */
export function applyPlan<T>(
  messages: readonly T[],
  plan: ViewPlan,
  changed: (message: T, body: string) => T,
  summary: () => T,
): T[] {
  const view: T[] = [];
  for (const [index, message] of messages.entries()) {
    if (index === plan.summaryAt) view.push(summary());
    const decision = plan.decisions[index] ?? include;
    if (decision.kind === "include") view.push(message);
    else if (decision.kind === "clear") view.push(changed(message, decision.text));
    else if (decision.kind === "externalize") view.push(changed(message, decision.note));
  }
  if (plan.summaryAt === messages.length) view.push(summary());
  return view;
}

/** The part that is archived: `[from, to)`. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

/**
 * Where to cut so that about `keepFirst` and `keepLast` messages stay (agents.md §3.3): the kept tail begins with a user
 * message where there is one besides the task, and no call is separated from its result. `null` when nothing would be
 * archived. `task` is the position of the message that always stays, `null` without one.
 */
export function findCut(
  entries: readonly Entry[],
  keepFirst: number,
  keepLast: number,
  task: number | null = null,
): Cut | null {
  const count = entries.length;
  if (count <= keepFirst + keepLast) return null;
  const naive = count - keepLast;
  const floor = Math.max(keepFirst, task ?? 0);
  let to = naive;
  while (to > floor && to < count && !beginsAnExchange(entries[to])) to--;
  if (to <= floor) to = naive;
  const cut = wholeExchanges(entries, keepFirst, to);
  return cut.to > cut.from ? cut : null;
}

/** A user says something: not the summary of what was said before. */
const beginsAnExchange = (entry: Entry | undefined): boolean =>
  entry?.role === "user" && entry.by !== "compaction";

/**
 * Moves both ends until no call is separated from its result. The beginning goes right: nothing may stand between a kept
 * call and its result. The end goes left (more is kept) while that leaves something to archive, else right.
 */
function wholeExchanges(entries: readonly Entry[], keepFirst: number, split: number): Cut {
  const pairs = exchangesOf(entries);
  const from = settled(keepFirst, (at) => crossing(pairs, at, -1)?.answer);
  const left = settled(split, (at) => crossing(pairs, at, from - 1)?.call);
  if (left > from) return { from, to: left };
  return { from, to: settled(split, (at) => crossing(pairs, at, from - 1)?.answer) };
}

/** A pair that a cut before `at` parts, its call after position `above`. Gives where the cut may stand instead. */
function crossing(
  pairs: readonly Exchange[],
  at: number,
  above: number,
): { call: number; answer: number } | undefined {
  const found = pairs.find(({ call, answer }) => call > above && call < at && answer >= at);
  return found === undefined ? undefined : { call: found.call, answer: found.answer + 1 };
}

/** Moves a cut until nothing asks for another place. Each step goes the same way, so it ends. */
function settled(start: number, moved: (at: number) => number | undefined): number {
  let at = start;
  for (let next = moved(at); next !== undefined; next = moved(at)) at = next;
  return at;
}

interface Exchange {
  readonly call: number;
  readonly answer: number;
}

/** Calls with their answers, by position. */
function exchangesOf(entries: readonly Entry[]): Exchange[] {
  const open = new Map<string, number>();
  const pairs: Exchange[] = [];
  for (const [index, entry] of entries.entries()) {
    for (const id of entry.calls) open.set(id, index);
    const call = entry.answers === null ? undefined : open.get(entry.answers);
    if (call !== undefined) pairs.push({ call, answer: index });
  }
  return pairs;
}
