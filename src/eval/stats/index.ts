/** The statistics of evaluations: pure functions of numbers. Imports nothing of the project. */
export * from "./agreement.ts";
export * from "./bootstrap.ts";
export * from "./comparison.ts";
export * from "./components.ts";
export * from "./distributions.ts";
export * from "./intervals.ts";
export * from "./race.ts";
export * from "./sequential.ts";
export * from "./sums.ts";
