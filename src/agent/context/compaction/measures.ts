/** What strategies ask of the runtime, those of the library and a script's own alike: sizes, heads, failures, whole exchanges. */
import { type BuiltinRun, type BuiltinSpec, defineBuiltins } from "../../../table/index.ts";
import {
  type Argument,
  Dict,
  Float,
  headOf,
  intOr,
  List,
  Shape,
  textOf,
  thrown,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { failureLines, microcompact } from "../../tools/microcompact.ts";
import { foldBlanks, ungrounded } from "../exact-words.ts";
import { textWeight } from "../meter.ts";
import { cleanDelta } from "./delta.ts";

type Measure =
  | "microcompact"
  | `compaction_${"clean" | "failures" | "folded" | "groups" | "head" | "ungrounded" | "weight" | "whole"}`;

/** By the name of the builtin. */
export const strategyMeasures: Readonly<Record<Measure, BuiltinRun>> = {
  microcompact: (_task, text: Argument, max: Argument) => microcompact(textOf(text), intOr(max, 20_000)),
  compaction_clean: (_task, text: Argument) => cleanDelta(textOf(text)),
  compaction_folded: (_task, text: Argument) => foldBlanks(textOf(text)),
  compaction_ungrounded: (_task, text: Argument, sources: Argument) => {
    if (!(sources instanceof List))
      throw thrown(`compaction_ungrounded: sources must be a list, got ${typeOf(sources ?? null)}`);
    return new List(
      ungrounded(
        textOf(text),
        sources.toArray().map((one) => textOf(one)),
      ),
    );
  },
  compaction_head: (_task, text: Argument, chars: Argument) => headOf(textOf(text), intOr(chars, 0)),
  compaction_failures: (_task, text: Argument) => new List(failureLines(textOf(text))),
  compaction_weight: (_task, text: Argument) => textWeight(textOf(text)),
  compaction_groups: (_task, messages: Argument) => exchangeGroups(dictsIn("compaction_groups", messages)),
  compaction_whole: (_task, messages: Argument, from: Argument, to: Argument) => {
    const dicts = dictsIn("compaction_whole", messages);
    return new List([...wholeExchanges(dicts, intOr(from, 0), intOr(to, dicts.length))]);
  },
};

function dictsIn(caller: string, messages: Argument): Dict[] {
  if (messages instanceof List)
    return messages.toArray().map((one) => (one instanceof Dict ? one : new Dict()));
  throw thrown(`${caller}: messages must be a list, got ${typeOf(messages ?? null)}`);
}

const groupShape = Shape.ofLiteral([
  "at",
  "kind",
  "pinned",
  "from",
  "to",
  "ids",
  "results",
  "tokens",
]) as Shape;

/** Messages of one `group` after each other, as one dict. */
function exchangeGroups(messages: readonly Dict[]): List {
  const groups: Dict[] = [];
  for (let from = 0, to = 0; from < messages.length; from = to) {
    const first = messages[from] as Dict;
    const number = first.get("group") ?? null;
    const ids: Value[] = [];
    const results: Value[] = [];
    let tokens = 0;
    do {
      const message = messages[to++] as Dict;
      const [own, size] = [message.get("results"), message.get("tokens")];
      ids.push(message.get("id") ?? null);
      if (own instanceof List) results.push(...own);
      tokens += size instanceof Float ? size.value : typeof size === "number" ? size : 0;
    } while (number !== null && messages[to]?.get("group") === number);
    const [kind, pinned] = [first.get("kind") ?? null, first.get("pinned") ?? false];
    groups.push(
      // biome-ignore format: a line for all
      Dict.shaped(groupShape, [number ?? from, kind, pinned, from, to, new List(ids), new List(results), new Float(tokens)]),
    );
  }
  return new List(groups);
}

const numberOf = (value: Argument): number => (value instanceof Float ? value.value : Number(value));

/** Of what every program has, so much; numbers here are not negative. The builtins are of a folder above this one. */
const general: Readonly<Record<string, BuiltinRun>> = {
  floor: (_task, value: Argument) => Math.floor(numberOf(value)),
  round: (_task, value: Argument) => Math.round(numberOf(value)),
  to_float: (_task, value: Argument) => new Float(numberOf(value)),
  type_of: (_task, value: Argument) => typeOf(value ?? null),
};

/** The table of the library's own functions: they need nothing else. */
export function measureTable(): ReadonlyMap<string, BuiltinSpec> {
  const doc = "see builtins/agents/transcript-compaction.ts";
  const declared = Object.entries({ ...strategyMeasures, ...general }).map(([name, run]) => {
    const spec = { doc, sig: "(...values: any) -> any", effect: "pure", run } as const;
    return [name, spec] as const;
  });
  return new Map(defineBuiltins("compaction", Object.fromEntries(declared)).map((spec) => [spec.name, spec]));
}

// ── cuts that part no call from its result ──

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
function wholeExchanges(messages: readonly Dict[], from: number, to: number): [number, number] {
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
