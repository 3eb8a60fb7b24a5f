/** The knobs of the compaction engine (agents.md §3.3), as the builtins and the loop both read them. */
import { Callable, type Dict, thrown, typeOf, type Value } from "../../values/index.ts";
import { type CompactionPolicy, policyOf } from "./compaction-policy.ts";
import { type PromptSource, readPromptSource } from "./prompt-source.ts";

export type EngineStrategy = "llm" | "truncate" | "observation_mask" | "custom";

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

export const defaultKeepLast = 12;
export const defaultToolOutput = 16_000;

const strategies: readonly string[] = ["llm", "truncate", "observation_mask", "custom"];

/** One of the engine's strategies. */
export function engineStrategy(value: Value): EngineStrategy {
  if (typeof value === "string" && strategies.includes(value)) return value as EngineStrategy;
  const name = typeof value === "string" ? value : typeOf(value);
  throw thrown(
    `unknown compact_strategy '${name}' (expected 'llm', 'truncate', 'custom', or 'observation_mask')`,
  );
}

/** Reads one options dict; errors begin with the caller's name. */
export class KnobReader {
  readonly options: Dict;
  readonly caller: string;

  constructor(options: Dict, caller: string) {
    this.options = options;
    this.caller = caller;
  }

  private value(name: string): Value {
    return this.options.get(name) ?? null;
  }

  /** The first of the names that is there, as an int of 0 or more. */
  count(names: readonly string[]): number | null {
    for (const name of names) {
      const value = this.value(name);
      if (value === null) continue;
      if (typeof value !== "number")
        throw thrown(`${this.caller}: \`${name}\` must be an int; got ${typeOf(value)}`);
      if (value < 0) throw thrown(`${this.caller}: ${name} must be >= 0`);
      return value;
    }
    return null;
  }

  closure(names: readonly string[]): Callable | null {
    for (const name of names) {
      const value = this.value(name);
      if (value === null) continue;
      if (!(value instanceof Callable))
        throw thrown(`${this.caller}: \`${name}\` must be a closure or nil; got ${typeOf(value)}`);
      return value;
    }
    return null;
  }

  strategy(names: readonly string[]): EngineStrategy | null {
    for (const name of names) if (this.value(name) !== null) return engineStrategy(this.value(name));
    return null;
  }

  /** The knobs that every caller shares. A compactor without a strategy implies `custom`. */
  common(): Omit<CompactionOptions, "strategy" | "label" | "keepFirst" | "keepLast" | "threshold" | "llm"> & {
    readonly asked: EngineStrategy | null;
  } {
    const customCompactor = this.closure(["compact_callback", "custom_compactor"]);
    const asked =
      this.strategy(["compact_strategy", "strategy"]) ?? (customCompactor === null ? null : "custom");
    if (asked === "custom" && customCompactor === null)
      throw thrown("compact_callback is required when compact_strategy is 'custom'");
    return {
      asked,
      unpinned: this.value("keep_first") === 0,
      toolOutputMaxChars: this.count(["tool_output_max_chars"]) ?? defaultToolOutput,
      hardLimit: this.count(["hard_limit_tokens"]),
      hardStrategy: this.strategy(["hard_limit_strategy"]) ?? "llm",
      summarizePrompt: readPromptSource(
        this.value("summarize_prompt"),
        `${this.caller}: \`summarize_prompt\``,
      ),
      customCompactor,
      maskCallback: this.closure(["mask_callback"]),
      compressCallback: this.closure(["compress_callback"]),
      policy: policyOf(this.options, this.caller),
    };
  }
}
