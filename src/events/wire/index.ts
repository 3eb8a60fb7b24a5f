/** Events as they travel: what their makers, logs, servers and pages agree on. Imports nothing; the page has it too. */
export { conversationStateNames, conversationStates } from "../../durable/conversation-states.ts";
export type * from "./event-data.ts";
export { failedCallText, protocolVersion, type WirePlace } from "./event-data.ts";
export { durableEventTypes, ephemeralEventTypes, eventLimits } from "./event-types.ts";
export { type EventText, headOfText, isTextRef, type Json, type JsonObject, type TextRef } from "./json.ts";
