/** Workers of their own: loaded by the first builtin that starts or asks for one, and by the first loop that suspends. */
export { awaitResumptionEntry, lifecycleEntries } from "./lifecycle-tools.ts";
export * from "./suspension/resume-conditions.ts";
export { resumeAgent } from "./suspension/resumption.ts";
export { checkedSnapshot, parsedSnapshot } from "./suspension/snapshot-file.ts";
export { stoppedDict } from "./suspension/stopped-dict.ts";
export { stopAgent, suspendAgent } from "./suspension/suspension.ts";
export { suspensionPort } from "./suspension/suspension-port.ts";
export {
  closeAgent,
  listAgents,
  sendInput,
  spawnAgent,
  spawnSubAgent,
  triggerWorker,
  waitAgent,
} from "./worker-calls.ts";
