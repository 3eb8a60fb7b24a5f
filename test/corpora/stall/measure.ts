/** Plays the corpus through the watcher and counts: what the test asserts and `npm run bench stall` prints. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileChange } from "../../../src/agent/completion/repetition/files.ts";
import { canonical } from "../../../src/agent/completion/repetition/signatures.ts";
import { type WatchedCall, watchTurn } from "../../../src/agent/completion/repetition/watcher.ts";
import { newProgressState, type StallPattern } from "../../../src/agent/state/repetition-state.ts";
import type { Trace, TracedCall } from "./shapes.ts";

export interface Played {
  readonly trace: Trace;
  /** Turns (from 0) with a warning and its pattern, and the first turn that would have ended the loop. */
  readonly warnings: readonly { readonly turn: number; readonly pattern: StallPattern }[];
  readonly stop: number | null;
}

export interface Rates {
  readonly healthy: number;
  readonly stalled: number;
  readonly productiveTurns: number;
  readonly warnings: number;
  readonly stops: number;
  /** Per 1,000 productive turns. */
  readonly warningRate: number;
  /** Stalled traces that were not warned of within twice their number. */
  readonly late: readonly string[];
  /** Stalled traces that were warned of before they got nowhere. */
  readonly early: readonly string[];
}

const rules = { threshold: 3, interventions: 1 };
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

export function readTraces(): Trace[] {
  const text = readFileSync(new URL("traces.jsonl", import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Trace);
}

export function play(trace: Trace): Played {
  const state = newProgressState();
  const warnings: { turn: number; pattern: StallPattern }[] = [];
  let stop: number | null = null;
  let people = 0;
  for (const [turn, { calls, ledger, person }] of trace.turns.entries()) {
    if (person === true) people++;
    const watched = calls.map((call) => watchedCall(trace, call));
    const sighting = watchTurn(
      state,
      { calls: watched, standing: `${ledger ?? ""} ${people}` },
      rules,
      digest,
    );
    if (sighting.action === "warn") warnings.push({ turn, pattern: sighting.pattern });
    if (sighting.action === "stop") stop ??= turn;
  }
  return { trace, warnings, stop };
}

function watchedCall({ classes }: Trace, { tool, args, ok, result }: TracedCall): WatchedCall {
  const kind = classes[tool];
  const { path } = args;
  return {
    tool,
    arguments: canonical(args),
    ok,
    text: result,
    runtime: kind === "session_control",
    exempt: kind === "result_polling",
    change: kind === "mutating" && typeof path === "string" ? fileChange(path, args) : null,
    paths: typeof path === "string" ? [path] : [],
    acts: kind === "mutating" || kind === "execute",
  };
}

export function ratesOf(played: readonly Played[]): Rates {
  const healthy = played.filter(({ trace }) => trace.label === "healthy");
  const stalled = played.filter(({ trace }) => trace.label === "stalled");
  const productiveTurns = healthy.reduce((sum, { trace }) => sum + trace.turns.length, 0);
  const warnings = healthy.reduce((sum, one) => sum + one.warnings.length, 0);
  const due = ({ from = 0, number = 0 }: Trace): number => from + 2 * number;
  return {
    healthy: healthy.length,
    stalled: stalled.length,
    productiveTurns,
    warnings,
    stops: healthy.filter(({ stop }) => stop !== null).length,
    warningRate: (1000 * warnings) / productiveTurns,
    late: stalled
      .filter(
        ({ trace, warnings: seen }) =>
          !seen.some(({ turn }) => turn >= (trace.from ?? 0) && turn < due(trace)),
      )
      .map(({ trace }) => trace.id),
    early: stalled
      .filter(({ trace, warnings: seen }) => seen.some(({ turn }) => turn < (trace.from ?? 0)))
      .map(({ trace }) => trace.id),
  };
}
