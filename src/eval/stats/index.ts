/** The statistics of evaluations: pure functions of numbers. Imports nothing of the project. */
export * from "./agreement.ts";
export * from "./bootstrap.ts";
export * from "./comparison.ts";
export * from "./components.ts";
export * from "./distributions.ts";
export * from "./intervals.ts";
export * from "./items.ts";
export * from "./passes.ts";
export * from "./race.ts";
export * from "./sequential.ts";
export { exactSum, mean, quantile, variance } from "./sums.ts";
