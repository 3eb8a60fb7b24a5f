/**
 * One session of an editor: a Runtime of its own, in which the script runs once for each prompt. Conversations, registries
 * and mocks live on between prompts; variables do not.
 *
 * A prompt that is cancelled unwinds like any stopped program (`finally` runs, within a grace); one that does not come back
 * costs the session its Runtime, and the next prompt begins with the conversation as it was last kept.
 */
import type { AgentContext, McpServer, PermissionOption, StopReason } from "@agentclientprotocol/sdk";
import {
  type ApprovalHost,
  configureApprovals,
  type HostOperation,
  type HostSession,
  hostSession,
  offerHostOperations,
  sayToSession,
  sessionHooks,
  toolHooks,
  transcriptOf,
  wakeSession,
} from "../agent/index.ts";
import { builtinTable } from "../builtins/index.ts";
import { LiveEffects, type StopRequest } from "../effects/index.ts";
import { runEvents } from "../events/index.ts";
import { exitCode } from "../host/command/index.ts";
import { createNodeHost, nodeAtRest, nodeSeed } from "../host/index.ts";
import { Interruption, noLocals, Runtime, Task } from "../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../lower/index.ts";
import { conversations, messageFrom, originOfValue, type UserMessageMode } from "../model/index.ts";
import type { ModelFlags } from "../run/setup/index.ts";
import { wireModels } from "../run/setup/wire-models.ts";
import { configureSkillMatch, type SkillMatchHost } from "../skills/index.ts";
import { Dict, fromJson, List, toJson, type Value } from "../values/index.ts";
import { UpdateWriter } from "./updates.ts";

/** `optionId`s are words that `leaveOf` understands. */
const options: PermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "allow_always", name: "Always allow with these arguments", kind: "allow_always" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

interface ApprovalRequest {
  readonly tool_name?: string;
  readonly tool_args?: unknown;
  readonly tool_call_id?: string;
  readonly session_id?: string;
  readonly reason?: string;
  readonly policyDecision?: unknown;
}

/** Asks; a request that the editor cancels is a no. */
function editorApprovals(client: AgentContext, sessionId: string, updates: UpdateWriter): ApprovalHost {
  return async (value, signal) => {
    const request = value as ApprovalRequest;
    const callId = request.tool_call_id ?? "";
    const toolCallId = updates.idOf(request.session_id ?? "", callId) ?? callId;
    const answer = await client.request(
      "session/request_permission",
      {
        sessionId,
        toolCall: {
          toolCallId,
          title: request.tool_name ?? "a tool",
          rawInput: request.tool_args,
          status: "pending",
        },
        options,
        _meta: { harn: { reason: request.reason ?? "", policyDecision: request.policyDecision } },
      },
      { cancellationSignal: signal },
    );
    const { outcome } = answer;
    if (outcome.outcome === "selected") return { outcome: outcome.optionId, decided_by: "editor" };
    return { outcome: "cancelled", reason: "the question was cancelled" };
  };
}

/** How long a cancelled prompt may unwind. */
const graceMs = 2000;

export interface SessionOptions {
  readonly id: string;
  readonly cwd: string;
  readonly program: ExecutableProgram;
  readonly servers: readonly McpServer[];
  /** Script arguments after `--`. */
  readonly args: readonly string[];
  readonly flags: ModelFlags;
  /** What the editor does for scripts. */
  readonly offers: ReadonlyMap<string, HostOperation>;
  /** The editor answers `skill/match`. */
  readonly skillMatch: boolean;
}

/** Messages of the conversation, as stored. */
export type StoredMessages = readonly unknown[];

export class EditorSession {
  readonly id: string;
  readonly cwd: string;
  /** `off`, `low` …; null leaves it to the script. */
  thoughtLevel: string | null = null;
  private readonly options: SessionOptions;
  private readonly client: AgentContext;
  private readonly updates: UpdateWriter;
  private readonly runtimeArgs: string[];
  private runtime: Runtime;
  private host: HostSession;
  private stop: (() => void) | undefined;
  private sending: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions, client: AgentContext) {
    this.id = options.id;
    this.cwd = options.cwd;
    this.options = options;
    this.client = client;
    this.runtimeArgs = [...options.args];
    this.updates = new UpdateWriter((update) => {
      // One after the other: the order of updates is their meaning.
      this.sending = this.sending
        .then(() => client.notify("session/update", { sessionId: this.id, update }))
        .catch(() => {});
    });
    [this.runtime, this.host] = this.open();
  }

  private open(): [Runtime, HostSession] {
    const write = (text: string): void => this.updates.printed(text);
    const runtime = new Runtime({
      effects: new LiveEffects({ atRest: nodeAtRest(), seed: nodeSeed() }),
      host: createNodeHost({ cwd: this.cwd }),
      console: { write, writeError: (text) => void process.stderr.write(text) },
      builtins: builtinTable(),
      args: this.runtimeArgs,
    });
    wireModels(runtime, this.options.flags);
    const host: HostSession = {
      id: this.id,
      prompt: "",
      reasoning: this.thoughtLevel,
      servers: this.options.servers.map(serverEntry),
      clients: undefined,
      stopReason: null,
    };
    runtime.state(hostSession).current = host;
    runtime.state(runEvents).subscribe((event) => this.updates.add(event));
    offerHostOperations(runtime, this.options.offers);
    if (this.options.skillMatch) configureSkillMatch(runtime, editorSkillMatch(this.client, this.id));
    configureApprovals(runtime, editorApprovals(this.client, this.id, this.updates));
    return [runtime, host];
  }

  /** Runs the script with a prompt as its task. Rejects with the text of an error that nobody caught. */
  async prompt(text: string): Promise<StopReason> {
    const { runtime, host } = this;
    if (this.stop !== undefined) throw new PromptError("the session is busy with another prompt");
    this.updates.begin();
    // The program registers its hooks anew: each prompt runs it from its beginning.
    runtime.locals = noLocals;
    runtime.state(toolHooks).length = 0;
    runtime.state(sessionHooks).length = 0;
    host.prompt = text;
    host.reasoning = this.thoughtLevel;
    host.stopReason = null;
    this.runtimeArgs.splice(0, this.runtimeArgs.length, text, this.id, ...this.options.args);
    const { effects } = runtime;
    const task = new Task(runtime, undefined, "task_root", effects.child(effects.root));
    const params = new Map<string, Value>([
      ["task", text],
      ["prompt", text],
      ["session_id", this.id],
    ]);
    const cancelled = Symbol("cancelled");
    const stopped = new Promise<typeof cancelled>((resolve) => {
      this.stop = () => {
        stopAll(runtime);
        setTimeout(() => resolve(cancelled), graceMs).unref();
      };
    });
    const run = Promise.resolve(runProgram(runtime, this.options.program, { task, params }));
    const outcome = await Promise.race([run, stopped]);
    this.stop = undefined;
    const wasStopped = runtime.stopping !== undefined;
    runtime.stopping = undefined;
    if (outcome === cancelled) await this.restart(runtime);
    else if (!wasStopped) this.showRest(outcome);
    await this.sending;
    return wasStopped ? "cancelled" : stopReasonOf(host.stopReason);
  }

  /** What nothing has shown yet: the value that the script gives. Errors are the caller's. */
  private showRest(outcome: RunOutcome): void {
    if (outcome.internal !== undefined) throw outcome.internal;
    if (outcome.error !== undefined) throw new PromptError(outcome.error.text);
    if (outcome.exitCode !== exitCode.ok)
      throw new PromptError(`the script ended with exit code ${outcome.exitCode}`);
    if (this.updates.shown.trim() === "" && typeof outcome.value === "string")
      this.updates.message(outcome.value);
  }

  /** What the user says while a prompt runs; between prompts it waits for the next one. */
  say(text: string, mode: UserMessageMode): void {
    sayToSession(this.runtime, this.id, text, this.stop === undefined ? "wait_for_completion" : mode);
  }

  /** A loop of this session that idles goes on. */
  wake(text: string): void {
    if (this.stop === undefined) return;
    if (text.trim() === "") wakeSession(this.runtime, this.id);
    else sayToSession(this.runtime, this.id, text, "finish_step");
  }

  /** Asks the prompt that runs to stop. */
  cancel(): void {
    this.stop?.();
  }

  private async restart(old: Runtime): Promise<void> {
    const kept = this.messages();
    old.host.processes.killAll();
    void old.effects.close().then(() => old.close());
    [this.runtime, this.host] = this.open();
    this.restore(kept);
  }

  // ── the conversation ────────────────────────────────────────────────────────────────────────────────────────────

  /** The editor's conversation, to be kept or copied. */
  messages(): StoredMessages {
    const found = this.runtime.state(conversations).get(this.id);
    if (found === undefined) return [];
    const messages = transcriptOf(found).get("messages");
    return messages instanceof List ? (toJson(messages) as unknown[]) : [];
  }

  restore(messages: StoredMessages): void {
    if (messages.length === 0) return;
    const conversation = this.runtime.state(conversations).open(this.id);
    conversation.reset();
    for (const message of messages) {
      const value = fromJson(message);
      if (!(value instanceof Dict)) continue;
      const said = messageFrom(value, "acp: stored message");
      conversation.append(said, originOfValue(value, said));
    }
  }

  /** Keeps the first messages only. */
  truncate(keep: number): number {
    const kept = this.messages().slice(0, keep);
    this.runtime.state(conversations).remove(this.id);
    this.restore(kept);
    return kept.length;
  }

  /** Shows the conversation again, as it was said. */
  async replay(): Promise<void> {
    for (const message of this.messages()) {
      const { role, content } = message as { role?: unknown; content?: unknown };
      const text = typeof content === "string" ? content : "";
      if (text === "" || text.startsWith("<runtime_feedback")) continue;
      const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk";
      if (role !== "user" && role !== "assistant") continue;
      await this.client.notify("session/update", {
        sessionId: this.id,
        update: { sessionUpdate, content: { type: "text", text } },
      });
    }
  }

  async close(): Promise<void> {
    this.cancel();
    this.runtime.host.processes.killAll();
    await this.runtime.effects.close();
    await this.runtime.close();
  }
}

/** The editor scores skills: with its embeddings, say. */
const editorSkillMatch =
  (client: AgentContext, sessionId: string): SkillMatchHost =>
  (request, signal) =>
    client.request("skill/match", { sessionId, ...(request as object) }, { cancellationSignal: signal });

/** An error of the script, for the editor. */
export class PromptError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function stopAll(runtime: Runtime): void {
  const request: StopRequest = { reason: "cancel", exitCode: 1 };
  runtime.stopping = request;
  for (const task of [...runtime.tasks.parked]) {
    task.stopped = true;
    task.abort(new Interruption("stopped", request));
  }
}

const stopReasons: ReadonlySet<string> = new Set<StopReason>([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

const stopReasonOf = (reason: string | null): StopReason =>
  reason !== null && stopReasons.has(reason) ? (reason as StopReason) : "end_turn";

/** An MCP server as the editor describes it, in our words. */
function serverEntry(server: McpServer): Dict {
  const name = server.name.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_+|_+$/g, "") || "server";
  const pairs = (list: readonly { name: string; value: string }[]): Dict =>
    Dict.from(list.map((one) => [one.name, one.value] as [string, Value]));
  if ("command" in server) {
    const { command, args, env } = server;
    return Dict.of({ name, command: new List([command, ...args]), env: pairs(env) });
  }
  return Dict.of({ name, url: server.url, headers: pairs(server.headers) });
}
