/** Runs outside of the store of one machine: copies that are written with it, and runs that come from other machines. */
export * from "./carried-run.ts";
export * from "./moved-run.ts";
export type { MirroredWrite, RunMirror } from "./run-mirror.ts";
