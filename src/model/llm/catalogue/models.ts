/**
 * Models: context windows, output limits and prices, as one dated table.
 *
 * Prices are US dollars per million tokens, for the vendor's standard service. `pricesAsOf` dates the
 * table; a run record should carry it beside a cost. A model that is not here has no price, and that is
 * said (`null`), never guessed: a guessed price would make a dollar limit lie.
 *
 * Ids are matched exactly, then without a date at the end (`gpt-4o-2024-11-20`, `claude-sonnet-4-20250514`), then
 * without a vendor prefix (`anthropic/claude-sonnet-4.6`).
 */

/** When the prices were last compared with the vendors' price pages. */
export const pricesAsOf = "2026-11-21";

export interface Price {
  input_per_mtok: number;
  output_per_mtok: number;
  cache_read_per_mtok: number;
  cache_write_per_mtok: number;
  /** Other prices for the whole request when its prompt is longer than `above` tokens. */
  long_prompt?: { above: number } & Omit<Price, "long_prompt">;
}

export interface ModelSpec {
  id: string;
  provider: string;
  context_window: number;
  /** The most tokens one answer may have; null when the vendor sets no limit of its own. */
  max_output: number | null;
  pricing: Price | null;
  /** How many times the usual price the vendor's faster service costs; absent where there is none, or nobody knows. */
  fast_factor?: number;
}

/** id, context in thousands, most output in thousands, input, output, cache read, cache write */
type ModelRow = readonly [string, number, number, number, number, number, number?];

// Anthropic bills cache writes at 1.25 times the input price, the others at the input price itself.
const anthropic: readonly ModelRow[] = [
  ["claude-fable-5-1", 1000, 128, 10, 50, 0.25, 12.5],
  ["claude-fable-5", 1000, 128, 10, 50, 1, 12.5],
  ["claude-mythos-5-1", 1000, 128, 10, 50, 0.25, 12.5],
  ["claude-mythos-5", 1000, 128, 10, 50, 1, 12.5],
  ["claude-opus-5-5", 1000, 128, 4, 20, 0.2, 5],
  ["claude-opus-5", 1000, 128, 5, 25, 0.5, 6.25],
  ["claude-opus-4-8", 1000, 128, 5, 25, 0.5, 6.25],
  ["claude-opus-4-7", 1000, 128, 5, 25, 0.5, 6.25],
  ["claude-opus-4-6", 200, 128, 5, 25, 0.5, 6.25],
  ["claude-opus-4-5", 200, 64, 5, 25, 0.5, 6.25],
  ["claude-opus-4-1", 200, 32, 15, 75, 1.5, 18.75],
  ["claude-opus-4-0", 200, 32, 15, 75, 1.5, 18.75],
  ["claude-opus-4", 200, 32, 15, 75, 1.5, 18.75],
  ["claude-3-opus", 200, 4.096, 15, 75, 1.5, 18.75],
  ["claude-sonnet-5-5", 1000, 128, 2, 10, 0.1, 2.5],
  ["claude-sonnet-5", 1000, 128, 2, 10, 0.2, 2.5],
  ["claude-sonnet-4-6", 200, 64, 3, 15, 0.3, 3.75],
  ["claude-sonnet-4-5", 200, 64, 3, 15, 0.3, 3.75],
  ["claude-sonnet-4-0", 200, 64, 3, 15, 0.3, 3.75],
  ["claude-sonnet-4", 200, 64, 3, 15, 0.3, 3.75],
  ["claude-3-7-sonnet", 200, 64, 3, 15, 0.3, 3.75],
  ["claude-3-5-sonnet", 200, 8.192, 3, 15, 0.3, 3.75],
  ["claude-haiku-5-5", 1000, 128, 0.1, 0.5, 0.01, 0.125],
  ["claude-haiku-4-5", 200, 64, 1, 5, 0.1, 1.25],
  ["claude-3-5-haiku", 200, 8.192, 0.8, 4, 0.08, 1],
  ["claude-3-haiku", 200, 4.096, 0.25, 1.25, 0.03, 0.3],
];

const openai: readonly ModelRow[] = [
  ["gpt-5.5", 1050, 128, 5, 30, 0.5],
  ["gpt-5.4", 1050, 128, 2.5, 15, 0.25],
  ["gpt-5.4-mini", 400, 128, 0.75, 4.5, 0.075],
  ["gpt-5.4-nano", 400, 128, 0.2, 1.25, 0.02],
  ["gpt-5.2", 400, 128, 1.75, 14, 0.175],
  ["gpt-5.1", 400, 128, 1.25, 10, 0.125],
  ["gpt-5", 400, 128, 1.25, 10, 0.125],
  ["gpt-5.2-pro", 400, 128, 21, 168, 21],
  ["gpt-5.2-codex", 400, 128, 1.75, 14, 0.175],
  ["gpt-5.1-codex", 400, 128, 1.25, 10, 0.125],
  ["gpt-5.1-codex-max", 400, 128, 1.25, 10, 0.125],
  ["gpt-5.1-codex-mini", 400, 128, 0.25, 2, 0.025],
  ["gpt-5-pro", 400, 272, 15, 120, 15],
  ["gpt-5-codex", 400, 128, 1.25, 10, 0.125],
  ["gpt-5-mini", 400, 128, 0.25, 2, 0.025],
  ["gpt-5-nano", 400, 128, 0.05, 0.4, 0.005],
  ["gpt-4.1", 1047.576, 32.768, 2, 8, 0.5],
  ["gpt-4.1-mini", 1047.576, 32.768, 0.4, 1.6, 0.1],
  ["gpt-4.1-nano", 1047.576, 32.768, 0.1, 0.4, 0.025],
  ["gpt-4o", 128, 16.384, 2.5, 10, 1.25],
  ["gpt-4o-mini", 128, 16.384, 0.15, 0.6, 0.075],
  ["gpt-4-turbo", 128, 4.096, 10, 30, 10],
  ["o1", 200, 100, 15, 60, 7.5],
  ["o3", 200, 100, 2, 8, 0.5],
  ["o3-mini", 200, 100, 1.1, 4.4, 0.55],
  ["o4-mini", 200, 100, 1.1, 4.4, 0.275],
];

const gemini: readonly ModelRow[] = [
  ["gemini-3.1-pro-preview", 1048.576, 65.536, 2, 12, 0.2],
  ["gemini-3-pro-preview", 1048.576, 65.536, 2, 12, 0.2],
  ["gemini-3-flash-preview", 1048.576, 65.536, 0.5, 3, 0.05],
  ["gemini-2.5-pro", 1048.576, 65.536, 1.25, 10, 0.125],
  ["gemini-2.5-flash", 1048.576, 65.536, 0.3, 2.5, 0.03],
  ["gemini-2.5-flash-lite", 1048.576, 65.536, 0.1, 0.4, 0.01],
];

/** Models of open weights: known windows, no price of their own (the host sets it, or it is the user's machine). */
const unpriced: readonly (readonly [string, string, number])[] = [
  ["llama3.2", "ollama", 128],
  ["deepseek-chat", "deepseek", 128],
  ["deepseek-reasoner", "deepseek", 128],
];

const longPrompts: ReadonlyMap<string, NonNullable<Price["long_prompt"]>> = new Map([
  ["claude-haiku-5-5", { above: 100_000, ...price(0.5, 2.5, 0.05, 0.625) }],
  ["gemini-2.5-pro", { above: 200_000, ...price(2.5, 15, 0.25, 2.5) }],
  ["gemini-3-pro-preview", { above: 200_000, ...price(4, 18, 0.4, 4) }],
  ["gemini-3.1-pro-preview", { above: 200_000, ...price(4, 18, 0.4, 4) }],
]);

/** Anthropic's fast mode, OpenAI's priority processing. */
const fastFactors: ReadonlyMap<string, number> = new Map([
  ["claude-opus-5", 2],
  ["gpt-5.5", 2.5],
  ["gpt-5.4", 2],
  ["gpt-5.4-mini", 2],
  ["gpt-5.2", 2],
  ["gpt-5.1", 2],
  ["gpt-5", 2],
  ["gpt-5-mini", 1.8],
  ["gpt-4.1", 1.75],
]);

/** The built-in rows; made when first asked for. */
export function builtinModels(): ModelSpec[] {
  return [
    ...anthropic.map((row) => priced("anthropic", row)),
    ...openai.map((row) => priced("openai", row)),
    ...gemini.map((row) => priced("gemini", row)),
    ...unpriced.map(([id, provider, thousands]) => ({
      id,
      provider,
      context_window: thousands * 1000,
      max_output: null,
      pricing: null,
    })),
  ];
}

function priced(provider: string, row: ModelRow): ModelSpec {
  const [id, context, output, input, out, read, write = input] = row;
  const pricing: Price = price(input, out, read, write);
  const long = longPrompts.get(id);
  if (long) pricing.long_prompt = long;
  const factor = fastFactors.get(id);
  return {
    ...(factor === undefined ? {} : { fast_factor: factor }),
    id,
    provider,
    context_window: Math.round(context * 1000),
    max_output: Math.round(output * 1000),
    pricing,
  };
}

function price(input: number, output: number, read: number, write: number): Omit<Price, "long_prompt"> {
  return {
    input_per_mtok: input,
    output_per_mtok: output,
    cache_read_per_mtok: read,
    cache_write_per_mtok: write,
  };
}
