/** What happens in a run, as one stream of events, and its subscribers. */
export {
  type HookedCall,
  postToolUse,
  preToolUse,
  toolAudited,
  toolEnded,
  toolStarted,
  typedEvent,
} from "./named-events.ts";
export * from "./projections/agent-trace.ts";
export * from "./projections/contract-log.ts";
export * from "./projections/editor-updates.ts";
export * from "./projections/envelope.ts";
export { eventLineTexts } from "./projections/event-lines.ts";
export * from "./projections/event-log-mirror.ts";
export * from "./projections/live-events.ts";
export * from "./projections/run-tree.ts";
export * from "./projections/script-events.ts";
export * from "./projections/spans.ts";
export {
  type ContractData,
  type ContractType,
  contractTypes,
  type DurableData,
  type EmittedEvent,
  type EventPlace,
  isDurable,
  type NamedEvent,
  type RunEvent,
  type RunEventData,
  type RunEventType,
  type RunTotals,
  type TurnLimit,
} from "./run-event.ts";
export * from "./run-events.ts";
