/** Events as they travel: what their makers, logs, servers and pages agree on. Imports nothing; the page has it too. */
export { conversationStateNames } from "../../durable/conversation-states.ts";
export type * from "./event-data.ts";
export { failedCallText, protocolVersion, type WirePlace } from "./event-data.ts";
export * from "./event-types.ts";
export * from "./json.ts";
