/** Runs and trials on many machines (docs/cluster.md): see README.md beside this file. Only `cli` names it. */

export {
  type BroughtBack,
  bringBack,
  follow,
  handOver,
  handOverNote,
  lostRun,
  noteHandedOver,
  takeBackUnlessOpen,
} from "./hand-over.ts";
export { type Cluster, openCluster } from "./open.ts";
export * from "./ports.ts";
export { endsOfRun, type RunOrder, travellingFlags } from "./run-order.ts";
export * from "./settings/index.ts";
export { openToStop, stopHandedOver } from "./stop-jobs.ts";
