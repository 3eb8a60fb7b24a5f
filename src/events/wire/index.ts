/** Events as they travel: what their makers, logs, servers and pages agree on. Imports nothing; the page has it too. */
export { conversationStateNames, conversationStates } from "../../durable/conversation-states.ts";
export type * from "./event-data.ts";
export { durableEventTypes, ephemeralEventTypes } from "./event-types.ts";
export { failedCallText } from "./failed-call.ts";
export { type EventText, headOfText, isTextRef, type Json, type JsonObject, type TextRef } from "./json.ts";
export { eventLimits } from "./limits.ts";
export { protocolVersion, type WirePlace } from "./place.ts";
