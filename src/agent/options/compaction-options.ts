/** The knobs of the compaction engine (agents.md §3.3), as the builtins and the loop both read them. */
import { type At, at, inside, oneOf, readRows, refusal } from "../../table/index.ts";
import type { Callable, Dict, Value } from "../../values/index.ts";
import { type CompactionPolicy, policyOf } from "./compaction-policy.ts";
import { type EngineStrategy, engineStrategies, handFields } from "./context-fields.ts";
import type { PromptSource } from "./prompt-source.ts";

export interface CompactionOptions {
  readonly strategy: EngineStrategy;
  /** What events call the strategy: `hybrid` runs the engine's `llm`. */
  readonly label: string;
  readonly keepFirst: number;
  /** The message that opens the conversation may go like any other (`keep_first: 0`, by hand). */
  readonly unpinned?: boolean;
  readonly keepLast: number;
  /** Estimated tokens up to which nothing is done; 0 compacts always. */
  readonly threshold: number;
  readonly toolOutputMaxChars: number;
  readonly hardLimit: number | null;
  readonly hardStrategy: EngineStrategy;
  readonly summarizePrompt: PromptSource | null;
  readonly customCompactor: Callable | null;
  readonly maskCallback: Callable | null;
  readonly compressCallback: Callable | null;
  readonly policy: CompactionPolicy | null;
  /** Options of the summarizing call: provider, model … */
  readonly llm: Dict;
}

const defaultKeepLast = 12;
export const defaultToolOutput = 16_000;

/** One of the engine's strategies. */
export function engineStrategy(value: Value, place: At): EngineStrategy {
  const known = engineStrategies.find((name) => name === value);
  if (known === undefined) throw refusal(place, oneOf(engineStrategies), value);
  return known;
}

/** The knobs that every caller shares, and all that was read. A compactor without a strategy implies `custom`. */
export function engineOptions(options: Dict, place: At) {
  const read = readRows(options, handFields, place);
  const customCompactor = read.compactCallback ?? read.customCompactor;
  const named = read.compactStrategy ?? read.strategy;
  const asked =
    named !== null
      ? engineStrategy(named, inside(place, "compact_strategy"))
      : customCompactor === null
        ? null
        : "custom";
  if (asked === "custom" && customCompactor === null)
    throw refusal(inside(place, "compact_callback"), "closure", null, { help: 'the strategy is "custom"' });
  const common = {
    unpinned: read.keepFirst === 0,
    toolOutputMaxChars: read.toolOutputMaxChars ?? defaultToolOutput,
    hardLimit: read.hardLimitTokens,
    hardStrategy: read.hardLimitStrategy ?? "llm",
    summarizePrompt: read.summarizePrompt,
    customCompactor,
    maskCallback: read.maskCallback,
    compressCallback: read.compressCallback,
    policy: policyOf(options, place.caller),
  } as const;
  return { read, asked, common };
}

/** Of a call by hand. */
export function handOptions(options: Dict, caller: string) {
  const { read, asked, common } = engineOptions(options, at(caller));
  const strategy = asked ?? "observation_mask";
  const keepLast = read.keepLast ?? defaultKeepLast;
  return {
    read,
    options: { ...common, strategy, label: strategy, keepFirst: read.keepFirst ?? 0, keepLast },
  };
}
