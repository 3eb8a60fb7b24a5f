/** Calls of a model that were not dispatched before their loop was suspended, as data that a snapshot holds. */
import type { Json } from "../../effects/index.ts";
import { isJsonObject } from "../../values/index.ts";
import type { RefusedCall, ToolRequest } from "./requests.ts";
import type { ToolCall } from "./types.ts";

export interface OpenBatch {
  /** As the model made them, in emitted order. */
  readonly calls: readonly ToolCall[];
  /** The same as hooks have left them. */
  readonly requests: readonly ToolRequest[];
  /** By position: what hooks said about calls that must not be dispatched. */
  readonly refusals: readonly (RefusedCall | null)[];
  /** Hooks whose pause has been answered: they let the batch pass. */
  readonly reviewed: readonly string[];
  /** How text was read as calls: as in the turn that they belong to. */
  readonly fallback: "none" | "accepted" | "rejected";
}

/** A batch in the form of a snapshot; `null` for anything that is none. */
export function restoredBatch(stored: Json): OpenBatch | null {
  if (!isJsonObject(stored)) return null;
  const { calls, requests, refusals, reviewed, fallback } = stored;
  if (!Array.isArray(calls) || !Array.isArray(requests) || requests.length !== calls.length) return null;
  if (!calls.every(isCall) || !requests.every(isRequest)) return null;
  const refused = Array.isArray(refusals) ? refusals : [];
  return {
    calls: calls as unknown as ToolCall[],
    requests: requests as unknown as ToolRequest[],
    refusals: requests.map((_request, index) => (refused[index] ?? null) as unknown as RefusedCall | null),
    reviewed: Array.isArray(reviewed) ? reviewed.filter((key) => typeof key === "string") : [],
    fallback: fallback === "accepted" ? "accepted" : "none",
  };
}

const isRequest = (value: Json): boolean =>
  isJsonObject(value) && typeof value.id === "string" && typeof value.name === "string";

const isCall = (value: Json): boolean =>
  isRequest(value) &&
  isJsonObject(value) &&
  typeof value.rawArguments === "string" &&
  (value.parseError === null || typeof value.parseError === "string") &&
  (value.arguments === null || isJsonObject(value.arguments)) &&
  (value.channel === "native" || value.channel === "text");
