/**
 * `llm_transcript.jsonl` (agents.md §2.4): what a loop sent and got, line by line, for people who look later and for
 * `agent_session_seed_from_jsonl`. Written only when a folder is named, by `llm_transcript_dir` or the environment.
 *
 *     in front of a call   system_prompt, tool_schemas (when changed), message (each once), provider_call_request
 *     behind it            provider_call_response          behind the turn   interpreted_response
 *
 * Lines are collected and appended in one recorded write; a folder that can't be written costs a warning, not the loop.
 */
import { HostError } from "../host/index.ts";
import type { StateKey, Task } from "../interp/index.ts";
import { type ModelRequest, type ModelResponse, redact } from "../llm/index.ts";
import { ScriptError, thrown, uncaughtText } from "../values/index.ts";
import { wallMs } from "./clock.ts";
import type { Conversation } from "./conversation.ts";
import type { Loop } from "./loop-state.ts";
import { modelsOf } from "./model-call/index.ts";
import type { ModelAnswer } from "./requests.ts";

const fileName = "llm_transcript.jsonl";
export const transcriptDirVariable = "HARN_LLM_TRANSCRIPT_DIR";
export const transcriptVerboseVariable = "HARN_LLM_TRANSCRIPT_VERBOSE";

type Fields = Readonly<Record<string, unknown>>;

/** What a file holds already, so that a second loop on the session repeats nothing. */
interface Written {
  system: string | null | undefined;
  tools: string | undefined;
  /** Messages of the log, by session. */
  readonly messages: Map<string, number>;
}

const filesWritten: StateKey<Map<string, Written>> = {
  name: "agent.llm transcripts",
  create: () => new Map(),
};

/** The file of a loop, or `null` when nobody asked for one. */
export function openLlmTranscript(task: Task, loop: Loop): LlmTranscript | null {
  const { env } = modelsOf(task);
  const folder = loop.options.llmTranscriptDir ?? env.get(transcriptDirVariable) ?? "";
  if (folder === "") return null;
  const { cwd } = task.runtime.host;
  const full = /^(\/|[A-Za-z]:[\\/])/.test(folder) ? folder : `${cwd}/${folder}`;
  return new LlmTranscript(task, loop, full, env.get(transcriptVerboseVariable) === "1");
}

export class LlmTranscript {
  private readonly task: Task;
  private readonly loop: Loop;
  private readonly folder: string;
  private readonly verbose: boolean;
  private readonly written: Written;
  private pending: Fields[] = [];
  private warned = false;

  constructor(task: Task, loop: Loop, folder: string, verbose: boolean) {
    this.task = task;
    this.loop = loop;
    this.folder = folder;
    this.verbose = verbose;
    const files = task.runtime.state(filesWritten);
    this.written = files.get(folder) ?? { system: undefined, tools: undefined, messages: new Map() };
    files.set(folder, this.written);
  }

  /** A call is about to go out. */
  request(request: ModelRequest, iteration: number): void {
    const { written, loop } = this;
    const system = request.system ?? null;
    if (system !== written.system) {
      written.system = system;
      this.add("system_prompt", { content: system, hash: loop.digest(system ?? "") });
    }
    const schemas = JSON.stringify(request.tools ?? []);
    if (schemas !== (written.tools ?? "[]")) {
      written.tools = schemas;
      this.add("tool_schemas", { schemas: request.tools ?? [], hash: loop.digest(schemas) });
    }
    this.messages(loop.conversation, iteration);
    this.add("provider_call_request", {
      ...this.call(iteration),
      ...requestFields(request, loop.format),
      ...this.snapshot(request),
    });
    this.flush();
  }

  /** A call came back, or failed. */
  response(answer: ModelAnswer, iteration: number): void {
    const common = this.call(iteration);
    if (answer.ok)
      this.add("provider_call_response", {
        ...common,
        ...responseFields(answer.response, answer.durationMs),
      });
    else {
      const { provider, model, category, message } = answer.error;
      this.add("provider_call_response", { ...common, provider, model, error: { category, message } });
    }
    this.flush();
  }

  /** What the loop made of the answer of this turn. Written with what comes next. */
  interpreted(): void {
    const { work, format } = this.loop;
    if (!work.answered) return;
    this.add("interpreted_response", {
      ...this.call(work.iteration + 1),
      tool_format: format,
      prose: work.visible,
      tool_calls: work.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      tool_parse_errors: work.parseErrors,
    });
  }

  /** The loop is over: writes what is left. */
  close(): void {
    this.messages(this.loop.conversation, this.loop.work.iteration + 1);
    this.flush();
  }

  private call(iteration: number): Fields {
    return { call_id: `${this.loop.state.sessionId}:${iteration}`, iteration };
  }

  private snapshot(request: ModelRequest): Fields {
    if (!this.verbose) return {};
    const { system = null, messages, tools = null, provider_tools: native = null } = request;
    return { request_snapshot: { system, messages, tool_schemas: tools, native_tools: native } };
  }

  /** Messages that entered the conversation since the last time. */
  private messages(conversation: Conversation, iteration: number): void {
    const { messages } = this.written;
    const { id, log } = conversation;
    // A session that was reset begins anew.
    const from = Math.min(messages.get(id) ?? 0, log.length);
    for (const { message } of log.slice(from)) {
      const { tool_calls: calls, ...rest } = message;
      this.add("message", {
        ...rest,
        ...(calls === undefined ? {} : { tool_calls: calls.map(wrapped) }),
        iteration,
      });
    }
    messages.set(id, log.length);
  }

  private add(type: string, fields: Fields): void {
    this.pending.push({ type, ...fields });
  }

  /** One recorded append. */
  private flush(): void {
    if (this.pending.length === 0) return;
    const timestamp = new Date(wallMs(this.task)).toISOString();
    const lines = this.pending.map(({ type, ...fields }) =>
      redact(JSON.stringify({ type, timestamp, span_id: null, ...fields })),
    );
    this.pending = [];
    try {
      this.append(`${lines.join("\n")}\n`);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      if (!this.warned)
        this.task.runtime.console.writeError(
          `warning: agent_loop: ${this.folder}/${fileName} is not written: ${uncaughtText(error)}\n`,
        );
      this.warned = true;
    }
  }

  private append(text: string): void {
    const { files } = this.task.runtime.host;
    const path = `${this.folder}/${fileName}`;
    const size = (): number | null => {
      try {
        return files.stat(path)?.size ?? null;
      } catch {
        return null;
      }
    };
    this.task.perform<null>({
      effect: "write",
      kind: "llm_transcript.append",
      args: () => ({ path, text }),
      run: () => {
        try {
          files.makeDir(this.folder);
          files.append(path, text);
        } catch (error) {
          if (error instanceof HostError) throw thrown(error.message);
          throw error;
        }
        return null;
      },
      evidence: {
        before: size,
        after: (before) => (size() === before ? "undone" : "done"),
      },
      encode: () => null,
      decode: () => null,
    });
  }
}

const wrapped = (call: { id: string; name: string; arguments: unknown }): Fields => ({
  id: call.id,
  type: "function",
  function: {
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  },
});

const requestFields = (request: ModelRequest, format: string): Fields => ({
  model: request.model,
  provider: request.provider,
  max_tokens: request.max_tokens ?? null,
  temperature: request.temperature ?? null,
  tool_choice: request.tool_choice ?? null,
  tool_format: format,
  thinking: request.thinking ?? null,
  native_tool_count: request.tools?.length ?? 0,
  message_count: request.messages.length,
  structural_experiment: null,
  route_policy: null,
  fallback_chain: null,
});

const responseFields = (response: ModelResponse, durationMs: number): Fields => ({
  model: response.model,
  provider: response.provider,
  text: response.text,
  tool_calls: response.tool_calls.map(({ id, name, raw_arguments }) => ({
    id,
    type: "function",
    function: { name, arguments: raw_arguments },
  })),
  parsed_tool_calls: response.tool_calls.map(({ id, name, arguments: args }) => ({
    id,
    name,
    arguments: args,
  })),
  input_tokens: response.usage.input_tokens,
  output_tokens: response.usage.output_tokens,
  cache_read_tokens: response.usage.cache_read_tokens,
  cache_write_tokens: response.usage.cache_write_tokens,
  cost_usd: response.cost_usd,
  cache_hit: response.usage.cache_read_tokens > 0,
  thinking: response.thinking,
  thinking_summary: response.thinking_summary,
  stop_reason: response.stop_reason,
  response_ms: durationMs,
  structural_experiment: null,
});
