/** The options of compaction by the ladder, read and checked. */

import { at, fieldTable, inside, type Read, readRows, refusal, rows } from "../../table/index.ts";
import { Callable, type Dict, Float } from "../../values/index.ts";
import { type CompactionPolicy, policyOf } from "./compaction-policy.ts";
import { compactionPolicyFields, compactionRows } from "./context-fields.ts";
import { ladderFields, ladderKnobs } from "./ladder-fields.ts";

type Ladder = Read<typeof ladderFields>;

/** How far the ladder goes, and when. `soft`, `hard` and `target` are parts of the budget. */
export interface LadderSettings
  extends Pick<Ladder, "soft" | "hard" | "keepExchanges" | "keepMessages" | "userTokens" | "rungs"> {
  readonly target: number;
  /** The part of the window from which a pass is made, where that is said in place of `soft`; `null`: it is not. */
  readonly ratio: number | null;
}

export interface LadderOptions
  extends Pick<Ladder, "maxInputTokens" | "durability" | "mustSurvive" | "tool"> {
  /** `fn(messages, room) -> steps`; `null`: the ladder of `std/agent/compaction`. */
  readonly strategy: Callable | null;
  readonly settings: LadderSettings;
  /** A dict is the route of the model (empty: the loop's); `false`: nobody is asked. */
  readonly summarizer: Dict | Callable | false;
  readonly minRetention: number;
  readonly probes: number;
  readonly probeModel: string | null;
  readonly verify: Callable | null;
  readonly policy: CompactionPolicy | null;
}

/** Keys that only the ladder has: naming one of them asks for it. */
export const ladderKeys: readonly string[] = [...ladderFields.names()];

/** Keys of the other strategies, and what the ladder has for them. */
const others = {
  token_threshold: "soft",
  compact_threshold: "soft",
  threshold: "soft",
  hard_limit_tokens: "hard",
  hard_limit_strategy: "rungs",
  tool_output_max_chars: "rungs",
  keep_first: "user_tokens",
  compact_keep_first: "user_tokens",
  keep_last: "keep_exchanges",
  keep_last_n: "keep_exchanges",
  compact_keep_last: "keep_exchanges",
  mask_callback: "durability",
  compress_callback: "durability",
  compact_callback: "summarizer",
  custom_compactor: "summarizer",
  summary: "summarizer",
  target_tokens: "target",
  summarize_prompt: "prompts",
};

/** With what may stand beside them: names of the strategy, the summarizer's route, a policy. */
const readFields = rows(ladderKnobs, {
  strict: true,
  meant: others,
  beside: () => [
    ...fieldTable(() => compactionRows()).rows.filter(({ name }) => !Object.hasOwn(others, name)),
    ...compactionPolicyFields.rows,
    ...["enabled", "kind", "type"].map((name) => ({ name, type: "any", doc: "", why: "read before" })),
  ],
});

const usualTarget = 0.5;

export const usualSettings: LadderSettings = settingsOf(ladderFields.usual);

function settingsOf(read: Ladder): LadderSettings {
  const { hard, keepExchanges, keepMessages, userTokens, rungs, thresholdRatio: ratio } = read;
  const soft = read.softThresholdPercent ?? read.soft;
  // Below a low soft the usual target would be none.
  const target = read.target ?? Math.min(usualTarget, soft * 0.625);
  return { soft, hard, target, ratio, keepExchanges, keepMessages, userTokens, rungs };
}

/** `route`: the summarizer's own provider and model, where the dict names some. `path`: where the dict stands. */
export function ladderOptionsOf(dict: Dict, caller: string, route: Dict, path = "compaction"): LadderOptions {
  const place = at(caller, path);
  const read = readRows(dict, readFields, place);
  const settings = settingsOf(read);
  const { soft, hard } = settings;
  const bound = (key: "soft" | "target", name: string, limit: number): void => {
    if (settings[key] >= limit)
      throw refusal(inside(place, key), `float below ${name} (${limit})`, new Float(settings[key]));
  };
  bound("soft", "hard", hard);
  bound("target", "soft", soft);
  const also = ["soft", "soft_threshold_percent"].find((key) => (dict.get(key) ?? null) !== null);
  if (settings.ratio !== null && also !== undefined)
    throw refusal(inside(place, "threshold_ratio"), `nil beside \`${also}\``, new Float(settings.ratio));
  const { minRetention, probes, model: probeModel, by: verify } = read.verify;
  const named = dict.get("compact_strategy") ?? dict.get("strategy") ?? null;
  return {
    ...read,
    strategy: named instanceof Callable ? named : null,
    settings,
    minRetention,
    probes,
    probeModel,
    verify,
    summarizer: read.summarizer === true ? route : (read.summarizer ?? route),
    policy: policyOf(dict, caller),
  };
}
