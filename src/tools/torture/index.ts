/** Torture's engine: a script with a fault at each of its effects, and real kills. */
export { differences } from "./compare.ts";
export { type Execution, experiment, type Subject } from "./experiment.ts";
export { describeFault, type Fault, faultsFor } from "./faults.ts";
export { followOrders } from "./in-child.ts";
export { type KilledRun, killNine, phaseKills, spreadKills } from "./kill-nine.ts";
