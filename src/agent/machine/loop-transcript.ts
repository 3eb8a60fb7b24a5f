/**
 * `llm_transcript.jsonl` of a loop (agents.md §2.4): what it sent and got, for people who look later and for
 * `agent_session_seed_from_jsonl`. Written when a folder is named, by `llm_transcript_dir` or the environment, and told
 * to those who watch records (the event log).
 *
 *     before a call   routing_decision, system_prompt, tool_schemas (when changed), message (each once),
 *                          provider_call_request
 *     after it            provider_call_response          after the turn   interpreted_response
 *     judges, summaries    provider_call_request and provider_call_response with their `purpose`
 */
import type { Task } from "../../interp/index.ts";
import type {
  CallPlan,
  Conversation,
  ModelCallResult,
  ModelRequest,
  RoutingDecision,
} from "../../model/index.ts";
import {
  failureFields,
  interpretedFields,
  responseFields,
  type TranscriptFields,
  type TranscriptFile,
  transcriptFile,
} from "../../model/index.ts";
import type { Loop } from "../state/loop-state.ts";
import type { ModelAnswer } from "../state/requests.ts";

/** A question beside the conversation. */
export type Aside = "judge" | "summary";

/** The transcript of a loop, or `null` when nobody asked for one. */
export function openLlmTranscript(task: Task, loop: Loop): LlmTranscript | null {
  const file = transcriptFile(task, loop.options.llmTranscriptDir);
  return file === null ? null : new LlmTranscript(file, loop);
}

export class LlmTranscript {
  private readonly file: TranscriptFile;
  private readonly loop: Loop;
  private asides = 0;

  constructor(file: TranscriptFile, loop: Loop) {
    this.file = file;
    this.loop = loop;
  }

  routed(decision: RoutingDecision, iteration: number): void {
    this.file.add("routing_decision", { ...this.call(iteration), ...decision });
  }

  /** A call is about to go out. */
  request(request: ModelRequest, plan: CallPlan, iteration: number): Promise<void> {
    this.file.surroundings(request);
    this.messages(this.loop.conversation, iteration);
    this.file.request(request, this.call(iteration), plan, this.loop.format);
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
    else this.file.add("provider_call_response", { ...common, ...failureFields(answer.error) });
    return this.file.flush();
  }

  /**
   * A judge or a summarizer is asked. Its prompt is no message of the conversation, so it stands in the request itself,
   * and `purpose` keeps readers of conversations away from it.
   */
  async aside(
    purpose: Aside,
    request: ModelRequest,
    plan: CallPlan,
    call: () => Promise<ModelCallResult>,
  ): Promise<ModelCallResult> {
    const iteration = this.loop.work.iteration + 1;
    this.asides++;
    const common = {
      call_id: `${this.loop.state.sessionId}:${iteration}:${purpose}_${this.asides}`,
      iteration,
      purpose,
    };
    const [prompt] = request.messages;
    this.file.request(
      request,
      { ...common, system: request.system ?? null, prompt: prompt?.content ?? null },
      plan,
      null,
    );
    await this.file.flush();
    const result = await call();
    this.file.add("provider_call_response", {
      ...common,
      ...(result.ok ? responseFields(result.response, result.durationMs) : failureFields(result.error)),
    });
    await this.file.flush();
    return result;
  }

  /** What the loop made of the answer of this turn. Written with what comes next. */
  interpreted(): void {
    const { work, format } = this.loop;
    if (!work.answered) return;
    this.file.add("interpreted_response", {
      ...this.call(work.iteration + 1),
      ...interpretedFields(format, work.visible, work.calls, work.parseErrors),
    });
  }

  /** The loop is over: writes what is left. */
  close(): Promise<void> {
    this.messages(this.loop.conversation, this.loop.work.iteration + 1);
    return this.file.flush();
  }

  private call(iteration: number): TranscriptFields {
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
