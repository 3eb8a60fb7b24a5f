/**
 * The methods of the Agent Client Protocol, answered for one script (agents.md §20).
 *
 *     initialize · session/new · session/load · session/list · session/prompt · session/cancel · session/close
 *     session/set_config_option (`thought_level`) · session/fork · session/truncate · user_message · agent/resume
 *
 * The last four are not of the stable protocol; they are registered under their own parsers.
 */
import { randomUUID } from "node:crypto";
import type {
  ClientCapabilities,
  ContentBlock,
  McpServer,
  SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { type AgentApp, type AgentContext, agent, RequestError } from "@agentclientprotocol/sdk";
import { version } from "../host/command/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import { type UserMessageMode, userMessageModes } from "../model/index.ts";
import type { ModelFlags } from "../run/setup/index.ts";
import { clientOperations } from "./client-operations.ts";
import { EditorSessionFiles } from "./editor-session-files.ts";
import { EditorSession, PromptError, type StoredMessages } from "./session.ts";

export interface ServedScript {
  readonly name: string;
  readonly program: ExecutableProgram;
  readonly args: readonly string[];
  readonly flags: ModelFlags;
}

const thoughtLevels = ["script", "off", "low", "medium", "high"];

/** The agent, ready to be connected. */
export class ScriptAgent {
  private readonly script: ServedScript;
  private readonly sessions = new Map<string, EditorSession>();
  /** What the client can do for scripts. */
  private offered: ClientCapabilities | undefined;

  constructor(script: ServedScript) {
    this.script = script;
  }

  app(): AgentApp {
    return agent({ name: this.script.name })
      .onRequest("initialize", ({ params }) => this.initialize(params.clientCapabilities))
      .onRequest("authenticate", () => ({}))
      .onRequest("session/new", ({ params, client }) => {
        const session = this.open(newSessionId(), params.cwd, params.mcpServers, client);
        return { sessionId: session.id, configOptions: configOptions(session) };
      })
      .onRequest("session/load", ({ params, client }) => this.load(params, client))
      .onRequest("session/list", ({ params }) => this.list(params.cwd ?? process.cwd()))
      .onRequest("session/close", async ({ params }) => {
        await this.known(params.sessionId).close();
        this.sessions.delete(params.sessionId);
        return {};
      })
      .onRequest("session/prompt", ({ params, signal }) =>
        this.prompt(params.sessionId, editorPromptText(params.prompt), signal),
      )
      .onRequest("session/set_config_option", ({ params }) => {
        const session = this.known(params.sessionId);
        setOption(session, params.configId, "value" in params ? params.value : undefined);
        return { configOptions: configOptions(session) };
      })
      .onRequest("session/fork", forkParams, ({ params, client }) => this.fork(params, client))
      .onRequest("session/truncate", truncateParams, ({ params }) => ({
        messageCount: this.known(params.sessionId).truncate(params.keepFirst),
      }))
      .onRequest("user_message", userMessageParams, ({ params }) => {
        this.known(params.sessionId).say(params.text, params.mode);
        return {};
      })
      .onNotification("user_message", userMessageParams, ({ params }) => {
        this.sessions.get(params.sessionId)?.say(params.text, params.mode);
      })
      .onNotification("agent/resume", resumeParams, ({ params }) => {
        this.sessions.get(params.sessionId)?.wake(params.text);
      })
      .onNotification("session/cancel", ({ params }) => this.sessions.get(params.sessionId)?.cancel());
  }

  private initialize(offered: ClientCapabilities | undefined) {
    this.offered = offered;
    return {
      protocolVersion: 1,
      agentInfo: { name: this.script.name, version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, close: {} },
        _meta: { harn: { fork: true, truncate: true, userMessage: true } },
      },
      authMethods: [],
    };
  }

  private open(id: string, cwd: string, servers: readonly McpServer[], client: AgentContext): EditorSession {
    if (!cwd.startsWith("/") && !/^[A-Za-z]:[\\/]/.test(cwd))
      throw RequestError.invalidParams({ cwd }, "cwd must be an absolute path");
    const { program, args, flags } = this.script;
    const offers = clientOperations(client, this.offered, { id, cwd });
    const skillMatch = harnMeta(this.offered).skillMatch === true;
    const session = new EditorSession({ id, cwd, program, servers, args, flags, offers, skillMatch }, client);
    this.sessions.set(id, session);
    return session;
  }

  private known(id: string): EditorSession {
    const session = this.sessions.get(id);
    if (session === undefined) throw RequestError.invalidParams({ sessionId: id }, `unknown session ${id}`);
    return session;
  }

  private async load(
    params: { sessionId: string; cwd: string; mcpServers: readonly McpServer[] },
    client: AgentContext,
  ) {
    const stored = await EditorSessionFiles.of(params.cwd).read(params.sessionId);
    if (stored === undefined)
      throw RequestError.invalidParams(
        { sessionId: params.sessionId },
        `unknown session ${params.sessionId}`,
      );
    const session = this.open(params.sessionId, params.cwd, params.mcpServers, client);
    session.restore(stored.messages);
    await session.replay();
    return { configOptions: configOptions(session) };
  }

  private async list(cwd: string) {
    const stored = await EditorSessionFiles.of(cwd).list();
    return {
      sessions: stored.map(({ id, cwd: folder, updated, title }) => ({
        sessionId: id,
        cwd: folder,
        title,
        updatedAt: new Date(updated).toISOString(),
      })),
    };
  }

  private async prompt(id: string, text: string, signal: AbortSignal) {
    const session = this.known(id);
    const abort = (): void => session.cancel();
    signal.addEventListener("abort", abort, { once: true });
    try {
      const stopReason = await session.prompt(text);
      await keep(session);
      return { stopReason };
    } catch (error) {
      if (error instanceof PromptError) throw new RequestError(-32603, error.message);
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  private fork(params: ForkParams, client: AgentContext) {
    const source = this.known(params.sessionId);
    const copy = this.open(newSessionId(), params.cwd ?? source.cwd, params.mcpServers ?? [], client);
    copy.thoughtLevel = source.thoughtLevel;
    copy.restore(source.messages());
    return { sessionId: copy.id, configOptions: configOptions(copy) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.sessions.values()].map((session) => session.close()));
  }
}

const newSessionId = (): string => `acp_${randomUUID()}`;

async function keep(session: EditorSession): Promise<void> {
  const messages = session.messages();
  if (messages.length === 0) return;
  const { id, cwd } = session;
  const title = editorSessionTitle(messages);
  await EditorSessionFiles.of(cwd).write({
    version: 1,
    id,
    cwd,
    updated: Date.now(),
    title,
    messages,
  });
}

function editorSessionTitle(messages: StoredMessages): string {
  const first = messages.find((message) => (message as { role?: unknown }).role === "user");
  const content = (first as { content?: unknown } | undefined)?.content;
  return typeof content === "string" ? (content.split("\n", 1)[0] as string).slice(0, 80) : "";
}

// ── options ───────────────────────────────────────────────────────────────────────────────────────────────────────

function configOptions(session: EditorSession): SessionConfigOption[] {
  return [
    {
      id: "thought_level",
      name: "Thinking",
      description: "How much models think where the script does not say it itself",
      category: "thought_level",
      type: "select",
      currentValue: session.thoughtLevel ?? "script",
      options: thoughtLevels.map((value) => ({
        value,
        name: value === "script" ? "as the script says" : value,
      })),
    },
  ];
}

function setOption(session: EditorSession, id: string, value: unknown): void {
  if (id !== "thought_level") throw RequestError.invalidParams({ configId: id }, `unknown option ${id}`);
  if (typeof value !== "string" || !thoughtLevels.includes(value))
    throw RequestError.invalidParams({ value }, `thought_level must be one of ${thoughtLevels.join(", ")}`);
  session.thoughtLevel = value === "script" ? null : value;
}

// ── methods beyond the stable protocol ────────────────────────────────────────────────────────────────────────────

interface ForkParams {
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly mcpServers: readonly McpServer[] | undefined;
}

function forkParams(params: unknown): ForkParams {
  const { sessionId, cwd, mcpServers } = objectOf(params);
  if (typeof sessionId !== "string") throw RequestError.invalidParams(params, "sessionId is missing");
  return {
    sessionId,
    cwd: typeof cwd === "string" ? cwd : undefined,
    mcpServers: Array.isArray(mcpServers) ? (mcpServers as McpServer[]) : undefined,
  };
}

function truncateParams(params: unknown): { sessionId: string; keepFirst: number } {
  const { sessionId, keepFirst } = objectOf(params);
  if (typeof sessionId !== "string") throw RequestError.invalidParams(params, "sessionId is missing");
  if (typeof keepFirst !== "number" || !Number.isInteger(keepFirst) || keepFirst < 0)
    throw RequestError.invalidParams(params, "keepFirst must be a number of messages");
  return { sessionId, keepFirst };
}

interface UserMessage {
  readonly sessionId: string;
  readonly text: string;
  readonly mode: UserMessageMode;
}

/** `{sessionId, content, mode?}`; `content` is a text or blocks as in a prompt. */
function userMessageParams(params: unknown): UserMessage {
  const { sessionId, content, mode = "finish_step" } = objectOf(params);
  if (typeof sessionId !== "string") throw RequestError.invalidParams(params, "sessionId is missing");
  const text = typeof content === "string" ? content : editorPromptText(blocksOfContent(content));
  if (text.trim() === "") throw RequestError.invalidParams(params, "content is missing");
  const known = userMessageModes.find((one) => one === mode);
  if (known === undefined)
    throw RequestError.invalidParams(params, `mode must be one of ${userMessageModes.join(", ")}`);
  return { sessionId, text, mode: known };
}

/** Wakes a loop that idles, with or without something to say. */
function resumeParams(params: unknown): { readonly sessionId: string; readonly text: string } {
  const { sessionId, input = "" } = objectOf(params);
  if (typeof sessionId !== "string") throw RequestError.invalidParams(params, "sessionId is missing");
  return { sessionId, text: typeof input === "string" ? input : editorPromptText(blocksOfContent(input)) };
}

const blocksOfContent = (content: unknown): ContentBlock[] =>
  (Array.isArray(content) ? content : [content]).filter(
    (block): block is ContentBlock => typeof objectOf(block).type === "string",
  );

/** What a client says of itself beyond the protocol. */
const harnMeta = (capabilities: ClientCapabilities | undefined): Record<string, unknown> =>
  objectOf(capabilities?._meta?.harn);

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** The user's prompt as text: what the editor attaches stands after the words, named by where it comes from. */
function editorPromptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})`;
    case "resource": {
      const { resource } = block;
      return "text" in resource
        ? `<context uri="${resource.uri}">\n${resource.text}\n</context>`
        : `[attached data, not shown](${resource.uri})`;
    }
    // Not announced in the capabilities: a client that sends them all the same is told in the text.
    case "image":
    case "audio":
      return `[an attached ${block.type} that this agent does not take]`;
    default:
      return "";
  }
}
