/** What happens in a run, as one stream of events, and its subscribers. */
export { type TypedEvent, typedEvent } from "./named-events.ts";
export { agentTraceRow, failedCheckpoint, traceSummary } from "./projections/agent-trace.ts";
export {
  type ContractEvent,
  contractEntry,
  copyPlain,
  eventVersion,
  frozen,
  type LoopEvent,
  type ParentRef,
} from "./projections/contract-log.ts";
export { askedAs, type EditorStep, editorSteps } from "./projections/editor-updates.ts";
export {
  type Envelope,
  type EnvelopeType,
  envelopeOfEvent,
} from "./projections/envelope.ts";
export { eventLineTexts } from "./projections/event-lines.ts";
export { type MirroredEvent, mirroredEvents, mirroredTopics } from "./projections/event-log-mirror.ts";
export {
  type LoopNode,
  type NoteNode,
  RunTree,
  runTree,
  type ToolNode,
  type TurnNode,
} from "./projections/run-tree.ts";
export { liveEventTypes, scriptEvents, scriptTypes } from "./projections/script-events.ts";
export { chatOf, type SpanAttributes, type SpanStep, spanSteps } from "./projections/spans.ts";
export {
  type ContractData,
  type ContractType,
  contractTypes,
  type DurableData,
  type DurableEventType,
  type EmittedEvent,
  type EventPlace,
  isDurable,
  type NamedEvent,
  type ParentCall,
  type RunEvent,
  type RunEventData,
  type RunEventType,
  type RunTotals,
  type ServerData,
  type TurnLimit,
} from "./run-event.ts";
export {
  type CallIdentity,
  LoopIdentity,
  outside,
  placeOf,
  placeOfEffect,
  type RunEventSink,
  RunEvents,
  runEvents,
  type TaskPlace,
  taskPlaces,
} from "./run-events.ts";
export {
  type HookedCall,
  postToolUse,
  preToolUse,
  toolAudited,
  toolEnded,
  toolStarted,
} from "./tool-events.ts";
