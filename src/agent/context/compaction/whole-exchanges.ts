/** Cuts that part no call from its result. */
import { type Dict, List, type Value } from "../../../values/index.ts";

/** Call and answer, by position. */
interface CallPair {
  readonly call: number;
  readonly answer: number;
}

/**
 * Moves both ends of `[from, to)` until no call is separated from its result. The beginning goes right: nothing may stand between
 * a kept call and its result. The end goes left (more is kept) while that leaves something, else right. `messages`: those of a
 * strategy, with `calls` and `answers`.
 */
export function wholeExchanges(messages: readonly Dict[], from: number, to: number): [number, number] {
  const pairs = exchangePairs(messages);
  const begin = settled(from, (at) => crossing(pairs, at, -1)?.answer);
  const left = settled(to, (at) => crossing(pairs, at, begin - 1)?.call);
  if (left > begin) return [begin, left];
  return [begin, settled(to, (at) => crossing(pairs, at, begin - 1)?.answer)];
}

/** A pair that a cut before `at` parts, its call after position `above`. Gives where the cut may stand instead. */
function crossing(
  pairs: readonly CallPair[],
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

function exchangePairs(messages: readonly Dict[]): CallPair[] {
  const open = new Map<Value, number>();
  const pairs: CallPair[] = [];
  for (const [index, message] of messages.entries()) {
    const calls = message.get("calls");
    if (calls instanceof List) for (const id of calls) open.set(id, index);
    const answers = message.get("answers") ?? null;
    const call = answers === null ? undefined : open.get(answers);
    if (call !== undefined) pairs.push({ call, answer: index });
    // In text formats nothing names the call.
    const group = message.get("group");
    if (group !== undefined && group === messages[index - 1]?.get("group"))
      pairs.push({ call: index - 1, answer: index });
  }
  return pairs;
}
