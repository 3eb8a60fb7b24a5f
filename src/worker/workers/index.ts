/** Workers of their own: loaded by the first builtin that starts or asks for one. */
export { parseConditions } from "./resume-conditions.ts";
export { resumeAgent, type Stopped, stopAgent, suspendAgent } from "./suspension.ts";
export {
  closeAgent,
  listAgents,
  sendInput,
  spawnAgent,
  spawnSubAgent,
  triggerWorker,
  type WorkerFolder,
  waitAgent,
} from "./worker-calls.ts";
export { handleOf } from "./worker-handle.ts";
