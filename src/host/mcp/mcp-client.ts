/**
 * The MCP port over the official client package. Loaded by the first connection of a run.
 *
 * A server is asked in the way that every server of the last years understands (`initialize`); one that speaks only the
 * newer, sessionless revision refuses that, and is asked again in its own way. Answers with structured content are
 * checked against the schema the server itself announced, by a validator that generates no code.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  Client,
  type ClientCapabilities,
  ClientCredentialsProvider,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { hostError } from "../node/os-errors.ts";
import { HostError } from "../ports.ts";
import type {
  McpAsk,
  McpConnection,
  McpObject,
  McpServerFacts,
  McpServes,
  McpTarget,
  McpWait,
} from "./mcp-port.ts";
import { StdioServer } from "./mcp-stdio.ts";

const clientInfo = { name: "harn", version: "1" };
/** How long the end of an HTTP session may take: the run waits for it. */
const farewellMs = 1000;

export async function connectMcp(
  target: McpTarget,
  wait: McpWait,
  serves: McpServes = { roots: [] },
): Promise<McpConnection> {
  try {
    return await open(target, wait, serves, "legacy");
  } catch (error) {
    if (!(error instanceof OtherRevision)) throw error;
    return await open(target, wait, serves, "auto");
  }
}

/** The server refuses the handshake that it was offered. */
class OtherRevision {}

async function open(
  target: McpTarget,
  wait: McpWait,
  serves: McpServes,
  mode: "legacy" | "auto",
): Promise<McpConnection> {
  const server = target.transport === "stdio" ? new StdioServer(target) : undefined;
  const transport = server ?? httpTransport(target as Extract<McpTarget, { transport: "http" }>, wait);
  const client = new Client(clientInfo, {
    capabilities: clientCapabilities(serves),
    versionNegotiation: { mode },
    ...(target.protocolVersion === undefined || mode === "auto"
      ? {}
      : {
          supportedProtocolVersions: [
            target.protocolVersion,
            ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== target.protocolVersion),
          ],
        }),
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  });
  answerServer(client, serves);
  const connection = new ClientConnection(client, transport, server);
  try {
    await client.connect(transport, options(wait));
  } catch (error) {
    // Before it is closed: closing is the last thing that a server receives, and it may have its own words about it.
    const failure = connection.failure(error, wait, "initialize");
    await connection.close();
    throw mode === "legacy" && refusesHandshake(error) ? new OtherRevision() : failure;
  }
  return connection;
}

const clientCapabilities = ({ roots, sample, elicit }: McpServes): ClientCapabilities => ({
  ...(roots.length === 0 ? {} : { roots: { listChanged: false } }),
  ...(sample === undefined ? {} : { sampling: {} }),
  ...(elicit === undefined ? {} : { elicitation: { form: {} } }),
});

/** What the server asks of us while it works. What goes wrong is told to it, and it decides what that means. */
function answerServer(client: Client, { roots, sample, elicit }: McpServes): void {
  if (roots.length > 0)
    client.setRequestHandler("roots/list", () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) })),
    }));
  if (sample !== undefined)
    client.setRequestHandler(
      "sampling/createMessage",
      async ({ params }, { mcpReq }) => (await sample(plainObject(params), mcpReq.signal)) as never,
    );
  if (elicit !== undefined)
    client.setRequestHandler(
      "elicitation/create",
      async ({ params }, { mcpReq }) => (await elicit(plainObject(params), mcpReq.signal)) as never,
    );
}

const refusesHandshake = (error: unknown): boolean =>
  (error instanceof ProtocolError && [-32601, -32600, -32022].includes(error.code)) ||
  (error instanceof SdkHttpError && error.status === 400);

const maxRedirects = 5;

/** A `fetch` that follows redirects within a host only: the headers of a server may hold credentials, whatever their names. */
async function sameHostFetch(
  input: string | URL,
  init: RequestInit | undefined,
  { beforeHop, fetch: ask = fetch }: McpWait,
): Promise<Response> {
  let url = new URL(input);
  for (let redirects = 0; ; redirects++) {
    beforeHop?.(url.href);
    const response = await ask(url, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (![301, 302, 307, 308].includes(response.status) || location === null) return response;
    const next = new URL(location, url);
    const plain = (init?.method ?? "GET") === "GET" || response.status >= 307;
    if (next.origin !== url.origin || !plain || redirects >= maxRedirects) return response;
    await response.body?.cancel();
    url = next;
  }
}

function httpTransport(
  target: Extract<McpTarget, { transport: "http" }>,
  wait: McpWait,
): StreamableHTTPClientTransport {
  const { credentials } = target;
  return new StreamableHTTPClientTransport(new URL(target.url), {
    requestInit: { headers: { ...target.headers } },
    fetch: (url, init) => sameHostFetch(url, init, wait),
    ...(credentials === undefined
      ? {}
      : {
          authProvider: new ClientCredentialsProvider({
            clientId: credentials.id,
            clientSecret: credentials.secret,
            ...(credentials.scopes === "" ? {} : { scope: credentials.scopes }),
          }),
        }),
  });
}

const options = (wait: McpWait): { timeout: number; signal?: AbortSignal } => ({
  timeout: wait.timeoutMs,
  ...(wait.signal === undefined ? {} : { signal: wait.signal }),
});

class ClientConnection implements McpConnection {
  open = true;
  private readonly client: Client;
  private readonly transport: Transport;
  private readonly process: StdioServer | undefined;
  private closing: Promise<void> | undefined;
  /** Ends the connection when nobody asks any more. */
  private rest: NodeJS.Timeout | undefined;

  constructor(client: Client, transport: Transport, process: StdioServer | undefined) {
    this.client = client;
    this.transport = transport;
    this.process = process;
    client.onclose = () => {
      this.open = false;
    };
    // Lines that are no messages, answers that nobody waits for: what matters fails the request it belongs to.
    client.onerror = () => {};
  }

  get server(): McpServerFacts {
    const { client } = this;
    const info = client.getServerVersion();
    return {
      name: info?.name ?? "",
      version: info?.version ?? "",
      protocol_version: client.getNegotiatedProtocolVersion() ?? "",
      instructions: client.getInstructions() ?? "",
      capabilities: plainObject(client.getServerCapabilities() ?? {}),
    };
  }

  endAfter(ms: number): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => void this.close(), ms).unref();
  }

  async request(ask: McpAsk, wait: McpWait): Promise<McpObject> {
    clearTimeout(this.rest);
    try {
      return plainObject(await this.send(ask, wait));
    } catch (error) {
      throw this.failure(error, wait, ask.method);
    }
  }

  private send(ask: McpAsk, wait: McpWait): Promise<object> {
    const { client } = this;
    const how = options(wait);
    const fresh = { ...how, cacheMode: "refresh" as const };
    switch (ask.method) {
      case "tools/list":
        return client.listTools(undefined, fresh);
      case "tools/call":
        return client.callTool({ name: ask.name, arguments: ask.arguments as Record<string, unknown> }, how);
      case "resources/list":
        return client.listResources(undefined, fresh);
      case "resources/templates/list":
        return client.listResourceTemplates(undefined, fresh);
      case "resources/read":
        return client.readResource({ uri: ask.uri }, fresh);
      case "prompts/list":
        return client.listPrompts(undefined, fresh);
      case "prompts/get":
        return client.getPrompt({ name: ask.name, arguments: { ...ask.arguments } }, how);
    }
  }

  private get hasSession(): boolean {
    return this.transport instanceof StreamableHTTPClientTransport && this.transport.sessionId !== undefined;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.open = false;
    clearTimeout(this.rest);
    try {
      if (this.transport instanceof StreamableHTTPClientTransport && this.hasSession)
        await Promise.race([this.transport.terminateSession(), elapsed(farewellMs)]);
    } catch {
      // A server that does not end sessions, or is gone.
    }
    try {
      await this.client.close();
    } catch {
      // It is closed.
    }
    await this.process?.close();
  }

  /** What went wrong, in words for people. Aborted requests keep the reason of whoever aborted them. */
  failure(error: unknown, wait: McpWait, what: string): unknown {
    if (wait.signal?.aborted) return wait.signal.reason as unknown;
    if (error instanceof HostError) return error;
    // The client checks answers by recursion: only what nests thousands of levels ends its stack.
    if (error instanceof RangeError) return new HostError("EPROTO", "the answer is nested too deeply");
    const words = this.process?.lastWords() ?? "";
    const detail = words === "" ? "" : ` (${words})`;
    if (this.process !== undefined && !this.open)
      return new HostError("ECONNRESET", `the server ended the connection${detail}`);
    if (error instanceof ProtocolError) return new HostError("EMCP", `${error.message} (${error.code})`);
    if (error instanceof SdkHttpError) {
      // It was started anew and knows nothing of our session.
      if (error.status === 404 && this.hasSession) this.open = false;
      return new HostError("EPROTO", httpText(error));
    }
    if (error instanceof SdkError) {
      if (error.code === SdkErrorCode.RequestTimeout)
        return new HostError("ETIMEDOUT", `no answer to ${what} within ${wait.timeoutMs} ms${detail}`);
      return new HostError("EPROTO", `${error.message}${detail}`);
    }
    const { code } = error as { code?: unknown };
    if (typeof code === "string" && this.process !== undefined) return hostError(error);
    const cause = (error as { cause?: { message?: unknown } }).cause?.message;
    const text = error instanceof Error ? error.message : String(error);
    return new HostError("EPROTO", `${typeof cause === "string" ? `${text}: ${cause}` : text}${detail}`);
  }
}

function httpText(error: SdkHttpError): string {
  const said = error.message
    .replace(/^Error POSTing to endpoint:/, "")
    .trim()
    .replace(/\s+/g, " ")
    .slice(0, 300);
  return `the server answered with HTTP status ${error.status}${said === "" ? "" : `: ${said}`}`;
}

/** What the package gives, as plain JSON. */
const plainObject = (value: object): McpObject => JSON.parse(JSON.stringify(value)) as McpObject;

const elapsed = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
