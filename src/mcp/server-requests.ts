/**
 * What a server asks of its client while it works for it (MCP: sampling, elicitation, roots), as far as its entry allows.
 *
 * The server asks in the middle of a request of ours, which is one recorded effect: what it is answered is part of that
 * effect. A replay asks nobody; what sampled answers cost, and what they took from the mock, is done again from the record.
 */

import { runningLoops } from "../agent/index.ts";
import { type Json, shape } from "../effects/index.ts";
import type { McpJson, McpObject, McpServes } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import type { ContentBlock, ModelMessage } from "../model/index.ts";
import {
  type BookedCall,
  bookAgain,
  callWithin,
  modelResponseShape,
  planCall,
  requestOf,
} from "../model/index.ts";
import { Dict, isJsonObject, List } from "../values/index.ts";
import { elicitPerson } from "./elicitation.ts";
import type { McpServerConfig } from "./server-config.ts";

/** What a server may have of the run's models. */
type SamplingOptions = NonNullable<McpServerConfig["sampling"]>;

/** The requests of one connection, answered for whoever asked the server last. */
export class ServerRequests {
  private readonly config: McpServerConfig;
  private readonly asking: Task[] = [];
  private calls = 0;
  private booked: BookedCall[] = [];

  constructor(config: McpServerConfig) {
    this.config = config;
  }

  serves(cwd: string): McpServes {
    const { config } = this;
    const full = (path: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);
    const { sampling } = config;
    return {
      roots: (config.roots ?? [cwd]).map(full),
      ...(sampling === null ? {} : { sample: (params, signal) => this.sample(sampling, params, signal) }),
      ...(config.elicitation
        ? { elicit: (params, signal) => elicitPerson(this.asker(), config.name, params, signal) }
        : {}),
    };
  }

  /** While `body` runs, the server works for this task. */
  async during<T>(task: Task, body: () => Promise<T>): Promise<T> {
    this.asking.push(task);
    try {
      return await body();
    } finally {
      this.asking.splice(this.asking.lastIndexOf(task), 1);
    }
  }

  /** The sampled calls since the last time, to be recorded. */
  takeBooked(): BookedCall[] {
    return this.booked.splice(0);
  }

  private asker(): Task {
    const task = this.asking.at(-1);
    if (task === undefined) throw new Error("nobody waits for this server: it may ask only while it works");
    return task;
  }

  private async sample(own: SamplingOptions, params: McpObject, signal: AbortSignal): Promise<McpObject> {
    const task = this.asker();
    if (++this.calls > own.maxCalls)
      throw new Error(`this client answers ${own.maxCalls} sampling requests at most`);
    const plan = planCall(task, optionsOf(task, own, params), {
      caller: `mcp server '${this.config.name}'`,
    });
    const request = requestOf(plan, {
      messages: messagesOf(params.messages ?? []),
      system: typeof params.systemPrompt === "string" ? params.systemPrompt : null,
    });
    const { result, booked } = await callWithin(task, request, signal, plan.budget);
    this.booked.push(...booked);
    if (!result.ok) throw new Error(`the model could not be asked: ${result.error.message}`);
    const { response } = result;
    return {
      role: "assistant",
      model: response.model,
      content: { type: "text", text: response.text },
      stopReason: response.stop_reason === "max_tokens" ? "maxTokens" : "endTurn",
    };
  }
}

/** The entry's route, else that of the loop that the server works for. */
function optionsOf(task: Task, own: SamplingOptions, params: McpObject): Dict {
  const loop = task.runtime.state(runningLoops).current(task);
  const route =
    loop === null ? new Dict() : Dict.of({ provider: loop.route.provider, model: loop.route.model });
  const names = ["provider", "model", "model_tier"];
  const base = names.some((name) => own.options.has(name)) ? own.options : route.merge(own.options);
  const asked = typeof params.maxTokens === "number" ? params.maxTokens : own.maxTokens;
  let options = base.with("max_tokens", Math.max(1, Math.min(Math.floor(asked), own.maxTokens)));
  const { stopSequences: stops } = params;
  if (Array.isArray(stops))
    options = options.with("stop", new List(stops.filter((stop) => typeof stop === "string")));
  return options;
}

function messagesOf(value: McpJson): ModelMessage[] {
  const list = Array.isArray(value) ? (value as readonly McpJson[]) : [];
  return list.filter(isJsonObject).map((message) => {
    const parts = Array.isArray(message.content) ? message.content : [message.content ?? ""];
    const blocks = (parts as readonly McpJson[]).flatMap(blockOf);
    return { role: message.role === "assistant" ? "assistant" : "user", content: blocks };
  });
}

function blockOf(part: McpJson): ContentBlock[] {
  if (typeof part === "string") return [{ type: "text", text: part }];
  if (!isJsonObject(part)) return [];
  const { type, text, data, mimeType } = part;
  if (type === "text" && typeof text === "string") return [{ type, text }];
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string")
    return [{ type, base64: data, media_type: mimeType }];
  throw new Error(
    `this client takes no content of type ${JSON.stringify(type ?? null)} in sampling requests`,
  );
}

// ── the record ────────────────────────────────────────────────────────────────────────────────────────────────────

const bookedKey = "$sampled";

type RequestAnswer = { readonly [key: string]: Json };

/** An answer as it is recorded: with the calls that it took, where there were any. */
export const recordedAnswerShape = shape
  .someFields<{ [bookedKey]?: readonly BookedCall[] }>({
    [bookedKey]: shape.optional(
      shape.listOf(
        shape.record<BookedCall>({
          request: shape.someFields<BookedCall["request"]>({ provider: shape.text, model: shape.text }),
          response: modelResponseShape,
          durationMs: shape.number,
          mocked: shape.flag,
        }),
      ),
    ),
  })
  .as<RequestAnswer>(
    (answer) => answer,
    (stored) => stored as RequestAnswer,
  );

/** A result with the calls that it took. */
export const withBooked = (result: McpObject, booked: readonly BookedCall[]): RequestAnswer =>
  (booked.length === 0 ? result : { ...result, [bookedKey]: booked }) as unknown as RequestAnswer;

/** The result; its calls are booked once more. */
export function withoutBooked(task: Task, stored: RequestAnswer): McpObject {
  const { [bookedKey]: booked, ...result } = stored;
  if (booked !== undefined) bookAgain(task, booked as unknown as BookedCall[]);
  return result as McpObject;
}
