/** Agents: tools, model calls and the loop over them. Sees scripts only as values and callables. The only door. */

export { hostPathOf } from "./checks/files.ts";
export { runCommandLine } from "./checks/index.ts";
export {
  decideStop,
  type GateFact,
  type StopEnd,
  type StopFacts,
  type StopVerdict,
} from "./completion/stop-table.ts";
export { withoutLostChecks } from "./completion/task-contract/restore.ts";
export { restoreTaskState } from "./completion/task-state.ts";
export { type Attachment, wordsWith } from "./context/attachments.ts";
export * from "./context/index.ts";
export {
  type Completion,
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
} from "./contract/index.ts";
export * from "./daemon/files.ts";
export * from "./hooks/index.ts";
export type { LoopEnd } from "./machine/agent-loop.ts";
export { awaitResumption } from "./machine/await-resumption.ts";
export { type HostSession, hostSession } from "./machine/host-session.ts";
export { dropBatch, restoreBatch } from "./machine/phases/open-batch.ts";
export { eventValue } from "./machine/script-hooks.ts";
export { loopStrategies } from "./options/compaction-loop-options.ts";
export { contractFields } from "./options/contract-options.ts";
export * from "./options/fields.ts";
export { builtinRuleIds } from "./options/jit-options.ts";
export { questionRows as judgeQuestionRows } from "./options/judge-fields.ts";
export { type LadderSettings, usualSettings as ladderDefaults } from "./options/ladder-options.ts";
export { predicateTables } from "./options/predicate-options.ts";
export { promptRows } from "./options/prompt-overrides.ts";
export { itemFields } from "./options/work-item-options.ts";
export {
  type ApprovalHost,
  type AutonomyTier,
  approvalPolicyOf,
  approvers,
  autonomyTiers,
  blockedReason,
  type CapabilityPolicy,
  type CommandRisk,
  checkCeilings,
  checkWithin,
  commandPoliciesOf,
  commandPolicyFields,
  commandPolicyOf,
  configureApprovals,
  decidingPolicies,
  deniedName,
  enterFolder,
  enterTier,
  installGuard,
  isTierRefusal,
  type JudgedCommand,
  judgeCommands,
  judgedRequest,
  levelRank,
  matcherTables,
  noteApproval,
  policyScopes,
  pushedPolicies,
  readPolicy,
  readsOnly,
  refusedCommand,
  riskOfCommand,
  riskOfOutput,
  ruleMatchKeys,
  sideEffectLevels,
  TierScope,
  writtenPaths,
} from "./policy/index.ts";
export { isInMode, modeAround, modeScopes } from "./policy/modes.ts";
export { type ContractFacts, type ContractVerdict, verifyContract } from "./session/contract-coverage.ts";
export { workRecord } from "./session/control-record.ts";
export { harnessEvents } from "./session/harness-events.ts";
export { interventionFields } from "./session/interventions.ts";
export * from "./session/kept-conversation.ts";
export * from "./session/reminder-fields.ts";
export { seedConversation } from "./session/seed-transcript.ts";
export { transcriptOf } from "./session/session-transcript.ts";
export { dictsOf } from "./session/transcript-value.ts";
export { guardsAround, handedDown } from "./state/below/laid-on.ts";
export type * from "./state/loop-call.ts";
export type { Mailbox } from "./state/mailbox.ts";
export { runningLoops } from "./state/running.ts";
export type * from "./state/suspension.ts";
export {
  type EndOfResumed,
  resumableWork,
  type SuspendedLoop,
  type SuspensionOutcome,
  type SuspensionPort,
  suspensionPorts,
} from "./state/suspension-port.ts";
export * from "./tools/host-bridge.ts";
export * from "./tools/index.ts";

/** Ledger and contract of a session, loaded on first use. */
export const loadTaskApi = () => import("./completion/task-api.ts");
/** Why a session is as it is, loaded by the first who asks. */
export const loadWhy = () => import("./why/explain.ts");
export type { WhyAnswer, WhyQuestion } from "./why/explain.ts";

/** What runs loops; `skills/` hands it on with everything that loops may use. */
export const loadLoopMachine = () => import("./machine/agent-loop.ts");

/** Parts of a turn for scripts that drive their own loop, loaded on first use. */
export const loadPrimitives = () => import("./machine/primitives.ts");
export { resetNarrowing } from "./context/narrowing.ts";
export { setMode } from "./context/session-mode.ts";
export { sayToSession, wakeSession } from "./context/user-messages.ts";
export { refreshVisible } from "./context/visible-tools.ts";
export {
  callSite,
  noteUnseenEnd,
  watchedEnvelope,
  watchedHandle,
  watchedResult,
} from "./machine/unseen-ends.ts";
export type { LoopExtensions, LoopServers } from "./state/extensions.ts";
export { loadSkillName } from "./state/load-skill-name.ts";
export { loopOtherKeys, loopResultKeys, turnResultKeys } from "./state/loop-result-keys.ts";
export type { Loop, LoopSkills } from "./state/loop-state.ts";
export { type LoopPhase, loopPhases, phaseObserver } from "./state/phases.ts";
export { callBack, emitNamed, type Turn } from "./state/requests.ts";
export { configureSubsystems, type Subsystem, type SubsystemChange } from "./state/subsystem.ts";
