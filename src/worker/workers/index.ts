/** Workers of their own: loaded by the first builtin that starts or asks for one. */
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
