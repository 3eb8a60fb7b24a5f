/**
 * Script values and how they are represented (language.md §4). One table, so that everybody agrees:
 *
 *   nil        `null` (JavaScript `undefined` is never a script value: it marks "no such slot/argument yet")
 *   bool       `boolean`
 *   int        `number` while it is a safe integer, `bigint` from there to 64 bits; never `-0`, never a bigint that is safe
 *   float      `Float` (so that 5.0 and 5 stay apart)
 *   decimal    `Decimal`: exact, with its scale
 *   string     `string` (indices that scripts see are code points)
 *   others     one class each; `type` on the prototype is what `type_of` says
 *
 * All of them are immutable for scripts, except the handles (channel, atomic, iterator, generator, stream, task, rng).
 */

/**
 * The classes among them. The module of a class adds it here (`declare module`), so that this one needs none of theirs and each
 * of them may speak of values.
 */
// biome-ignore lint/suspicious/noEmptyInterface: what makes the values adds them.
export interface ValueClasses {}

export type Value = null | boolean | number | bigint | string | ValueClasses[keyof ValueClasses];

/** Synchronous until it cannot be: a value, or the promise of one where something waits. */
export type MaybePromise<T> = T | Promise<T>;
