/**
 * What is known of dicts that builtins make: results, and what callbacks are called with. The checker knows by it what
 * `result.stop_reson` and `result.status == "doen"` were meant to be.
 */
import type { Value } from "../values/index.ts";

/** All keys that the dict may have. */
export interface KnownKeys {
  readonly [key: string]: ValueKnowledge;
}

/** Of a value: nothing; the texts that it may be, where it is a text (`ownStatesBy` may add some); its keys, where it is a dict. */
export type ValueKnowledge = null | readonly string[] | KnownKeys;

/** What a callback is called with first. */
export interface CalledWith {
  readonly keys: KnownKeys;
  /** It may have other keys too: only texts are judged. */
  readonly open?: boolean;
  /** Texts among its values may be the script's own. */
  readonly hasOwnStates?: boolean;
}

/** Values under the known keys; absent where a key does not apply. */
export type ValuesOf<K extends KnownKeys> = { readonly [N in keyof K]?: Value | undefined };

/** Keys of whose values nothing is known. */
export const keysOf = <N extends string>(...names: readonly N[]): { readonly [K in N]: null } =>
  Object.fromEntries(names.map((name) => [name, null])) as { readonly [K in N]: null };

export const areKeys = (known: ValueKnowledge | undefined): known is KnownKeys =>
  known !== null && known !== undefined && !isVocabulary(known);

/** `Array.isArray` alone does not narrow to readonly lists. */
export const isVocabulary = (known: ValueKnowledge | undefined): known is readonly string[] =>
  Array.isArray(known);
