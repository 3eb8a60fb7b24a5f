/**
 * An MCP server as scripts hold it: a value with a recipe. What it was asked and what it answered are effects, so a
 * replay needs no server; a connection that a live run finds missing after a replayed one is opened by the recipe.
 */

import { type EffectCall, type Json, type ResultShape, shape } from "../effects/index.ts";
import {
  HostError,
  type McpAsk,
  type McpConnection,
  type McpObject,
  type McpServerFacts,
  watchEgress,
} from "../host/index.ts";
import type { Runtime, Task } from "../interp/index.ts";
import { modelsOf } from "../model/index.ts";
import { HandleValue, type MaybePromise, runtimeError, ScriptError } from "../values/index.ts";
import { type McpServerConfig, targetOf } from "./server-config.ts";
import { recordedAnswerShape, ServerRequests, withBooked, withoutBooked } from "./server-requests.ts";

export class McpClient extends HandleValue {
  readonly type = "mcp_client";
  readonly config: McpServerConfig;
  readonly facts: McpServerFacts;
  /** `mcp_disconnect` was called, or the loop that opened it is over. */
  disconnected = false;
  readonly requests: ServerRequests;
  private connection: McpConnection | undefined;
  private restarts = 0;
  /** Nobody needs it: its server ends when it was not asked for a while, and the next request starts it again. */
  private resting = false;
  private opening: Promise<McpConnection> | undefined;

  constructor(
    config: McpServerConfig,
    facts: McpServerFacts,
    requests: ServerRequests,
    connection: McpConnection | undefined,
  ) {
    super();
    this.config = config;
    this.facts = facts;
    this.requests = requests;
    this.connection = connection;
  }

  get name(): string {
    return this.config.name;
  }

  display(): string {
    return `<mcp_client:${this.name}>`;
  }

  /**
   * The live connection; opened again when the run was replayed up to here. A server that died is started again as often
   * as its entry says; requests that come at once wait for the same start.
   */
  async live(runtime: Runtime, signal: AbortSignal): Promise<McpConnection> {
    const { connection } = this;
    if (connection !== undefined) {
      if (connection.open) this.resting = false;
      const spent = !this.resting && this.restarts >= this.config.restarts;
      if (connection.open || spent) return connection;
    }
    this.opening ??= this.open(runtime, signal).finally(() => {
      this.opening = undefined;
    });
    return await this.opening;
  }

  private async open(runtime: Runtime, signal: AbortSignal): Promise<McpConnection> {
    const closed = this.connection;
    if (closed !== undefined) {
      if (!this.resting) this.restarts++;
      this.resting = false;
      await closed.close();
      runtime.open.delete(closed);
    }
    this.connection = await openConnection(this.config, runtime, signal, this.requests);
    return this.connection;
  }

  /** Whether its server is still there, as far as this process knows. */
  get connected(): boolean {
    return !this.disconnected && this.connection?.open !== false;
  }

  /** Lets the server end when nobody asks it for so long. */
  rest(ms: number): void {
    if (this.connection?.open !== true) return;
    this.resting = true;
    this.connection.endAfter(ms);
  }

  /** Ends the connection; until it has ended, the end of the run waits for it. */
  async close(runtime: Runtime): Promise<void> {
    this.disconnected = true;
    const { connection } = this;
    if (connection === undefined) return;
    await connection.close();
    runtime.open.delete(connection);
  }
}

async function openConnection(
  config: McpServerConfig,
  runtime: Runtime,
  signal: AbortSignal,
  requests: ServerRequests,
): Promise<McpConnection> {
  const wait = { timeoutMs: config.connectTimeoutMs, signal };
  const serves = requests.serves(runtime.host.cwd);
  const connection = await runtime.host.mcp.connect(targetOf(config, runtime), wait, serves);
  runtime.open.add(connection);
  return connection;
}

const serverFactsShape = shape.record<McpServerFacts>({
  name: shape.text,
  version: shape.text,
  protocol_version: shape.text,
  instructions: shape.text,
  capabilities: shape.table as ResultShape<McpObject>,
});

/** Connects; one recorded effect. `caller` begins the error texts. */
export async function connectServer(task: Task, config: McpServerConfig, caller: string): Promise<McpClient> {
  const { runtime } = task;
  watchEgress(task);
  const failing: { [code: string]: string } = caller === "mcp_connect" ? { ESPAWN: caller } : {};
  const requests = new ServerRequests(config);
  let connection: McpConnection | undefined;
  const facts = await performed<McpServerFacts>(task, `${caller}: server '${config.name}'`, failing, {
    effect: "write",
    kind: "mcp.connect",
    args: () => shownConfig(config),
    run: async (signal) => {
      connection = await openConnection(config, runtime, signal, requests);
      return connection.server;
    },
    result: serverFactsShape,
  });
  return new McpClient(config, facts, requests, connection);
}

/** What the journal knows of a server: names of variables and headers, not what they hold. */
function shownConfig(config: McpServerConfig): Json {
  const { name, transport, command, url, env, headers } = config;
  return transport === "http"
    ? { name, transport, url, headers: [...headers.keys()] }
    : { name, transport, command: [...command], env: [...env.keys()] };
}

/** Asks a server; one recorded effect. Lists and resources are read, calls of tools may write. */
export function askServer(
  task: Task,
  client: McpClient,
  ask: McpAsk,
  caller: string,
  timeoutMs = client.config.timeoutMs,
): MaybePromise<McpObject> {
  if (client.disconnected) throw runtimeError("MCP client is disconnected");
  // Observed before the effect in which the server may ask for a model.
  if (client.config.sampling !== null) modelsOf(task);
  return performed<McpObject>(
    task,
    `${caller}: server '${client.name}'`,
    {},
    {
      effect: ask.method === "tools/call" ? "write" : "read",
      kind: `mcp.${ask.method}`,
      args: () => ({ server: client.name, ...ask }) as unknown as Json,
      run: (signal) =>
        client.requests.during(task, async () => {
          const connection = await client.live(task.runtime, signal);
          return await connection.request(ask, { timeoutMs, signal });
        }),
      result: bookedShape(task, client.requests),
    },
  );
}

/** A server's answer, with the calls of models that it took. */
const bookedShape = (task: Task, requests: ServerRequests): ResultShape<McpObject> =>
  recordedAnswerShape.as<McpObject>(
    (result) => withBooked(result, requests.takeBooked()),
    (stored) => withoutBooked(task, stored),
  );

/** Ends a connection and waits until the server is gone. */
export function disconnectServer(task: Task, client: McpClient): MaybePromise<null> {
  return task.perform<null>({
    effect: "write",
    kind: "mcp.disconnect",
    args: () => client.name,
    run: async () => {
      await client.close(task.runtime);
      return null;
    },
    result: shape.nothing.as<null>(
      () => null,
      () => {
        client.disconnected = true;
        return null;
      },
    ),
  });
}

/** Whether the server is still there. */
export function isConnected(task: Task, client: McpClient): MaybePromise<boolean> {
  return task.perform<boolean>({
    effect: "observe",
    kind: "mcp.connected",
    args: () => client.name,
    run: () => client.connected,
    result: shape.flag,
  });
}

/** Performs an effect whose failures are told as the script's errors; `others`: what begins those of a code of its own. */
function performed<T>(
  task: Task,
  prefix: string,
  others: { readonly [code: string]: string },
  call: EffectCall<T>,
): MaybePromise<T> {
  return task.perform<T>({
    ...call,
    run: async (signal) => {
      try {
        return await call.run(signal);
      } catch (error) {
        throw error instanceof HostError ? failure(others[error.code] ?? prefix, error) : error;
      }
    },
  });
}

function failure(prefix: string, error: HostError): ScriptError {
  const category = error.code === "ETIMEDOUT" ? "timeout" : "tool_error";
  return new ScriptError("thrown", `${prefix}: ${error.message}`, { category });
}
