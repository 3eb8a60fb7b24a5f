/** Workers of their own: loaded by the first builtin that starts or asks for one, and by the first loop that parks. */
export { awaitResumptionEntry, lifecycleEntries } from "./lifecycle-tools.ts";
export { keeper } from "./parking.ts";
export { parseConditions, readAsk } from "./resume-conditions.ts";
export { resumeAgent } from "./resumption.ts";
export { checkedSnapshot, parsedSnapshot } from "./snapshot-file.ts";
export { stoppedDict } from "./stopped-dict.ts";
export { stopAgent, suspendAgent } from "./suspension.ts";
export {
  closeAgent,
  listAgents,
  sendInput,
  spawnAgent,
  spawnSubAgent,
  triggerWorker,
  waitAgent,
} from "./worker-calls.ts";
