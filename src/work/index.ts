/** Agents that work for others: sub-agents, workers, workflows, and the artifacts that they make. The only door. */
export * from "./artifacts/handoff.ts";
export {
  artifactBody,
  artifactsOf,
  deriveArtifact,
  extraFields,
  isArtifact,
  lineageFrom,
  makeArtifact,
  tokensIn,
} from "./artifacts/record.ts";
export {
  artifactContext,
  newestFirst,
  selectAdaptive,
  selectArtifacts,
} from "./artifacts/selection.ts";
export { makeRequest } from "./sub-agent-request.ts";

/** Running one, loaded by the first `sub_agent_run`. */
export const loadSubAgents = () => import("./sub-agent-run.ts");

export { portsOf, suspensionMarker, type WorkerPorts, workerPorts } from "./workers/worker-ports.ts";

/** Workers of their own, loaded by the first builtin that starts or asks for one. */
export const loadWorkers = () => import("./workers/index.ts");

export { fixtureOf } from "./workflow/record/fixture.ts";
export { edgeOf, graphEdges, graphNodes, graphOf, nodeOf } from "./workflow/record/graph.ts";
export * from "./workflow/record/graph-shapes.ts";
export {
  artifactKinds,
  dictItemsOf,
  field,
  needRun,
  recordTextsIn,
  shownRecordValue as shown,
  stagesByPlace,
} from "./workflow/record/record-fields.ts";
export { inspection, policyReport, validation } from "./workflow/record/validation.ts";
export { noteQuestion } from "./workflow/running-runs.ts";

/** Running workflows and their records, loaded by the first builtin that does. */
export const loadWorkflows = () => import("./workflow/index.ts");

/** Daemons of a run, loaded by the first builtin that starts or asks for one. */
export const loadDaemons = () => import("./daemons/daemon-calls.ts");
export { type DaemonOwners, daemonOwners } from "./daemons/owners.ts";
export { sessionRunRows } from "./fields/shared-fields.ts";
export {
  conditionFields,
  daemonFields,
  lifecycleFields,
  spawnFields,
  stopFields,
  subAgentFields,
  suspendFields,
} from "./fields/worker-fields.ts";
export {
  adaptiveFields,
  assembleFields,
  contextPolicyFields,
  graphFields,
  resultRunFields,
  updateFields,
  workflowNodeFields,
  workflowRunFields,
} from "./fields/workflow-fields.ts";
export { handleKeys, stoppedKeys, subAgentResultKeys } from "./work-result-keys.ts";
