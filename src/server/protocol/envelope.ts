/** The envelope in which every event travels (docs/events.md), and its parsing. */
import {
  type DurableEventData,
  type EphemeralEventData,
  protocolVersion,
  type WirePlace,
} from "../../events/wire/index.ts";

interface Stamp extends WirePlace {
  readonly v: typeof protocolVersion;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** null in the log of a run outside of conversations. */
  readonly conversation: string | null;
  /** null for what no run did. */
  readonly run: string | null;
}

export type DurableType = keyof DurableEventData;
export type EphemeralType = keyof EphemeralEventData;

/** An event of a log; `seq` counts from 1 per conversation (per run outside of conversations), without gaps. */
export type DurableEnvelope<T extends DurableType = DurableType> = {
  readonly [K in T]: Stamp & { readonly seq: number; readonly type: K; readonly data: DurableEventData[K] };
}[T];

export type EphemeralEnvelope<T extends EphemeralType = EphemeralType> = {
  readonly [K in T]: Stamp & { readonly seq: null; readonly type: K; readonly data: EphemeralEventData[K] };
}[T];

export type EventEnvelope = DurableEnvelope | EphemeralEnvelope;

/**
 * The envelope in a line of JSON; null for what is none (no object, no type, no data, a `v` that is newer than ours). Its
 * `data` is trusted to be what a server of this version writes; unknown types pass, their readers ignore them.
 */
export function parseEnvelope(text: string): EventEnvelope | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof read !== "object" || read === null) return null;
  const { v, type, data } = read as Record<string, unknown>;
  if (v !== protocolVersion || typeof type !== "string") return null;
  if (typeof data !== "object" || data === null) return null;
  return read as EventEnvelope;
}
