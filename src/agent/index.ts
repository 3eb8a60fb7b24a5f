/** Agents: tools, model calls and the loop over them. Sees scripts only as values and callables. The only door. */

export type { LoopCall, LoopEnd } from "./agent-loop.ts";
export { NativeCallable } from "./callers/native-callable.ts";
export { elapsedMs, monotonicMs, pause, wallMs } from "./clock.ts";
export { awaitResumption } from "./completion/await-resumption.ts";
export * from "./context/index.ts";
export { seedConversation } from "./context/seed-transcript.ts";
export {
  type Amounts,
  BrokenLog,
  budgetKinds,
  type Completion,
  type Control,
  type EventType,
  eventTypes,
  HarnessLoop,
  type HarnessLoopOptions,
  type HarnessStep,
  type Hook,
  type HookPayload,
  HookRegistry,
  type HookTopic,
  hookTopics,
  IllegalTransition,
  type LoopEvent,
  type Plan,
  type Planner,
  type PlannerView,
  type PlanStep,
  type Pull,
  pauseLoop,
  type ResumeInput,
  type ResumePayload,
  replacePayload,
  replayEvents,
  resumeWith,
  type StateName,
  skipStep,
  stateNames,
  type ToolAnswer,
  type ToolRequest,
} from "./contract/index.ts";
export {
  type Conversation,
  type Conversations,
  conversations,
  type LoggedMessage,
  type WorkspaceAnchor,
} from "./conversation.ts";
export { hostPathOf, loadSnapshot, readDaemonFile, saveSnapshot } from "./daemon/files.ts";
export type { Mailbox } from "./daemon/mailbox.ts";
export { hexText } from "./digest.ts";
export * from "./hooks/index.ts";
export { callHost, type HostOperation, hostBridge, offerHostOperations } from "./host-bridge.ts";
export { type HostSession, hostSession } from "./host-session.ts";
export { newId } from "./ids.ts";
export {
  type AskedToPark,
  type EndOfParked,
  type Initiator,
  type Keeper,
  loopKeeper,
  type Parked,
  type ParkedLoop,
} from "./keeper.ts";
export * from "./llm-call/index.ts";
export { noteTemplate, recordWatchers } from "./llm-transcript/index.ts";
export type { OutcomeWatch } from "./loop-state.ts";
export * from "./mcp/index.ts";
export * from "./model-call/index.ts";
export * from "./observe.ts";
export * from "./options/fields.ts";
export { dropBatch, restoreBatch } from "./phases/open-batch.ts";
export {
  type ApprovalHost,
  type ApprovalPolicy,
  addJudge,
  approvers,
  blockedReason,
  type CapabilityPolicy,
  type CommandRisk,
  checkCeilings,
  checkWithin,
  commandPoliciesOf,
  commandPolicyOf,
  configureApprovals,
  decidingPolicies,
  deniedName,
  effectOwner,
  egressCheck,
  egressPolicy,
  enterEgressScope,
  fullPath,
  installGuard,
  type JudgedCommand,
  judgeCommands,
  judgedRequest,
  levelRank,
  policyScopes,
  pushedPolicies,
  readApproval,
  readPolicy,
  readsOnly,
  refusedCommand,
  riskOfCommand,
  riskOfOutput,
  sideEffectLevels,
  watchEgress,
  writtenPaths,
} from "./policy/index.ts";
export { type ProjectManifest, projectManifest } from "./project/manifest.ts";
export { modelLayers } from "./project/model-config.ts";
export { type RunningLoops, runningLoops } from "./running.ts";
export * from "./skills/index.ts";
export { tellSession } from "./tell.ts";
export * from "./tools/index.ts";
export { addTrace, traceLog, traceSummary } from "./trace-log.ts";
export { fitAnswer } from "./values/answer-fit.ts";
export { rankByWords, wordsOf } from "./values/bm25.ts";
export { messageFrom, messagesFrom } from "./values/messages.ts";
export { checkSchema, requiredKeys, type SchemaOptions, type SchemaResult } from "./values/schema-check.ts";
export { type PatternMatcher, patternMatcher } from "./values/schema-pattern.ts";

/** The loop itself, loaded by the first `agent_loop`. */
export const loadAgentLoop = () => import("./agent-loop.ts");

/** Parts of a turn for scripts that drive their own loop, loaded on first use. */
export const loadPrimitives = () => import("./primitives.ts");
export { callSite, noteUnseenEnd, watchedEnvelope, watchedHandle, watchedResult } from "./unseen-ends.ts";
export { sayToSession, type UserMessageMode, userMessageModes, wakeSession } from "./user-messages.ts";
