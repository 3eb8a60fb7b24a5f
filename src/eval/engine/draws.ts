/**
 * Answers of models as draws: the answer to a request of a role under a stream, the first time it is asked, the second, and so on.
 * What was drawn once is drawn again at no cost; epochs have different streams, so repetitions stay independent.
 */
import type { EvalDrawRow } from "../../durable/index.ts";
import type { Digest } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import {
  type CallDraw,
  type ModelRequest,
  type ModelResponse,
  type RoleRules,
  roleOf,
} from "../../model/index.ts";
import { fromJson, type Json } from "../../values/index.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import { type CacheSpec, fixedStream, type TrialRole } from "../plan/index.ts";
import { type EvalStore, Pieces } from "../sets/eval-store.ts";

/** What differs from time to time in messages. */
const marks: ReadonlySet<string> = new Set(["id", "tool_call_id", "timestamp"]);

/** The key of a draw: SHA-256 of role, stream, occurrence and the canonical request. */
export function drawKey(
  digest: Digest,
  of: {
    readonly role: TrialRole;
    readonly stream: number;
    readonly occurrence: number;
    readonly request: string;
  },
): string {
  return digest(JSON.stringify([of.role, of.stream, of.occurrence, of.request]));
}

/** What a request says, without how it is sent: provider, model, messages without ids, tools, sampling options, output format. */
export function canonicalRequest(request: ModelRequest): string {
  const { stream: _, timeout_ms: _t, idle_timeout_ms: _i, metadata: _m, cache: _c, ...said } = request;
  const fields = Object.entries(JSON.parse(JSON.stringify(said)) as { [name: string]: Json })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, name === "messages" ? withoutMarks(value) : value]);
  return canonicalJson(fromJson(Object.fromEntries(fields)));
}

function withoutMarks(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !marks.has(name))
      .map(([name, one]) => [name, withoutMarks(one)]),
  );
}

/** Where answers are kept, by the keys of their draws. */
export interface DrawStore {
  kept(key: string): ModelResponse | undefined;
  keep(key: string, response: ModelResponse): void;
}

/** The draws of one Runtime of a trial; `streamOf`: the streams of its roles. */
export function drawRule(
  digest: Digest,
  streamOf: (role: TrialRole) => number,
  draws: DrawStore,
  asks: (
    task: Task,
    call: { readonly role: TrialRole; readonly stream: number; readonly request: string },
  ) => void = () => {},
): NonNullable<RoleRules["draw"]> {
  const asked = new Map<string, number>();
  return (task, sent): CallDraw => {
    const role = roleOf(task);
    const request = canonicalRequest(sent);
    const stream = fixedStream.current(task) ?? streamOf(role);
    asks(task, { role, stream, request });
    const name = `${role} ${stream} ${request}`;
    const occurrence = (asked.get(name) ?? 0) + 1;
    asked.set(name, occurrence);
    const key = drawKey(digest, { role, stream, occurrence, request });
    return { kept: () => draws.kept(key), keep: (response) => draws.keep(key, response) };
  };
}

/** What was answered once costs nothing again. */
export const asDrawn = (response: ModelResponse): ModelResponse => ({
  ...response,
  cost_usd: 0,
  cached: true,
});

/** Answers that are kept in the store, for every set. */
export class Draws {
  private readonly store: EvalStore;
  private readonly now: () => number;

  constructor(store: EvalStore, now: () => number) {
    this.store = store;
    this.now = now;
  }

  of({ ageMs }: CacheSpec, streamOf: (role: TrialRole) => number): NonNullable<RoleRules["draw"]> {
    return drawRule(this.store.digest, streamOf, {
      kept: (key) => this.kept(key, ageMs),
      keep: (key, response) => this.keep(key, response, ageMs),
    });
  }

  private row(key: string, ageMs: number | null): EvalDrawRow | undefined {
    const row = this.store.draw(key);
    return row === undefined || (ageMs !== null && row.made + ageMs < this.now()) ? undefined : row;
  }

  private kept(key: string, ageMs: number | null): ModelResponse | undefined {
    const text = this.store.piece(this.row(key, ageMs)?.result ?? null);
    return text === null ? undefined : asDrawn(JSON.parse(text) as ModelResponse);
  }

  /** A trial that goes on tells of its past answers again. */
  private keep(key: string, response: ModelResponse, ageMs: number | null): void {
    if (response.cached === true || this.row(key, ageMs) !== undefined) return;
    const pieces = new Pieces(this.store.digest);
    const result = pieces.keep(JSON.stringify(response));
    this.store.write([{ table: "eval_draw", row: { key, result, made: this.now() } }], pieces);
  }
}
