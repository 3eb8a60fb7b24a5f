/**
 * Equal calls again and again, whatever came back: `x x x`, `x y x y`. Pure, one look per batch; the state is data.
 *
 *     repeat   the last `repeat` calls are equal
 *     cycle    the last 2·p have period p, with p different calls; p from 2 to `period`
 *
 * With a polling call in it a pattern needs ten calls. The first prefix of the batch that matches counts; then the sequence
 * begins anew, and the rest of the batch, which was made before anybody said a word, is forgotten.
 */
import type { CircleCall, CircleState } from "../../state/repetition-state.ts";

export interface CircleRules {
  readonly repeat: number;
  /** The longest cycle. */
  readonly period: number;
  /** Detections after which the loop ends. */
  readonly strikes: number;
  readonly blockTurns: number;
}

export interface CircleFound {
  readonly pattern: "repeat" | "cycle";
  readonly period: number;
  /** The different calls, in the order of the pattern. */
  readonly calls: readonly CircleCall[];
  /** How often the pattern came. */
  readonly times: number;
  readonly strike: number;
  readonly action: "correct" | "block" | "stop";
}

/** Calls that a pattern with a poll in it needs at least. */
export const pollCalls = 10;
/** So many calls without a detection, and the strikes are forgotten. */
export const calmCalls = 20;

/** Takes a batch in; `turn` is 1-based. Null: nothing is to be said. */
export function watchBatch(
  state: CircleState,
  batch: readonly CircleCall[],
  rules: CircleRules,
  turn: number,
): CircleFound | null {
  const max = Math.max(rules.repeat, 2 * rules.period, pollCalls + rules.period);
  for (const call of batch) {
    state.sequence.push(call);
    if (state.sequence.length > max) state.sequence.shift();
    if (++state.since >= calmCalls) state.strikes = 0;
    const found = patternAtEnd(state.sequence, rules);
    if (found !== null) return struck(state, found, rules, turn);
  }
  return null;
}

/** Begins anew, because something is different now: a person spoke, messages went out of view, the mode changed. */
export function beginAnew(state: CircleState, personSpoke: boolean): void {
  state.sequence = [];
  state.blocked.clear();
  if (personSpoke) state.strikes = 0;
}

interface CallPattern {
  readonly pattern: "repeat" | "cycle";
  readonly period: number;
  readonly times: number;
}

/** The pattern by which a list of calls ends. */
export function patternAtEnd(
  calls: readonly CircleCall[],
  { repeat, period: maxPeriod }: Pick<CircleRules, "repeat" | "period">,
): CallPattern | null {
  for (let period = 1; period <= maxPeriod; period++) {
    const base = calls.slice(-period);
    if (base.length < period || new Set(base.map(({ signature }) => signature)).size < period) continue;
    const least = period === 1 ? repeat : 2;
    const times = base.some(({ polls }) => polls) ? Math.max(least, Math.ceil(pollCalls / period)) : least;
    if (repeats(calls, period, times)) return { pattern: period === 1 ? "repeat" : "cycle", period, times };
  }
  return null;
}

function repeats(calls: readonly CircleCall[], period: number, times: number): boolean {
  const length = period * times;
  if (calls.length < length) return false;
  for (let at = calls.length - length; at < calls.length - period; at++)
    if (calls[at]?.signature !== calls[at + period]?.signature) return false;
  return true;
}

function struck(state: CircleState, found: CallPattern, rules: CircleRules, turn: number): CircleFound {
  const calls = state.sequence.slice(-found.period);
  state.sequence = [];
  state.since = 0;
  state.strikes++;
  const strike = state.strikes;
  const action = strike >= rules.strikes ? "stop" : strike === 1 ? "correct" : "block";
  if (action === "block") for (const { call } of calls) state.blocked.set(call, turn + rules.blockTurns);
  return { ...found, calls, strike, action };
}
