/** `llm_transcript.jsonl` of a single `llm_call`: its messages, requests and answers. */

import type { Task } from "../../interp/index.ts";
import { conversations } from "../conversation/conversation.ts";
import type { ModelRequest } from "../llm/index.ts";
import { failureFields, interpretedFields, responseFields } from "../llm-transcript/records.ts";
import { type TranscriptFile, transcriptFile } from "../llm-transcript/transcript-file.ts";
import type { CallPlan, ModelCallResult, RoutingDecision } from "../model-call/index.ts";
import { readAnswer } from "./response-dict.ts";

/** `null` when nobody asked for one, and while a loop makes this call for itself: its own transcript has it. */
export function openCallTranscript(task: Task, folder: string | null): CallTranscript | null {
  const sessions = task.runtime.state(conversations);
  if (sessions.turnOf(sessions.current(task)) > 0) return null;
  const file = transcriptFile(task, folder);
  return file === null ? null : new CallTranscript(file, task);
}

export class CallTranscript {
  private readonly file: TranscriptFile;
  private readonly common: { readonly call_id: string; readonly iteration: 0 };
  private written = false;

  constructor(file: TranscriptFile, task: Task) {
    this.file = file;
    const calls = (file.written.messages.get("llm_call") ?? 0) + 1;
    file.written.messages.set("llm_call", calls);
    this.common = { call_id: `${task.id}:llm_call_${calls}`, iteration: 0 };
  }

  routed(decision: RoutingDecision): void {
    this.file.add("routing_decision", { ...this.common, ...decision });
  }

  /** Another route is asked with the same messages: they are written once. */
  request(request: ModelRequest, plan: CallPlan): Promise<void> {
    this.file.surroundings(request);
    if (!this.written) for (const message of request.messages) this.file.message(message, 0);
    this.written = true;
    this.file.request(request, this.common, plan, plan.tools.entries.length === 0 ? null : plan.toolFormat);
    return this.file.flush();
  }

  answered(result: ModelCallResult, plan: CallPlan): Promise<void> {
    const { file, common } = this;
    if (!result.ok) file.add("provider_call_response", { ...common, ...failureFields(result.error) });
    else {
      const { prose, calls } = readAnswer(result.response, plan.tools, plan.toolFormat);
      file.add("provider_call_response", {
        ...common,
        ...responseFields(result.response, result.durationMs),
      });
      file.add("interpreted_response", { ...common, ...interpretedFields(null, prose, calls, []) });
    }
    return file.flush();
  }
}
