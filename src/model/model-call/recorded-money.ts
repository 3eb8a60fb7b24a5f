/**
 * What the model calls of a run have cost, as its journal tells at any moment, kills included: an intent is written before its
 * request is sent, so what a kill has torn may have cost its worst case.
 */
import { History, type Journal, type JournalRecord, type Json } from "../../effects/index.ts";
import type { ModelOutcome } from "../llm/index.ts";

export interface RecordedMoney {
  /** US dollars that answers cost. */
  readonly costUsd: number;
  /** US dollars that calls may have cost of which nobody knows how they ended. */
  readonly inDoubtUsd: number;
  /** Of answers, both ways. */
  readonly tokens: number;
}

/** A call that was sent, or is about to be. */
interface SentCall {
  readonly path: string;
  readonly number: number;
  readonly reservedUsd: number;
  /** Among the records that count. */
  readonly at: number;
}

export function recordedMoney(journal: Journal): RecordedMoney {
  const history = new History(journal, []);
  const calls = new Map<string, number>();
  const open = new Map<string, SentCall>();
  let [costUsd, inDoubtUsd, tokens, counted] = [0, 0, 0, 0];
  const doubt = (call: SentCall): void => {
    inDoubtUsd += call.reservedUsd;
  };
  const settle = (record: Extract<JournalRecord, { t: "result" }>, reservedUsd: number): void => {
    const outcome = history.whole(record.v ?? null) as unknown as ModelOutcome | null;
    const response = outcome === null ? null : outcome.ok ? outcome.response : outcome.partial;
    costUsd += response?.cost_usd ?? 0;
    tokens += (response?.usage.input_tokens ?? 0) + (response?.usage.output_tokens ?? 0);
    if (outcome?.ok !== true)
      inDoubtUsd += Math.max(0, doubtOf(outcome, reservedUsd) - (response?.cost_usd ?? 0));
  };
  for (const record of journal.records) {
    if (record.t === "blob" || record.t === "shown") continue;
    if (record.t === "resume") {
      counted = Math.min(counted, record.keep);
      // What was in flight is asked again, and so is what was cut off from here.
      for (const [place, call] of open) {
        doubt(call);
        if (call.at >= counted) open.delete(place);
      }
      continue;
    }
    counted++;
    if (record.t !== "intent" && record.t !== "result") continue;
    const place = `${record.p}#${record.n}`;
    for (const [other, call] of open)
      if (call.path === record.p && call.number < record.n) {
        // Its task went on without it.
        doubt(call);
        open.delete(other);
      }
    if (record.k === "llm.call" && record.a !== undefined) calls.set(place, reservedIn(record.a, history));
    const reservedUsd = calls.get(place);
    if (reservedUsd === undefined) continue;
    if (record.t === "result") {
      open.delete(place);
      settle(record, reservedUsd);
    } else open.set(place, { path: record.p, number: record.n, reservedUsd, at: counted - 1 });
  }
  for (const call of open.values()) doubt(call);
  return { costUsd, inDoubtUsd, tokens };
}

/** It mostly stands in the record itself, and the request in pieces that need not be read. */
function reservedIn(packed: Json, history: History): number {
  const own = fieldOf(packed, "reserved_usd");
  const reserved = typeof own === "number" ? own : fieldOf(history.whole(packed), "reserved_usd");
  return typeof reserved === "number" ? reserved : 0;
}

const fieldOf = (value: Json, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: Json })[name]
    : undefined;

/** The most that a call may have cost that failed. */
function doubtOf(outcome: Extract<ModelOutcome, { ok: false }> | null, reservedUsd: number): number {
  if (outcome === null) return reservedUsd;
  const { error, begun } = outcome;
  if (error.category === "timeout") return reservedUsd;
  const isBroken = ["transient_network", "cancelled", "schema_stream_aborted"].includes(error.category);
  return isBroken && begun === true ? reservedUsd : 0;
}
