/** `llm_transcript.jsonl` of a single `llm_call`: its messages, request and answer. */
import type { Task } from "../../interp/index.ts";
import type { ModelError, ModelRequest, ModelResponse } from "../../llm/index.ts";
import { runningLoops } from "../running.ts";
import type { ToolCall } from "../tools/types.ts";
import { responseFields } from "./records.ts";
import { type TranscriptFile, transcriptFile } from "./transcript-file.ts";

/** `null` when nobody asked for one, and while a loop makes this call for itself: its own transcript has it. */
export function openCallTranscript(task: Task, folder: string | null): CallTranscript | null {
  const loop = task.runtime.state(runningLoops).current(task);
  if (loop !== null && loop.conversation.turn > 0) return null;
  const file = transcriptFile(task, folder);
  return file === null ? null : new CallTranscript(file, task);
}

export class CallTranscript {
  private readonly file: TranscriptFile;
  private readonly callId: string;

  constructor(file: TranscriptFile, task: Task) {
    this.file = file;
    const calls = (file.written.messages.get("llm_call") ?? 0) + 1;
    file.written.messages.set("llm_call", calls);
    this.callId = `${task.id}:llm_call_${calls}`;
  }

  request(request: ModelRequest, format: string | null): Promise<void> {
    this.file.surroundings(request);
    for (const message of request.messages) this.file.message(message, 0);
    this.file.request(request, { call_id: this.callId, iteration: 0 }, format);
    return this.file.flush();
  }

  response(
    response: ModelResponse,
    durationMs: number,
    prose: string,
    calls: readonly ToolCall[],
  ): Promise<void> {
    const common = { call_id: this.callId, iteration: 0 };
    this.file.add("provider_call_response", { ...common, ...responseFields(response, durationMs) });
    this.file.add("interpreted_response", {
      ...common,
      tool_format: null,
      prose,
      tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      tool_parse_errors: [],
    });
    return this.file.flush();
  }

  failed({ provider, model, category, message }: ModelError): Promise<void> {
    const common = { call_id: this.callId, iteration: 0 };
    this.file.add("provider_call_response", { ...common, provider, model, error: { category, message } });
    return this.file.flush();
  }
}
