/**
 * The watcher of progress: pure, one look per turn, at the cost of the turn's own calls.
 *
 *     fingerprint = digest(ledger, coverage, contract version, count of persons' messages, count of distinct effects)
 *
 * A turn whose fingerprint the loop had before made no progress. Reading something new is progress, reading it again is
 * not; another answer to the same question is; putting items to and fro is not.
 *
 *     turns without progress ─▶ a pattern's own number, or `threshold` ─▶ warning (`interventions` times a streak)
 *                            ─▶ `threshold` further turns              ─▶ stop
 */
import type { ProgressState, StallPattern } from "../../state/repetition-state.ts";
import { type CallFileChange, noteChange } from "./files.ts";
import { endsWith, maxCycle, periodOf, type SettledCall, signsOf } from "./signatures.ts";

export interface WatchedCall extends SettledCall {
  /** A tool of the runtime: a sign of what the turn did, but nothing that was found out. */
  readonly runtime: boolean;
  /** It may repeat: it neither counts nor resets. */
  readonly exempt: boolean;
  readonly change: CallFileChange | null;
  /** The paths that it names. */
  readonly paths: readonly string[];
  /** It changed something, or ran what may have: the same answer does not say that it was for nothing. */
  readonly acts: boolean;
}

/** What a turn came to. */
export interface WatchedTurn {
  readonly calls: readonly WatchedCall[];
  /** What the loop knows besides its calls: ledger, coverage, contract, what people said. */
  readonly standing: string;
}

export interface WatchRules {
  /** Turns without progress that are a stall. */
  readonly threshold: number;
  /** Warnings of a streak before it stops. */
  readonly interventions: number;
}

export interface Sighting {
  /** `none`: nothing is to be said. */
  readonly action: "none" | "warn" | "stop";
  readonly pattern: StallPattern;
  /** Turns without progress in a row, this one included. */
  readonly turns: number;
}

/**
 * So many calls with the same answer are news though they differ only by what looks drawn, or counted: page 7 may be as empty as
 * page 6, and the tenth folder is made as the ninth was.
 */
const variantNumbers = { drawn: 2, counted: 8, acting: 20 } as const;

/** From how many on a pattern is one. */
export const patternNumbers = { repeat: 3, error: 3, undo: 2, churn: 10 } as const;

const nothingSeen = (turns: number): Sighting => ({ action: "none", pattern: "idle", turns });

/** Notes a turn and says what is to be done about it. */
export function watchTurn(
  state: ProgressState,
  turn: WatchedTurn,
  rules: WatchRules,
  digest: (text: string) => string,
): Sighting {
  const calls = turn.calls.filter(({ exempt }) => !exempt);
  // Nothing but waits: as if the turn had not been.
  if (turn.calls.length > 0 && calls.length === 0) return nothingSeen(state.streak);
  const looked = calls.map((call): LookedCall => {
    const { effect, drawn, counted, churn } = signsOf(call, call.paths.join("\n"));
    return { call, effect, drawn, counted, digest: digest(effect), churn };
  });
  const progressed = noteProgress(state, looked, turn.standing, digest);
  noteStallTurn(state, looked, digest);
  const churn = noteChurn(state, looked, digest);
  if (progressed) {
    resetStreak(state);
    return churn ? { action: "warn", pattern: "churn", turns: patternNumbers.churn } : nothingSeen(0);
  }
  state.streak++;
  return decideStall(state, rules);
}

/** Forgets the streak: somebody spoke, or something new came. */
export function resetStreak(state: ProgressState): void {
  state.streak = 0;
  state.returns = 0;
  state.warned = 0;
  state.since = 0;
}

/** A call with its signs; `digest` is that of its effect. */
interface LookedCall {
  readonly call: WatchedCall;
  readonly effect: string;
  readonly drawn: string | null;
  readonly counted: string | null;
  readonly digest: string;
  readonly churn: string;
}

/** Takes the effects of a turn in; whether its fingerprint is one that the loop never had. */
function noteProgress(
  state: ProgressState,
  calls: readonly LookedCall[],
  standing: string,
  digest: (text: string) => string,
): boolean {
  const { effects, fingerprints } = state;
  const before = effects.size;
  for (const looked of calls) {
    const { call, digest: effect } = looked;
    const back = call.ok && call.change !== null && noteChange(state, call.change, digest);
    // A file that is as it was before: in sum nothing was changed.
    if (back) state.returns++;
    else if (!call.runtime && !effects.has(effect) && hasRoom(effects, looked, digest)) effects.add(effect);
  }
  if (effects.size > before) fingerprints.clear();
  const print = digest(`${effects.size} ${standing}`);
  if (fingerprints.has(print)) return false;
  fingerprints.add(print);
  return true;
}

/** Takes a place among the calls that are the same but for what was taken out; false: there are enough of them. */
function hasRoom(
  effects: Set<string>,
  { call, drawn, counted }: LookedCall,
  digest: (text: string) => string,
): boolean {
  if (call.change !== null) return true;
  const places = (sign: string | null, most: number): string | null => {
    if (sign === null) return "";
    for (let place = 0; place < most; place++) {
      const key = digest(`${place} ${sign}`);
      if (!effects.has(key)) return key;
    }
    return null;
  };
  const { acting } = variantNumbers;
  const taken = [
    places(drawn, call.acts ? acting : variantNumbers.drawn),
    places(counted, call.acts ? acting : variantNumbers.counted),
  ];
  if (taken.includes(null)) return false;
  for (const key of taken) if (key !== null && key !== "") effects.add(key);
  return true;
}

function noteStallTurn(
  state: ProgressState,
  calls: readonly LookedCall[],
  digest: (text: string) => string,
): void {
  const { turns, failures } = state;
  const [only] = calls;
  // The order in a batch says nothing.
  const effects = (): string =>
    calls
      .map(({ effect }) => effect)
      .sort()
      .join("\0");
  turns.push(calls.length === 1 && only !== undefined ? only.digest : digest(effects()));
  if (turns.length > 2 * maxCycle) turns.shift();
  failures.push(calls.filter(({ call }) => !call.ok).map((one) => one.digest));
  if (failures.length > patternNumbers.error) failures.shift();
}

/** Whether the turn is the one by which merely counting on is told. */
function noteChurn(
  state: ProgressState,
  calls: readonly LookedCall[],
  digest: (text: string) => string,
): boolean {
  const { churn } = state;
  const churns = calls.map((one) => one.churn).sort();
  const turn = calls.length === 0 ? "" : digest(churns.join("\0"));
  if (turn === "" || turn !== churn.turn) {
    churn.turn = turn;
    churn.count = 1;
    churn.warned = false;
    return false;
  }
  churn.count++;
  if (churn.warned || churn.count < patternNumbers.churn) return false;
  churn.warned = true;
  return true;
}

function decideStall(state: ProgressState, { threshold, interventions }: WatchRules): Sighting {
  const found = patternIn(state);
  const pattern = found ?? "idle";
  const turns = state.streak;
  if (state.warned > 0) state.since++;
  const due =
    state.warned === 0
      ? turns >= threshold || (found !== null && interventions > 0)
      : state.since >= threshold;
  if (!due) return nothingSeen(turns);
  if (state.warned >= interventions) return { action: "stop", pattern, turns };
  state.warned++;
  state.since = 0;
  return { action: "warn", pattern, turns };
}

/** The most telling sign of a streak; null: there is no progress, and no pattern in it. */
function patternIn({ turns, failures, returns, streak }: ProgressState): StallPattern | null {
  const least = patternNumbers.repeat - 1;
  if (streak >= patternNumbers.error - 1 && sameFailure(failures)) return "error";
  if (streak >= least && endsWith(turns, patternNumbers.repeat)) return "repeat";
  if (returns >= patternNumbers.undo) return "undo";
  const period = periodOf(turns);
  return period > 0 && streak >= period ? "cycle" : null;
}

const sameFailure = (failures: readonly (readonly string[])[]): boolean =>
  failures.length === patternNumbers.error &&
  (failures.at(-1) ?? []).some((failure) => failures.every((turn) => turn.includes(failure)));
