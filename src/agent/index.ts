/** Agents: tools, model calls and the loop over them. Sees scripts only as values and callables. The only door. */

export { elapsedMs, monotonicMs, pause, wallMs } from "./clock.ts";
export { newId } from "./ids.ts";
export * from "./llm-call/index.ts";
export * from "./model-call/index.ts";
export * from "./observe.ts";
export * from "./tools/index.ts";
export { addTrace, traceLog } from "./trace-log.ts";
export { messageFrom, messagesFrom } from "./values/messages.ts";
export { checkSchema, requiredKeys, type SchemaOptions, type SchemaResult } from "./values/schema-check.ts";
export { type PatternMatcher, patternMatcher } from "./values/schema-pattern.ts";
