/** Torture's engine: a script with a fault at each of its effects, and real kills. */
export * from "./experiment.ts";
export { describeFault, faultsFor, type TortureFault } from "./faults.ts";
export { followOrders } from "./in-child.ts";
export { type KilledRun, killNine, phaseKills, spreadKills } from "./kill-nine.ts";
