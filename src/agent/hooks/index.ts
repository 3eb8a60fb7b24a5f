/** Hooks that scripts register for the whole run: around tools, around conversations. */
export { parseHookPattern } from "./patterns.ts";
export {
  endConversation,
  laterSessionEvents,
  loopSessionHooks,
  runSessionHooks,
  type SessionHookEvent,
  sessionEventName,
  sessionEventNames,
  sessionEvents,
  sessionHooks,
} from "./session-hooks.ts";
export * from "./tool-hooks.ts";
