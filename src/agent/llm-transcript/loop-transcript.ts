/**
 * `llm_transcript.jsonl` of a loop (agents.md §2.4): what it sent and got, for people who look later and for
 * `agent_session_seed_from_jsonl`. Written only when a folder is named, by `llm_transcript_dir` or the environment.
 *
 *     in front of a call   system_prompt, tool_schemas (when changed), message (each once), provider_call_request
 *     behind it            provider_call_response          behind the turn   interpreted_response
 */
import type { Task } from "../../interp/index.ts";
import type { ModelRequest } from "../../llm/index.ts";
import type { Conversation } from "../conversation.ts";
import type { Loop } from "../loop-state.ts";
import type { ModelAnswer } from "../requests.ts";
import { type Fields, responseFields } from "./records.ts";
import { type TranscriptFile, transcriptFile } from "./transcript-file.ts";

/** The transcript of a loop, or `null` when nobody asked for one. */
export function openLlmTranscript(task: Task, loop: Loop): LlmTranscript | null {
  const file = transcriptFile(task, loop.options.llmTranscriptDir);
  return file === null ? null : new LlmTranscript(file, loop);
}

export class LlmTranscript {
  private readonly file: TranscriptFile;
  private readonly loop: Loop;

  constructor(file: TranscriptFile, loop: Loop) {
    this.file = file;
    this.loop = loop;
  }

  /** A call is about to go out. */
  request(request: ModelRequest, iteration: number): Promise<void> {
    this.file.surroundings(request);
    this.messages(this.loop.conversation, iteration);
    this.file.request(request, this.call(iteration), this.loop.format);
    return this.file.flush();
  }

  /** A call came back, or failed. */
  response(answer: ModelAnswer, iteration: number): Promise<void> {
    const common = this.call(iteration);
    if (answer.ok)
      this.file.add("provider_call_response", {
        ...common,
        ...responseFields(answer.response, answer.durationMs),
      });
    else {
      const { provider, model, category, message } = answer.error;
      this.file.add("provider_call_response", { ...common, provider, model, error: { category, message } });
    }
    return this.file.flush();
  }

  /** What the loop made of the answer of this turn. Written with what comes next. */
  interpreted(): void {
    const { work, format } = this.loop;
    if (!work.answered) return;
    this.file.add("interpreted_response", {
      ...this.call(work.iteration + 1),
      tool_format: format,
      prose: work.visible,
      tool_calls: work.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      tool_parse_errors: work.parseErrors,
    });
  }

  /** The loop is over: writes what is left. */
  close(): Promise<void> {
    this.messages(this.loop.conversation, this.loop.work.iteration + 1);
    return this.file.flush();
  }

  private call(iteration: number): Fields {
    return { call_id: `${this.loop.state.sessionId}:${iteration}`, iteration };
  }

  /** Messages that entered the conversation since the last time. */
  private messages({ id, log }: Conversation, iteration: number): void {
    const { messages } = this.file.written;
    // A session that was reset begins anew.
    const from = Math.min(messages.get(id) ?? 0, log.length);
    for (const { message } of log.slice(from)) this.file.message(message, iteration);
    messages.set(id, log.length);
  }
}
