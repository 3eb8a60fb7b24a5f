/** What strategies ask of the runtime, those of the library and a script's own alike: sizes, heads, failures, whole exchanges. */
import { type BuiltinRun, type BuiltinSpec, defineBuiltins } from "../../../table/index.ts";
import { type Argument, Dict, headOf, intOr, List, textOf, thrown, typeOf } from "../../../values/index.ts";
import { failureLines, microcompact } from "../../tools/microcompact.ts";
import { textWeight } from "../meter.ts";
import { wholeExchanges } from "./whole-exchanges.ts";

type Measure = "microcompact" | `compaction_${"head" | "failures" | "weight" | "whole"}`;

/** By the name of the builtin. */
export const strategyMeasures: Readonly<Record<Measure, BuiltinRun>> = {
  microcompact: (_task, text: Argument, max: Argument) => microcompact(textOf(text), intOr(max, 20_000)),
  compaction_head: (_task, text: Argument, chars: Argument) => headOf(textOf(text), intOr(chars, 0)),
  compaction_failures: (_task, text: Argument) => new List(failureLines(textOf(text))),
  compaction_weight: (_task, text: Argument) => textWeight(textOf(text)),
  compaction_whole: (_task, messages: Argument, from: Argument, to: Argument) => {
    if (!(messages instanceof List))
      throw thrown(`compaction_whole: messages must be a list, got ${typeOf(messages ?? null)}`);
    const dicts = messages.toArray().map((one) => (one instanceof Dict ? one : new Dict()));
    return new List([...wholeExchanges(dicts, intOr(from, 0), intOr(to, dicts.length))]);
  },
};

/** The table of the library's own strategies: they need nothing else. */
export function measureTable(): ReadonlyMap<string, BuiltinSpec> {
  const doc = "see builtins/agents/transcript-compaction.ts";
  const declared = Object.entries(strategyMeasures).map(([name, run]) => {
    const spec = { doc, sig: "(...values: any) -> any", effect: "pure", run } as const;
    return [name, spec] as const;
  });
  return new Map(defineBuiltins("compaction", Object.fromEntries(declared)).map((spec) => [spec.name, spec]));
}
