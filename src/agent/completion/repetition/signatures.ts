/**
 * Signatures: what two calls, or two turns, are compared by. A call's signature is its tool and its arguments; with its
 * result it is an effect. Everything here is pure.
 */
import type { ToolCall } from "../../../model/index.ts";
import { argumentLevels, foldDigits, foldError, foldResult, foldSpaces, withoutEcho } from "./folding.ts";

/** JSON with sorted keys, so that the order of arguments does not matter. */
export function canonical(value: unknown): string {
  return JSON.stringify(sortedKeys(value));
}

/** With the keys of every object in order; what is so already is given as it is. */
function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const parts = value.map(sortedKeys);
    return parts.every((part, index) => part === value[index]) ? value : parts;
  }
  const entries = Object.entries(value);
  let same = true;
  for (const [index, entry] of entries.entries()) {
    const part = sortedKeys(entry[1]);
    same &&= part === entry[1] && (index === 0 || (entries[index - 1] as [string, unknown])[0] < entry[0]);
    entry[1] = part;
  }
  return same ? value : Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is called, whatever comes back. */
export const callSignature = (tool: string, canonicalArguments: string): string =>
  `${tool} ${canonicalArguments}`;

/** What a call is compared by: its tool and its arguments as the model gave them. */
export const signatureOfCall = ({ name, arguments: args, rawArguments }: ToolCall): string =>
  callSignature(name, args === null ? rawArguments : canonical(args));

/** As a person or the model is told of it. */
export const briefCall = (signature: string): string =>
  signature.length > briefest ? `${signature.slice(0, briefest - 1)}…` : signature;
const briefest = 100;

/** A call with what came back. */
export interface SettledCall {
  readonly tool: string;
  /** Canonical. */
  readonly arguments: string;
  readonly ok: boolean;
  /** What it gave, or its error. */
  readonly text: string;
}

/** What a call found out or changed; failures are told apart by their error alone, whatever was tried. */
export const effectOf = (call: SettledCall): string => signsOf(call).effect;

/** All signs of a call, its result folded once. `paths`: those that it names; another file is another question. */
export function signsOf({ tool, arguments: written, ok, text }: SettledCall, paths = "") {
  const args = foldSpaces(written);
  const signature = callSignature(tool, args);
  const folded = foldResult(text);
  const effect = ok ? `${signature}\n${folded}` : `${tool} failed\n${foldError(folded)}`;
  const levels = argumentLevels(args);
  const answer = ok ? `${paths}\n${withoutEcho(folded, args)}` : "";
  const level = (name: keyof typeof levels): string | null =>
    ok && levels[name] !== args ? `${tool} ${name} ${levels[name]}\n${answer}` : null;
  return {
    effect,
    /** The call without what looks drawn in its arguments, and without numbers too; `null` where nothing is taken out. */
    drawn: level("drawn"),
    counted: level("counted"),
    /** The call with the digits of its result folded: what merely counts on looks the same. */
    churn: `${signature} ${ok}\n${foldDigits(folded)}`,
  };
}

/** Counts how often in a row the same signature came. */
export function countRun(run: { signature: string; streak: number }, signature: string): number {
  run.streak = signature === run.signature ? run.streak + 1 : 1;
  run.signature = signature;
  return run.streak;
}

/** The longest cycle that is looked for, in turns. */
export const maxCycle = 6;

/** The shortest period from 2 up with which a list ends in two equal rounds; 0: none. */
export function periodOf(turns: readonly string[]): number {
  for (let period = 2; period <= maxCycle && 2 * period <= turns.length; period++) {
    const end = turns.length;
    let same = true;
    for (let at = 1; same && at <= period; at++) same = turns[end - at] === turns[end - at - period];
    if (same) return period;
  }
  return 0;
}

/** Whether a list ends with the same `count` times over. */
export const endsWith = (turns: readonly string[], count: number): boolean =>
  turns.length >= count && turns.slice(-count).every((turn) => turn === turns.at(-1));
