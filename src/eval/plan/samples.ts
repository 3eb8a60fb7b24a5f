/** Rows become samples: mapping and choice have been made by the task's own code where it has some; the rest is here. */
import type { Digest } from "../../effects/index.ts";
import { refusal } from "../../table/index.ts";
import { Dict, display, List, ScriptError, textOf, typeOf, type Value } from "../../values/index.ts";
import { evalError, taskAt } from "../eval-error.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Sample } from "./sample.ts";
import type { SampleChoice } from "./task.ts";
import { encodePart } from "./trial-key.ts";

/** A row of a dataset and its number there, from 1. */
export interface NumberedRow {
  readonly row: Dict;
  readonly number: number;
}

/** Renames: fields of the sample by the path of the row that they come from (`a.b` reaches into dicts). The others stay. */
export function renamed(row: Dict, fields: Readonly<Record<string, string>>): Dict {
  let result = row;
  for (const path of Object.values(fields)) if (!path.includes(".")) result = result.without(path);
  for (const [name, path] of Object.entries(fields)) {
    const value = valueAt(row, path);
    if (value !== undefined) result = result.with(name, value);
  }
  return result;
}

/** What a row has at a path of `fields`. */
export function valueAt(row: Dict, path: string): Value | undefined {
  // A column may have a dot in its name.
  const whole = row.get(path);
  if (whole !== undefined) return whole;
  let at: Value | undefined = row;
  for (const key of path.split(".")) at = at instanceof Dict ? at.get(key) : undefined;
  return at;
}

export interface SampleRules {
  readonly task: string;
  /** The dataset as messages name it. */
  readonly path: string;
  readonly shuffle: string | null;
  readonly choice: SampleChoice | null;
  readonly take: number | null;
  readonly digest: Digest;
}

/** Ids, digests, order and choice. Equal rows without ids get `-2`, `-3`; a given id that repeats is an error. */
export function samplesOf(rows: readonly NumberedRow[], rules: SampleRules): Sample[] {
  const identified = withIds(rows, rules);
  const { shuffle, choice, take } = rules;
  let chosen = choice === null ? identified : chosenSamples(identified, choice, rules.digest);
  if (shuffle !== null) chosen = shuffledBySeed(chosen, shuffle, rules.digest);
  return chosen.slice(0, take ?? undefined).map((sample, ord) => ({ ...sample, ord }));
}

function withIds(rows: readonly NumberedRow[], rules: SampleRules): Sample[] {
  const seen = new Map<string, number>();
  for (const { row, number } of rows) {
    const id = idInRow(row);
    if (id === null) continue;
    const type = typeOf(row.get("id") ?? null);
    if (type === "dict" || type === "list")
      throw evalError("HARN-EVL-004", {
        path: rules.path,
        line: number,
        reason: `id: expected a text or a number, got ${type}`,
      });
    const first = seen.get(id);
    if (first !== undefined) throw evalError("HARN-EVL-005", { path: rules.path, id, first, second: number });
    seen.set(id, number);
  }
  const taken = new Set(seen.keys());
  return rows.map(({ row, number }, ord) => {
    const id = idInRow(row) ?? madeId(row, number, taken, rules);
    const body = row.with("id", id);
    const cluster = row.get("cluster") ?? null;
    return {
      id,
      key: encodePart(id),
      digest: digestOf(body, number, rules),
      ord,
      cluster: cluster === null ? null : textOf(cluster),
      body,
    };
  });
}

function idInRow(row: Dict): string | null {
  const id = row.get("id") ?? null;
  return id === null || id === "" ? null : display(id);
}

function madeId(row: Dict, number: number, taken: Set<string>, rules: SampleRules): string {
  const id = `#${digestOf(row.without("id"), number, rules).slice(0, 8)}`;
  let unique = id;
  for (let n = 2; taken.has(unique); n++) unique = `${id}-${n}`;
  taken.add(unique);
  return unique;
}

/** SHA-256 of the canonical JSON; a row that is no JSON is an error that names it. */
function digestOf(body: Dict, number: number, rules: SampleRules): string {
  try {
    return rules.digest(canonicalJson(body));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw evalError("HARN-EVL-004", { path: rules.path, line: number, reason: String(error.value) });
  }
}

/** By SHA-256 of `SEED\nID`: a row that is added reshuffles no other. */
export function shuffledBySeed<T extends { readonly id: string }>(
  samples: readonly T[],
  seed: string,
  digest: Digest,
): T[] {
  const keyed = samples.map((sample) => ({ sample, at: digest(`${seed}\n${sample.id}`) }));
  return keyed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ sample }) => sample);
}

function chosenSamples(samples: readonly Sample[], choice: SampleChoice, digest: Digest): Sample[] {
  const shuffled = shuffledBySeed(samples, choice.seed, digest);
  const { n, by } = choice;
  if (by === null || n >= shuffled.length) return shuffled.slice(0, n);
  const groups = new Map<string, number>();
  const groupOf = (sample: Sample): string => display(sample.body.get(by) ?? null);
  for (const sample of shuffled) groups.set(groupOf(sample), (groups.get(groupOf(sample)) ?? 0) + 1);
  const left = sharesOf(groups, n);
  return shuffled.filter((sample) => {
    const group = groupOf(sample);
    const free = left.get(group) ?? 0;
    left.set(group, free - 1);
    return free > 0;
  });
}

/** Shares of n by the sizes of groups, each at least one; what rounding leaves goes to the largest remainders. */
function sharesOf(groups: ReadonlyMap<string, number>, n: number): Map<string, number> {
  const total = [...groups.values()].reduce((sum, size) => sum + size, 0);
  const exact = [...groups].map(([group, size]) => ({ group, share: (n * size) / total }));
  const shares = new Map(exact.map(({ group, share }) => [group, Math.max(1, Math.floor(share))]));
  let rest = n - [...shares.values()].reduce((sum, share) => sum + share, 0);
  const byRemainder = exact.toSorted(
    (a, b) => b.share - Math.floor(b.share) - (a.share - Math.floor(a.share)) || (a.group < b.group ? -1 : 1),
  );
  for (const { group, share } of byRemainder) {
    if (rest <= 0) break;
    if (share < 1) continue;
    shares.set(group, (shares.get(group) ?? 0) + 1);
    rest--;
  }
  // Groups that got one though their share is less take it from the largest.
  while (rest < 0) {
    const [largest, size] = [...shares].reduce((most, one) => (one[1] > most[1] ? one : most));
    if (size <= 1) break;
    shares.set(largest, size - 1);
    rest++;
  }
  return shares;
}

/** What a dataset that is a list, or that a closure gave, holds. */
export function rowsOf(task: string, value: Value): NumberedRow[] {
  if (!(value instanceof List))
    throw refusal(taskAt(task, "dataset"), "a path, a list of dicts or a closure that gives one", value, {
      help: typeOf(value) === "iter" ? "`.to_list()` makes a list of it" : undefined,
    });
  return value.toArray().map((row, at) => {
    if (row instanceof Dict) return { row, number: at + 1 };
    throw refusal(taskAt(task, `dataset[${at}]`), "dict", row);
  });
}
