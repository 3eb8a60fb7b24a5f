/** The loop contract: states, transitions, hooks, events, budget, and the machine that walks them. Pure. */
export {
  type Completion,
  type Control,
  createControl,
  type Plan,
  type PlanStep,
  type Reflection,
  type ToolAnswer,
} from "./control.ts";
export * from "./cycle.ts";
export { EventLog, type EventType, eventTypes, type LoopEvent } from "./events.ts";
export * from "./harness-loop.ts";
export {
  type Hook,
  type HookAnswer,
  type HookPayload,
  HookRegistry,
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
export * from "./replay.ts";
export { IllegalTransition, isLegal, type StateName, stateNames, transition } from "./states.ts";
