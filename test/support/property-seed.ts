/**
 * One seed for all property tests, so that a run of the suite says the same twice. `HARN_PROPERTY_SEED=random` (or a
 * number) looks elsewhere: that is how new cases are found, and each one found becomes a test of its own.
 */
import fc from "fast-check";

const asked = process.env.HARN_PROPERTY_SEED ?? "20261121";
/** What other choices of the suite come from. */
export const suiteSeed = asked === "random" ? String(Math.random()) : asked;
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });
