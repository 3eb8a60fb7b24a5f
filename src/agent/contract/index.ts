/** The loop contract: states, transitions, hooks, events, budget, and the machine that walks them. Pure. */
export {
  type Amounts,
  type Budget,
  type BudgetKind,
  budgetKinds,
  createBudget,
  extend,
  reachedLimit,
} from "./budget.ts";
export {
  type Completion,
  type Control,
  createControl,
  type Plan,
  type PlanStep,
  type Reflection,
  type ToolAnswer,
} from "./control.ts";
export {
  type ContractRequest,
  type Core,
  type CycleProgram,
  cycle,
  type PauseRequest,
  type ToolsRequest,
  textOfThrown,
} from "./cycle.ts";
export {
  type EventData,
  EventLog,
  type EventSubscriber,
  type EventType,
  eventTypes,
  eventVersion,
  type LoopEvent,
  type ParentRef,
} from "./events.ts";
export {
  defaultBudget,
  HarnessLoop,
  type HarnessLoopOptions,
  type HarnessStep,
  type Planner,
  type PlannerView,
  type Pull,
  type ResumeInput,
} from "./harness-loop.ts";
export {
  type Hook,
  type HookAnswer,
  type HookPayload,
  HookRegistry,
  type HookRequest,
  type HookTopic,
  type HookVerdict,
  hookTimes,
  hookTopics,
  isAboutTools,
  pauseLoop,
  type ResumePayload,
  replacePayload,
  resumeWith,
  skipStep,
} from "./hooks.ts";
export { BrokenLog, replayEvents, viewOf } from "./replay.ts";
export {
  type Because,
  edges,
  IllegalTransition,
  isLegal,
  type StateName,
  stateNames,
  transition,
} from "./states.ts";
