/** The option `scratchpad` (agents.md §11.9). */
import { Dict, thrown, typeOf, type Value } from "../../values/index.ts";

export interface ScratchpadOptions {
  /** The pad stands at the end of the system text. */
  readonly recite: boolean;
  /** Turns between two reorganizations. */
  readonly reorganizeEvery: number;
  /** Messages that the reorganizer is shown and may cite. */
  readonly maxRecentMessages: number;
  readonly schemaRetries: number;
  /** What the session begins with; `null` for the task as its goal. */
  readonly initial: Dict | null;
  /** The model that reorganizes; `null` when nobody does. */
  readonly reorganizer: Dict | null;
}

/** `null`: no scratchpad. */
export function readScratchpad(value: Value, caller: string): ScratchpadOptions | null {
  if (value === null || value === false) return null;
  const dict = value === true ? new Dict() : value;
  if (!(dict instanceof Dict))
    throw thrown(`${caller}: \`scratchpad\` must be a bool, dict, or nil; got ${typeOf(value)}`);
  if (dict.get("enabled") === false) return null;
  const count = (key: string, usual: number, least: number): number => {
    const input = dict.get(key) ?? usual;
    if (typeof input !== "number" || input < least)
      throw thrown(`${caller}: \`scratchpad.${key}\` must be >= ${least}`);
    return input;
  };
  const initial = dict.get("initial") ?? null;
  if (initial !== null && !(initial instanceof Dict))
    throw thrown(`${caller}: \`scratchpad.initial\` must be a dict or nil; got ${typeOf(initial)}`);
  return {
    recite: dict.get("recite") !== false,
    reorganizeEvery: count("reorganize_every", 3, 1),
    maxRecentMessages: count("max_recent_messages", 8, 1),
    schemaRetries: count("schema_retries", 1, 0),
    initial,
    reorganizer: readReorganizer(dict.get("reorganizer") ?? null, caller),
  };
}

function readReorganizer(value: Value, caller: string): Dict | null {
  if (value === false) return null;
  if (value === null || value === true) return new Dict();
  if (value instanceof Dict) return value;
  throw thrown(`${caller}: \`scratchpad.reorganizer\` must be a dict, bool, or nil; got ${typeOf(value)}`);
}
