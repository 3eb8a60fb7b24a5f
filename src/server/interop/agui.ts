/** `POST /api/agui/{agent}`: a run of AG-UI 1.0 over a conversation. It holds no state: threads and known ids are in the store. */
import { z } from "zod";
import type { ConversationQuestion } from "../../durable/index.ts";
import type { Conversations, StoredEnvelope } from "../../threads/index.ts";
import { uuid7 } from "../clock.ts";
import type { RequestContext } from "../context.ts";
import { HttpProblem, notFound } from "../problems.ts";
import { emitChanged, ownConversation, questionJson } from "../records.ts";
import { settle } from "../routes/questions.ts";
import { answerBody } from "../routes/schemas.ts";
import { withWorkspace } from "../workspace.ts";
import { type AguiEvent, AguiEvents } from "./agui-events.ts";
import { answerStream, stopCut } from "./answer-stream.ts";
import { RunFollower } from "./follow.ts";
import { addHistory } from "./history.ts";

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional() });
const message = z.looseObject({
  id: z.string().max(500),
  role: z.string(),
  content: z.union([z.string(), z.array(contentPart)]).optional(),
});

export const runInput = z.looseObject({
  threadId: z.string().min(1).max(500),
  runId: z.string().min(1).max(500),
  messages: z.array(message).max(10_000),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string(),
        status: z.enum(["resolved", "cancelled"]),
        payload: z.unknown().optional(),
      }),
    )
    .optional(),
  forwardedProps: z
    .looseObject({
      harn: z.looseObject({ on_disconnect: z.enum(["interrupt", "continue"]).optional() }).optional(),
    })
    .nullish(),
});

type AguiInput = z.output<typeof runInput>;

/** How long nothing happens until a run with open questions counts as waiting for them. */
const quietMs = 1000;
const threadSpace = (principal: string): string => `agui.thread:${principal}`;
const knownSpace = (conversation: string): string => `agui.known:${conversation}`;

export function aguiRun(context: RequestContext, agent: string, input: AguiInput): Response {
  const { services } = context;
  if (!services.supervisor.agents.some(({ name }) => name === agent)) throw notFound("agent");
  const thread = threadOf(context, agent, input);
  const { conversations, hub } = services;
  const after = conversations.store.streams.last(thread.id);
  const follower = new RunFollower({ conversations, hub, stream: thread.id, after, quietMs });
  let doing: Doing;
  try {
    doing =
      input.resume === undefined || input.resume.length === 0
        ? said(context, thread, input)
        : answered(context, thread.id, input.resume);
  } catch (error) {
    follower.stop();
    throw error;
  }
  emitChanged(services, thread.id);
  const onDisconnect = input.forwardedProps?.harn?.on_disconnect ?? "interrupt";
  return answerStream(context, {
    events: events(context, follower, { id: thread.id, after }, input, doing),
    write: (event: AguiEvent) => `data: ${JSON.stringify(event)}\n\n`,
    // The only way to stop that these clients have.
    onCut: () => {
      follower.stop();
      if (onDisconnect === "interrupt") stopCut(context, thread.id);
    },
    onRevoked: () => follower.stop(),
  });
}

interface Thread {
  readonly id: string;
  readonly isNew: boolean;
}

/** The conversation of a thread: its id, or what was noted when the thread was first seen. */
function threadOf(context: RequestContext, agent: string, { threadId }: AguiInput): Thread {
  const { services, principal } = context;
  const { conversations, store } = services;
  const entry = store.entries.get(threadSpace(principal.name), threadId);
  const id = typeof entry === "string" ? entry : threadId;
  const known = conversations.get({ id });
  if (known !== undefined && known.owner === principal.name) {
    if (known.agent !== agent) throw new HttpProblem("invalid", `this thread is of the agent ${known.agent}`);
    return { id, isNew: false };
  }
  const made = `c_${uuid7(services.clock)}`;
  const served = services.supervisor.agents.find(({ name }) => name === agent);
  const create = (workspace: string): void => {
    const record = {
      agent,
      owner: principal.name,
      title: "",
      mode: served?.mode ?? null,
      config: {},
      workspace,
    };
    conversations.create({ id: made, made: record, now: services.clock.now() });
    store.entries.set(threadSpace(principal.name), threadId, made);
  };
  withWorkspace(services.workspaces, made, (workspace) =>
    conversations.store.transaction(() => create(workspace)),
  );
  return { id: made, isNew: true };
}

/** What a run does: the message that it is about, or `undefined` for the run that goes on. */
type Doing = { readonly message: string } | { readonly run: string } | { readonly problem: string };

function said(context: RequestContext, thread: Thread, { messages }: AguiInput): Doing {
  const { services, principal } = context;
  const { conversations, store, clock } = services;
  const known = (one: AguiInput["messages"][number]): boolean =>
    store.entries.get(knownSpace(thread.id), one.id) !== undefined ||
    conversations.ofRun({ run: one.id.split("/")[0] ?? "" })?.conversation === thread.id;
  const fresh = messages.slice(messages.findLastIndex(known) + 1);
  const users = fresh.filter(({ role }) => role === "user");
  const last = fresh.at(-1);
  if (last === undefined || last.role !== "user" || (users.length !== 1 && !thread.isNew))
    return { problem: "there must be exactly one new message of the user, the last one" };
  const text = textOf(last);
  if (text.trim() === "") return { problem: "the message has no text" };
  const message = `m_${uuid7(clock)}`;
  conversations.store.transaction(() => {
    if (thread.isNew)
      addHistory(
        conversations,
        thread.id,
        fresh.slice(0, -1).map((one) => ({ role: one.role, text: textOf(one) })),
        clock.now(),
      );
    for (const one of fresh) store.entries.set(knownSpace(thread.id), one.id, true);
    const delivery = "queue" as const;
    conversations.say({
      id: thread.id,
      message,
      text,
      attachments: [],
      delivery,
      by: principal.name,
      now: clock.now(),
    });
  });
  return { message };
}

function textOf({ content }: AguiInput["messages"][number]): string {
  if (content === undefined) return "";
  if (typeof content === "string") return content;
  return content.map(({ text }) => text ?? "").join("");
}

function answered(context: RequestContext, id: string, resume: NonNullable<AguiInput["resume"]>): Doing {
  const { conversations } = context.services;
  const record = ownConversation(context, id);
  const open = conversations.openQuestions(id);
  const missing = open.filter((question) => !resume.some(({ interruptId }) => interruptId === question.id));
  if (missing.length > 0)
    return { problem: `these are not answered: ${missing.map(({ id: one }) => one).join(", ")}` };
  const run = record.work?.run;
  if (run === undefined) return { problem: "nothing waits for an answer" };
  try {
    conversations.store.transaction(() => {
      for (const { interruptId, status, payload } of resume) {
        const question = open.find((one) => one.id === interruptId);
        if (question !== undefined) settle(context, question, answerOf(question, status, payload));
      }
    });
  } catch (error) {
    if (error instanceof HttpProblem) return { problem: error.message };
    throw error;
  }
  return { run };
}

function answerOf(
  question: ConversationQuestion,
  status: "resolved" | "cancelled",
  payload: unknown,
): z.output<typeof answerBody> {
  const isApproval = questionJson(question).kind !== "question";
  if (status === "cancelled") {
    if (isApproval) return { decision: "deny", reason: "cancelled" };
    throw new HttpProblem(
      "invalid-answer",
      "a question can't be answered by cancelling it: interrupt the run",
    );
  }
  const body = answerBody.safeParse(payload);
  if (body.success) return body.data;
  const { approved, editedArgs } = (payload ?? {}) as {
    readonly approved?: unknown;
    readonly editedArgs?: unknown;
  };
  if (isApproval && typeof approved === "boolean") {
    const args =
      approved && typeof editedArgs === "object" && editedArgs !== null ? { arguments: editedArgs } : {};
    return answerBody.parse({ decision: approved ? "approve" : "deny", ...args });
  }
  return { answer: (payload ?? null) as never };
}

async function* events(
  context: RequestContext,
  follower: RunFollower,
  { id, after }: { readonly id: string; readonly after: number },
  { threadId, runId, tools }: AguiInput,
  doing: Doing,
): AsyncGenerator<AguiEvent> {
  const { conversations } = context.services;
  yield { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" };
  if ("problem" in doing) {
    follower.stop();
    yield { type: "RUN_ERROR", message: doing.problem, code: "invalid" };
    return;
  }
  if (tools.length > 0) {
    const text = `tools of the front end are not offered to the model: ${tools.map(({ name }) => name).join(", ")}`;
    yield { type: "CUSTOM", name: "harn.notice", value: { level: "warning", text } };
  }
  let run = "run" in doing ? doing.run : undefined;
  let mapped = run === undefined ? undefined : mapper(conversations, id, run, after);
  for await (const event of follower.events()) {
    if ("quiet" in event) {
      const open = run === undefined ? [] : conversations.openQuestions(id);
      if (open.length === 0) continue;
      yield* mapped?.ends() ?? [];
      yield interruptEvent(threadId, runId, open);
      return;
    }
    if (run === undefined && "message" in doing) {
      if (event.type === "message.withdrawn" && event.data.message === doing.message) {
        yield { type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } };
        return;
      }
      if (event.type !== "message.taken" || event.data.message !== doing.message) continue;
      run = event.run ?? "";
      mapped = mapper(conversations, id, run, after);
      continue;
    }
    if (event.run !== run || mapped === undefined) continue;
    yield* mapped.of(event);
    if (event.type !== "run.end") continue;
    yield* mapped.ends();
    yield ended(conversations, id, { threadId, runId }, event.data, mapped);
    return;
  }
}

function mapper(conversations: Conversations, id: string, run: string, upTo: number): AguiEvents {
  const began = conversations
    .eventsFrom(id, { before: Number.POSITIVE_INFINITY }, ["run.start"])
    .find((event) => event.run === run);
  const before: StoredEnvelope[] = [];
  for (const event of conversations.eventsFrom(id, { after: began?.seq ?? 0 }, ["loop.start"])) {
    if (event.seq > upTo) break;
    if (event.run === run) before.push(event);
  }
  return new AguiEvents(conversations, id, run, before);
}

function ended(
  conversations: Conversations,
  id: string,
  run: { readonly threadId: string; readonly runId: string },
  data: Readonly<Record<string, unknown>>,
  { usage }: AguiEvents,
): AguiEvent {
  switch (data.status) {
    case "done":
      return { type: "RUN_FINISHED", ...run, outcome: { type: "success" }, usage };
    case "interrupted":
      return { type: "RUN_FINISHED", ...run, outcome: { type: "cancelled" }, usage };
    case "waiting":
      return interruptEvent(run.threadId, run.runId, conversations.openQuestions(id));
    default:
      return { type: "RUN_ERROR", message: String(data.error ?? "the run failed"), code: "failed", usage };
  }
}

const reasons: Readonly<Record<string, string>> = {
  approval: "tool_call",
  question: "input_required",
  plan: "confirmation",
};

function interruptEvent(threadId: string, runId: string, open: readonly ConversationQuestion[]): AguiEvent {
  const interrupts = open.map((one) => {
    const {
      kind,
      prompt,
      schema,
      tool,
      arguments: args,
      choices,
    } = questionJson(one) as Readonly<Record<string, unknown>>;
    return {
      id: one.id,
      reason: reasons[String(kind)] ?? `harn:${String(kind)}`,
      message: String(prompt),
      ...(typeof schema === "object" && schema !== null ? { responseSchema: schema } : {}),
      metadata: { harn: { kind, tool, arguments: args, choices } },
    };
  });
  return { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } };
}
