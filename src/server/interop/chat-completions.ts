/** `/v1/chat/completions` in a small form: an agent as a model. Each request is a new conversation, or continues one. */
import { z } from "zod";
import { uuid7 } from "../clock.ts";
import type { RequestContext } from "../context.ts";
import { parsedOr } from "../field-errors.ts";
import { emitChanged, ownConversation, questionJson } from "../records.ts";
import { settle } from "../routes/questions.ts";
import { withWorkspace } from "../workspace.ts";
import { answerStream, stopCut } from "./answer-stream.ts";
import { RunFollower } from "./follow.ts";
import { addHistory } from "./history.ts";
import { PromptTexts, wholeText } from "./live-texts.ts";

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
/** Checked by hand: mistakes are told in OpenAI's form. */
export const chatRequest = z.looseObject({});

const asked = z.looseObject({
  model: z.string(),
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(part)]).nullish() }))
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  n: z.number().nullish(),
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});

type ChatRequest = z.output<typeof asked>;

interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Nothing hangs on it here: only what happens is told. */
const quietMs = 60_000;

/** OpenAI's form of an error. */
export const openAiError = (
  status: number,
  message: string,
  param: string | null = null,
  code = "invalid",
): Response =>
  Response.json(
    { error: { message, type: status >= 500 ? "server_error" : "invalid_request_error", param, code } },
    { status },
  );

/** What can't be done, by field. */
function refused(request: ChatRequest): Response | undefined {
  if ((request.tools?.length ?? 0) > 0 || (request.functions?.length ?? 0) > 0)
    return openAiError(400, "tools of the caller are not offered to the agent: it has its own", "tools");
  if ((request.n ?? 1) > 1) return openAiError(400, "only one answer is input", "n");
  if (request.logprobs === true || (request.top_logprobs ?? 0) > 0)
    return openAiError(400, "an agent has no logprobs", "logprobs");
  if (request.messages.at(-1)?.role !== "user")
    return openAiError(400, "the last message must be the user's", "messages");
  return undefined;
}

export async function chatCompletion(context: RequestContext, input: unknown): Promise<Response> {
  const parsed = parsedOr(asked, input, "");
  if ("errors" in parsed) {
    const [{ path, message } = { path: "", message: "it does not fit" }] = parsed.errors;
    return openAiError(400, `${path === "" ? "the request" : path}: ${message}`, path === "" ? null : path);
  }
  const request = parsed.value;
  const wrong = refused(request);
  if (wrong !== undefined) return wrong;
  const { services, principal } = context;
  const { supervisor, conversations, hub } = services;
  const agent = supervisor.agents.find(({ name }) => name === request.model);
  if (agent === undefined)
    return openAiError(404, `there is no model ${request.model}`, "model", "model_not_found");
  const conversationId = request.metadata?.conversation;
  if (conversationId !== undefined) {
    try {
      ownConversation(context, conversationId);
    } catch {
      return openAiError(404, "there is no such conversation", "metadata.conversation", "not_found");
    }
  }
  const text = textOf(request.messages.at(-1)?.content);
  if (text.trim() === "") return openAiError(400, "the message has no text", "messages");
  const id = conversationId ?? `c_${uuid7(services.clock)}`;
  const message = `m_${uuid7(services.clock)}`;
  const after = conversations.store.streams.last(id);
  const now = services.clock.now();
  const create = (workspace: string): void => {
    const made = {
      agent: agent.name,
      owner: principal.name,
      title: "api",
      mode: agent.mode,
      config: {},
      workspace,
    };
    conversations.create({ id, made, now });
    const earlier = request.messages.slice(0, -1);
    addHistory(
      conversations,
      id,
      earlier.map(({ role, content }) => ({ role, text: textOf(content) })),
      now,
    );
  };
  const say = (): unknown =>
    conversations.say({ id, message, text, attachments: [], delivery: "queue", by: principal.name, now });
  if (conversationId !== undefined) say();
  else
    withWorkspace(services.workspaces, id, (workspace) =>
      conversations.store.transaction(() => {
        create(workspace);
        say();
      }),
    );
  const follower = new RunFollower({ conversations, hub, stream: id, after, quietMs });
  emitChanged(services, id);
  const head = {
    id: `chatcmpl-${message}`,
    created: Math.floor(services.clock.now() / 1000),
    model: request.model,
    metadata: { conversation: id },
  };
  const stop = (): void => {
    follower.stop();
    stopCut(context, id);
  };
  const run = { follower, id, message };
  if (request.stream !== true) return await whole(context, run, head, stop);
  const include = request.stream_options?.include_usage === true;
  return answerStream(context, {
    events: chunks(context, run, { head, include }),
    write: (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`,
    last: "data: [DONE]\n\n",
    onCut: stop,
    onRevoked: () => follower.stop(),
  });
}

const textOf = (content: ChatRequest["messages"][number]["content"]): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");

type StreamPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "end"; readonly usage: ChatUsage; readonly error: string | undefined };

interface CompletionRequest {
  readonly follower: RunFollower;
  /** Of the conversation. */
  readonly id: string;
  readonly message: string;
}

interface ReportedTokens {
  readonly input?: number;
  readonly output?: number;
}

function addAnswer(usage: ChatUsage, { input = 0, output = 0 }: ReportedTokens): ChatUsage {
  const [prompt, completion] = [usage.prompt_tokens + input, usage.completion_tokens + output];
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** The text of the outermost loops of the run of a message, and how it ended. Nobody can be asked: approvals are denied. */
async function* answerPieces(
  context: RequestContext,
  { follower, id, message }: CompletionRequest,
): AsyncGenerator<StreamPiece> {
  const { conversations, supervisor } = context.services;
  const texts = new PromptTexts();
  let run: string | undefined;
  let usage: ChatUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  for await (const event of follower.events()) {
    if ("quiet" in event) continue;
    const { type, loop, turn, parent, run: ofRun } = event;
    const data = event.data as Readonly<Record<string, unknown>>;
    if (type === "message.taken" && data.message === message) run = ofRun ?? undefined;
    if (run === undefined || ofRun !== run) continue;
    const key = `${loop}.${turn}`;
    if ((type === "message.delta" || type === "partial") && parent === null) {
      if (texts.isFinished(key)) continue;
      const text = type === "partial" ? texts.news(key, String(data.text)) : String(data.text);
      texts.add(key, text);
      if (text !== "") yield { kind: "text", text };
    } else if (type === "message.end" && parent === null && data.role === "assistant") {
      const rest = texts.rest(key, wholeText(conversations, id, data.text));
      if (rest !== "") yield { kind: "text", text: rest };
    } else if (type === "usage") {
      usage = addAnswer(usage, (data.answer ?? {}) as ReportedTokens);
    } else if (type === "question.asked") {
      const said = refuseToAnswer(context, String(data.question));
      if (said === undefined) continue;
      await supervisor.interrupt({ target: { conversation: id }, by: context.principal.name, reason: said });
      yield { kind: "end", usage, error: said };
      return;
    } else if (type === "run.end") {
      const failed = data.status === "failed" || data.status === "interrupted";
      yield {
        kind: "end",
        usage,
        error: failed ? String(data.error ?? `the run was ${String(data.status)}`) : undefined,
      };
      return;
    }
  }
}

/** Denies what may be denied; gives why the run can't go on for what may not. */
function refuseToAnswer(context: RequestContext, id: string): string | undefined {
  const question = context.services.conversations.question(id);
  if (question === undefined || question === "withdrawn" || question.answer !== null) return undefined;
  const { kind } = questionJson(question);
  if (kind !== "approval" && kind !== "plan")
    return "the agent asks a question, and nobody can be asked over this interface";
  settle(context, question, { decision: "deny", reason: "nobody can be asked over this interface" });
  context.services.supervisor.wake(String(question.conversation));
  return undefined;
}

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly metadata: { readonly conversation: string };
}

async function whole(
  context: RequestContext,
  run: CompletionRequest,
  head: Head,
  stop: () => void,
): Promise<Response> {
  let content = "";
  let isRevoked = false;
  const { signal, services, isAllowed } = context;
  signal.addEventListener("abort", stop, { once: true });
  const close = (): void => {
    isRevoked = true;
    run.follower.stop();
  };
  const leave = services.streams.watch({ close }, isAllowed);
  try {
    for await (const piece of answerPieces(context, run)) {
      if (piece.kind === "text") content += piece.text;
      else if (piece.error !== undefined) return openAiError(500, piece.error, null, "failed");
      else {
        const choice = {
          index: 0,
          message: { role: "assistant", content, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        };
        return Response.json({ ...head, object: "chat.completion", choices: [choice], usage: piece.usage });
      }
    }
  } finally {
    leave();
    signal.removeEventListener("abort", stop);
  }
  return isRevoked
    ? openAiError(401, "the token was revoked", null, "login_needed")
    : openAiError(499, "the connection was closed");
}

async function* chunks(
  context: RequestContext,
  run: CompletionRequest,
  { head, include }: { readonly head: Head; readonly include: boolean },
): AsyncGenerator<object> {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(include ? { usage: null } : {}),
  });
  yield chunk({ role: "assistant", content: "" });
  for await (const piece of answerPieces(context, run)) {
    if (piece.kind === "text") yield chunk({ content: piece.text });
    else if (piece.error !== undefined)
      yield { error: { message: piece.error, type: "server_error", param: null, code: "failed" } };
    else {
      yield chunk({}, "stop");
      if (include) yield { ...head, object: "chat.completion.chunk", choices: [], usage: piece.usage };
    }
  }
}
