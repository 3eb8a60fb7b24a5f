/** The option `doom_loop` (docs/research.md, "It goes in circles"): what is done about the same calls again and again. */
import { type Field, field, fieldTable } from "../../../table/index.ts";
import { Dict, List, thrown, typeOf } from "../../../values/index.ts";

export interface DoomOptions {
  readonly repeat: number;
  readonly period: number;
  readonly strikes: number;
  readonly blockTurns: number;
  readonly exempt: ReadonlySet<string>;
}

const rows = (): readonly Field[] => [
  field("repeat", "int", "Equal calls in a row that are a loop.", { default: "3", range: [2, 100] }),
  field("period", "int", "The longest cycle of different calls that is looked for.", {
    default: "2",
    range: [2, 4],
  }),
  field("strikes", "int", "Detections after which the loop ends; from the second on the calls are refused.", {
    default: "3",
    range: [1, null],
  }),
  field("block_turns", "int", "Turns in which such a call is refused.", { default: "5", range: [1, null] }),
  field("exempt_tools", "list<string>", "Tools that may repeat: they neither count nor reset."),
];

export const doomFields = fieldTable(rows, { strict: true });

/** `null`: nobody watches. */
export function readDoom(options: Dict, caller: string): DoomOptions | null {
  const value = options.get("doom_loop") ?? null;
  if (value === null || value === false) return null;
  const fail = (text: string): never => {
    throw thrown(`${caller}: ${text}`);
  };
  const dict = value === true ? new Dict() : value;
  if (!(dict instanceof Dict))
    return fail(`\`doom_loop\` must be a bool, dict, or nil; got ${typeOf(value)}`);
  const count = (key: string, usual: number, min: number, max = Number.POSITIVE_INFINITY): number => {
    const number = dict.get(key) ?? usual;
    if (typeof number !== "number") return fail(`\`doom_loop.${key}\` must be an int; got ${typeOf(number)}`);
    if (number < min) return fail(`\`doom_loop.${key}\` must be >= ${min}; got ${number}`);
    return number <= max ? number : fail(`\`doom_loop.${key}\` must be <= ${max}; got ${number}`);
  };
  const names = dict.get("exempt_tools") ?? new List([]);
  if (!(names instanceof List) || [...names].some((name) => typeof name !== "string"))
    return fail(`\`doom_loop.exempt_tools\` must be a list of tool names; got ${typeOf(names)}`);
  return {
    repeat: count("repeat", 3, 2, 100),
    period: count("period", 2, 2, 4),
    strikes: count("strikes", 3, 1),
    blockTurns: count("block_turns", 5, 1),
    exempt: new Set([...names] as string[]),
  };
}
