/**
 * The compaction options of a loop (agents.md §11.8): `compaction`, `auto_compact` and the `compact_*` keys are one dict in
 * the end, the last named winning; the loop's strategies are names for what the engine does.
 */
import { routeRows } from "../../model/index.ts";
import { at, oneOf, refusal, row, rows } from "../../table/index.ts";
import { Callable, Dict, thrown, type Value } from "../../values/index.ts";
import { type CompactionOptions, engineOptions, engineStrategy } from "./compaction-options.ts";
import { compactionFields, type EngineStrategy } from "./context-fields.ts";
import { type LadderOptions, ladderKeys, ladderOptionsOf } from "./ladder-options.ts";

/** Threshold, hard limit and the size of kept tool results may depend on the model's window: `null` where nobody said. */
export interface LoopCompaction extends Omit<CompactionOptions, "threshold" | "toolOutputMaxChars"> {
  readonly threshold: number | null;
  readonly toolOutputMaxChars: number | null;
  /** With the strategy `ladder`: what is said of it; `null` with every other. */
  readonly ladder: LadderOptions | null;
}

export const loopCompactionRows = rows(() => ({
  compaction: row
    .either(
      [row.text(), row.bool(), row.dict(null).with({ nested: compactionFields }), row.closure()],
      "What is done with a conversation that grows too long.",
    )
    .usually('"hybrid"'),
  auto_compact: row.either(
    [row.text(), row.bool(), row.dict(null).with({ nested: compactionFields }), row.closure()],
    "Another name for `compaction`.",
  ),
  compact_strategy: row
    .either([row.text(), row.closure()], "Short for `compaction: {strategy}`.")
    .with({ sets: ["compaction"] }),
  compact_callback: row.closure("Short for `compaction: {compact_callback}`.").with({ sets: ["compaction"] }),
  compact_threshold: row
    .int("Short for `compaction: {token_threshold}`.", null, { min: 0 })
    .with({ sets: ["compaction"] }),
  compact_keep_first: row
    .int("Short for `compaction: {keep_first}`.", null, { min: 0 })
    .with({ sets: ["compaction"] }),
  compact_keep_last: row
    .int("Short for `compaction: {keep_last}`.", null, { min: 0 })
    .with({ sets: ["compaction"] }),
  max_input_tokens: row
    .int('Short for `compaction: {strategy: "ladder", max_input_tokens}`.', null, { min: 100 })
    .with({ sets: ["compaction"] }),
  soft_threshold_percent: row
    .number('Short for `compaction: {strategy: "ladder", soft}`.', null, { min: 0, max: 1 })
    .with({ sets: ["compaction"] }),
}));

const engines: ReadonlyMap<string, EngineStrategy> = new Map([
  ["truncate", "truncate"],
  ["summarize_middle", "llm"],
  ["summarize_all", "llm"],
  ["hybrid", "llm"],
  ["observation_mask", "observation_mask"],
  ["custom", "custom"],
]);

/** What `compaction` may name. */
export const loopStrategies: readonly string[] = ["none", "ladder", ...engines.keys()];

/** Other names of strategies. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["summarize", "summarize_middle"],
  ["llm", "summarize_middle"],
]);

const keepLastInLoop = 10;

function refuseLadderKeys(dict: Dict, caller: string): void {
  const foreign = ladderKeys.find((key) => (dict.get(key) ?? null) !== null);
  if (foreign !== undefined)
    throw thrown(
      `${caller}: \`compaction.${foreign}\` is the ladder's; use strategy: "ladder" or leave it out`,
    );
}

/** Reads them; `null` when compaction is switched off. */
export function loopCompactionOf(input: Dict, caller: string): LoopCompaction | null {
  const asked = input.get("compaction") ?? null;
  const auto = input.get("auto_compact") ?? null;
  if (isOff(asked) || (asked === null && isOff(auto))) return null;
  const dict = dictOf(asked, "compaction", caller)
    .merge(dictOf(auto, "auto_compact", caller))
    .merge(topLevel(input));
  const label = compactionLabelOf(dict, caller);
  if (label === ladderLabel) return ladderCompaction(ladderOptionsOf(dict, caller, routeIn(dict)));
  const place = at(caller, "compaction");
  const strategy = engines.get(label) ?? engineStrategy(label, place);
  const { read, common } = engineOptions(
    dict.without("strategy").without("kind").without("type").with("compact_strategy", strategy),
    place,
  );
  const usualKeepLast = label === "summarize_all" ? 0 : keepLastInLoop;
  refuseLadderKeys(dict, caller);
  return {
    ...common,
    ladder: null,
    unpinned: false,
    // Nobody who chose to cut pays for a summary, and `hybrid` cuts where its summary is too long.
    hardStrategy:
      !dict.has("hard_limit_strategy") && (label === "hybrid" || label === "truncate")
        ? "truncate"
        : common.hardStrategy,
    toolOutputMaxChars: read.toolOutputMaxChars,
    strategy,
    label,
    keepFirst: read.compactKeepFirst ?? read.keepFirst ?? 0,
    keepLast: read.compactKeepLast ?? read.keepLastN ?? read.keepLast ?? usualKeepLast,
    threshold: read.compactThreshold ?? read.tokenThreshold ?? read.threshold,
    llm: routeIn(dict),
  };
}

export const ladderLabel = "ladder";

/** What events call the strategy. */
export const ladderName = ({ strategy }: LadderOptions): string =>
  strategy === null ? ladderLabel : strategy.name || "strategy";

/** Of loops that say nothing of it. */
export const usualCompaction: LoopCompaction = {
  strategy: "llm",
  label: "hybrid",
  ladder: null,
  unpinned: false,
  keepFirst: 0,
  keepLast: keepLastInLoop,
  threshold: null,
  toolOutputMaxChars: null,
  hardLimit: null,
  hardStrategy: "truncate",
  summarizePrompt: null,
  customCompactor: null,
  maskCallback: null,
  compressCallback: null,
  policy: null,
  llm: new Dict(),
};

/** The ladder decides everything by itself: what other strategies are told stands at its usual values. */
const ladderCompaction = (ladder: LadderOptions): LoopCompaction => ({
  ...usualCompaction,
  strategy: "truncate",
  label: ladderName(ladder),
  ladder,
  policy: ladder.policy,
});

const isOff = (value: Value): boolean =>
  value === false ||
  value === "none" ||
  (value instanceof Dict && (value.get("enabled") === false || namedStrategy(value) === "none"));

/** The strategy that a dict names, whichever of the keys it uses; `null` where it names none. */
const namedStrategy = (dict: Dict): Value =>
  dict.get("compact_strategy") ?? dict.get("strategy") ?? dict.get("kind") ?? dict.get("type") ?? null;

function dictOf(value: Value, name: string, caller: string): Dict {
  if (value === null || value === true) return new Dict();
  if (typeof value === "string" || value instanceof Callable) return Dict.of({ strategy: value });
  if (value instanceof Dict) return value;
  throw refusal(at(caller, name), "string | bool | dict | closure", value);
}

/** What is short for a key of the dict, and stands among the loop's options. */
function topLevel(input: Dict): Dict {
  let dict = new Dict();
  for (const key of loopCompactionRows.set("compaction")) {
    const value = input.get(key) ?? null;
    if (value !== null) dict = dict.with(key, value);
  }
  return dict;
}

function compactionLabelOf(dict: Dict, caller: string): string {
  const custom = (dict.get("compact_callback") ?? dict.get("custom_compactor") ?? null) !== null;
  const ladder = ladderKeys.some((key) => (dict.get(key) ?? null) !== null);
  const value = namedStrategy(dict) ?? (custom ? "custom" : ladder ? ladderLabel : "hybrid");
  if (value === ladderLabel || value instanceof Callable) return ladderLabel;
  const name = typeof value === "string" ? (aliases.get(value) ?? value) : "";
  if (engines.has(name)) return name;
  throw refusal(at(caller, "compaction.strategy"), oneOf(loopStrategies), value);
}

/** The summarizer's own provider, model and sampling, where it has some. */
function routeIn(dict: Dict): Dict {
  let route = new Dict();
  for (const { name: key } of routeRows()) {
    const value = dict.get(key) ?? null;
    if (value !== null) route = route.with(key, value);
  }
  return route;
}
