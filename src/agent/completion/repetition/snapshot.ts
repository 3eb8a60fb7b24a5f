/** The watch over progress as JSON: a suspended loop takes its streak along, so that being resumed launders nothing. */
import type { Json } from "../../../effects/index.ts";
import type { LoopState } from "../../state/loop-state.ts";
import type { CircleState, ProgressState } from "../../state/repetition-state.ts";

type Slots = Pick<LoopState["slots"], "repetition" | "people">;

/** Effects that are kept: what was found out before is progress once more. */
const kept = 2000;

export function stallSnapshot({ repetition: { progress: state, circles: doom }, people }: Slots): Json {
  const { effects, fingerprints, turns, calls, failures, files, churn } = state;
  const { streak, returns, warned, since } = state;
  return {
    version: 1,
    effects: [...effects].slice(-kept),
    fingerprints: [...fingerprints],
    turns: [...turns],
    calls: calls.map((texts) => [...texts]),
    failures: failures.map((texts) => [...texts]),
    files: [...files].map(([path, { seen, base, changes }]) => ({
      path,
      seen: [...seen],
      base,
      changes: changes.map(([old, next]) => [old, next]),
    })),
    churn: { ...churn },
    people: people.count,
    streak,
    returns,
    warned,
    since,
    doom: {
      sequence: doom.sequence.map((call) => ({ ...call })),
      strikes: doom.strikes,
      since: doom.since,
    },
  };
}

/** Puts a snapshot into a state that knows nothing yet; one that was not written here is left alone. */
export function restoreStall(
  { repetition: { progress: state, circles: doom }, people }: Slots,
  stored: Json,
): void {
  if (!isSnapshot(stored)) return;
  for (const effect of stored.effects) state.effects.add(effect);
  for (const print of stored.fingerprints) state.fingerprints.add(print);
  state.turns.push(...stored.turns);
  state.calls.push(...stored.calls);
  state.failures.push(...stored.failures);
  for (const { path, seen, base, changes } of stored.files)
    state.files.set(path, { seen: new Set(seen), base, changes: [...changes] });
  Object.assign(state.churn, stored.churn);
  const { streak, returns, warned, since } = stored;
  Object.assign(state, { streak, returns, warned, since });
  Object.assign(doom, { ...stored.doom, sequence: [...stored.doom.sequence] });
  // What was said before the loop went on is known to whoever resumed it.
  Object.assign(people, { looked: -1, count: stored.people });
}

interface StallSnapshot {
  readonly effects: readonly string[];
  readonly fingerprints: readonly string[];
  readonly turns: readonly string[];
  readonly calls: readonly (readonly string[])[];
  readonly failures: readonly (readonly string[])[];
  readonly files: readonly {
    readonly path: string;
    readonly seen: readonly string[];
    readonly base: string;
    readonly changes: readonly (readonly [string, string])[];
  }[];
  readonly churn: ProgressState["churn"];
  readonly people: number;
  readonly streak: number;
  readonly returns: number;
  readonly warned: number;
  readonly since: number;
  readonly doom: Pick<CircleState, "sequence" | "strikes" | "since">;
}

function isSnapshot(stored: unknown): stored is StallSnapshot {
  if (typeof stored !== "object" || stored === null) return false;
  const value = stored as Readonly<Record<string, unknown>>;
  const lists = ["effects", "fingerprints", "turns", "calls", "failures", "files"];
  return (
    value.version === 1 &&
    typeof value.doom === "object" &&
    value.doom !== null &&
    lists.every((key) => Array.isArray(value[key]))
  );
}
