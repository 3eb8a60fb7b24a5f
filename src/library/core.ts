/**
 * `harn/core`: the parts that the library is made of, for those who bring their own host, effects or model client, or drive the
 * agent loop's machine themselves. What is not exported here is internal.
 */
import { HarnessLoop as Machine } from "../agent/index.ts";

export {
  type ApprovalHost,
  type Completion,
  type ContractFacts,
  type ContractVerdict,
  configureApprovals,
  configureSubsystems,
  decideStop,
  type EventType,
  eventTypes,
  type GateFact,
  type HarnessLoopOptions,
  type HarnessStep,
  type Hook,
  type HookPayload,
  HookRegistry,
  type HookTopic,
  hookTopics,
  IllegalTransition,
  type LadderInput,
  type LadderPlan,
  type LadderSettings,
  type Loop,
  type LoopEvent,
  ladderDefaults,
  type MergedSummary,
  mergeSummary,
  type Plan,
  type Planner,
  type PlannerView,
  type PlanStep,
  type Pull,
  pauseLoop,
  planLadder,
  type ResumeInput,
  type ResumePayload,
  replacePayload,
  replayEvents,
  resumeWith,
  type StateName,
  type StopEnd,
  type StopFacts,
  type StopVerdict,
  type Subsystem,
  type SubsystemChange,
  type SummaryDelta,
  type SummarySource,
  skipStep,
  stateNames,
  type ToolAnswer,
  type Turn,
  type ViewMessage,
  verifyContract,
} from "../agent/index.ts";
export {
  builtinGlobals,
  builtinTable,
  Capabilities,
  type CapabilityLists,
  restrictHost,
  restrictTable,
} from "../builtins/index.ts";
export { type Diagnostic, renderDiagnostic, renderDiagnostics } from "../diagnostics/index.ts";
export {
  type Effects,
  type Journal,
  type JournalWriter,
  LiveEffects,
  MemoryJournal,
  RecordingEffects,
  ReplayEffects,
  Secrets,
} from "../effects/index.ts";
export {
  createNodeHost,
  type Host,
  hermeticHost,
  hermeticSeed,
  nodeAtRest,
  nodeDigest,
  nodeInterrupts,
  nodeOutputHash,
  nodeSeed,
} from "../host/index.ts";
export { type Console, Runtime, runGuarded, Task } from "../interp/index.ts";
export { type Compiled, compileProgram, type RunOutcome, runProgram } from "../lower/index.ts";
export {
  type CompactionPlan,
  type LoggedMessage,
  renderView,
  type StructuredSummary,
  type ToolRequest,
} from "../model/index.ts";
export type { ModuleLoader } from "../resolve/index.ts";
export { configureSkillMatch, type SkillMatchHost } from "../skills/index.ts";
export { SourceFile } from "../source/index.ts";
export { createJournalFile, journalOfFile } from "../store/index.ts";
export { parse } from "../syntax/index.ts";
export { type BuiltinSpec, type BuiltinTable, defineBuiltins } from "../table/index.ts";
export {
  Callable,
  Dict,
  display,
  equals,
  Float,
  fromJson,
  List,
  ScriptError,
  toJson,
  type Value,
} from "../values/index.ts";

/** The contract machine as the package exports it: with the machine's clock, for those who give no time as `at`. */
export class HarnessLoop extends Machine {
  constructor(...[options, restored]: ConstructorParameters<typeof Machine>) {
    super({ clock: () => performance.now(), ...options }, restored);
  }
}
