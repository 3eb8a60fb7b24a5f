/**
 * `harn/web`: a run as the answer to a request, for any server with `Request` and `Response`. Imports nothing of Node.
 *
 *     const run = h.agent({ prompt });
 *     return eventStream(run, { format: "ai-sdk" });     // for useChat
 */

export type * from "./types.ts";
export { type AiSdkChunk, aiSdkChunks } from "./web/ai-sdk-chunks.ts";
export { type EventStreamOptions, eventStream } from "./web/event-stream.ts";
