/**
 * The effects port: the one way by which anything outside a run reaches it (design.md §4).
 *
 * An effect is identified by its path (the task or child that asks) and its number on that path, and carries a
 * fingerprint of class, kind and arguments. Live, it runs; recorded, intent and result go to the journal; replayed,
 * the result comes from the journal and nothing outside is touched.
 */
import type { EffectClass } from "../table/index.ts";
import type { MaybePromise } from "../values/index.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Where an effect is counted: a task, generator, callback, hook or child loop. Numbered by its parent at creation. */
export interface EffectScope {
  /** `0`, `0.1`, `0.1.3` …: the parent's path and the child's number on it. */
  readonly path: string;
  /** Effects and children begun on this path so far. */
  effects: number;
  children: number;
}

/** One effect as its performer describes it. `T` is what the performer gets back, live and replayed alike. */
export interface EffectCall<T> {
  readonly effect: Exclude<EffectClass, "pure" | "state">;
  /** Stable name: `read_file`, `llm.call`, `tool.shell`. */
  readonly kind: string;
  /** For fingerprint and journal; asked for only when recording or replaying. Secrets are replaced by the port. */
  args(): Json;
  /** Does it. May throw or reject with anything; `ScriptError`s are recorded as results and replayed. */
  run(signal: AbortSignal): MaybePromise<T>;
  encode(result: T): Json;
  decode(stored: Json): T;
}

export type EffectMode = "live" | "record" | "replay";

export interface Effects {
  readonly mode: EffectMode;
  /** The scope of the program itself. */
  readonly root: EffectScope;
  /** Opens the next child path of a scope. */
  child(parent: EffectScope): EffectScope;
  /**
   * Performs one effect. Synchronous effects give their result at once; asynchronous ones give a promise, and their
   * results are handed over one at a time, each when all runnable tasks have come to rest, in an order that is
   * recorded and kept on replay.
   */
  perform<T>(scope: EffectScope, call: EffectCall<T>, signal?: AbortSignal): MaybePromise<T>;
  /** 32 random bits from the run's seed and the scope's own stream. */
  random32(scope: EffectScope): number;
  /** Aborts effects in flight, writes what is pending and closes the journal. */
  close(reason?: string): Promise<void>;
}
