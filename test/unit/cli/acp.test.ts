/** `harn acp`: a script served to an editor; the official client drives the real command in another process. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  ndJsonStream,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("acp");

const script = join(projectRoot, "test/support/programs/acp-agent.harn");

/** An editor: connected to the agent, writing down what it is told. */
class Editor {
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  answer: "allow_once" | "allow_always" | "reject" | "cancelled" = "allow_once";
  readonly cwd: string;
  /** What was asked of the editor's files, terminals and own operations. */
  readonly did: unknown[] = [];
  /** How many tickets there are: what the operation `tickets.open` gives. */
  tickets = 0;
  private readonly child: ChildProcess;
  private readonly connection: ClientConnection;
  private waiting: (() => void)[] = [];

  constructor(cwd: string, flags: readonly string[] = []) {
    this.cwd = cwd;
    const command = process.env.HARN_TEST_COMMAND?.split(" ") ?? [launcher];
    this.child = spawn(command[0] as string, [...command.slice(1), "acp", ...flags, script], {
      cwd,
      env: cleanEnvironment({ HARN_LLM_PROVIDER: "mock" }),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const app = client({ name: "editor" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params.update);
        for (const check of this.waiting.splice(0)) check();
      })
      .onRequest("session/request_permission", ({ params }) => {
        this.asked.push(params);
        return this.answer === "cancelled"
          ? { outcome: { outcome: "cancelled" as const } }
          : { outcome: { outcome: "selected" as const, optionId: this.answer } };
      });
    this.offer(app);
    const out = Writable.toWeb(this.child.stdin as Writable) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(this.child.stdout as Readable) as ReadableStream<Uint8Array>;
    this.connection = app.connect(ndJsonStream(out, input));
  }

  /** Files, terminals, and an operation of its own. */
  private offer(app: ReturnType<typeof client>): void {
    const waiting = new Map<string, (exit: { exitCode: number | null; signal?: string }) => void>();
    const note = (what: string, params: object): void => void this.did.push([what, params]);
    app
      .onRequest("fs/read_text_file", ({ params }) => {
        note("read", params);
        if (params.path.endsWith("missing")) throw new RequestError(-32002, "there is no such file");
        return { content: "unsaved" };
      })
      .onRequest("fs/write_text_file", ({ params }) => {
        note("write", params);
        return {};
      })
      .onRequest("terminal/create", ({ params }) => {
        note("create", params);
        return { terminalId: params.command };
      })
      .onRequest("terminal/wait_for_exit", ({ params }) =>
        params.terminalId === "sleep"
          ? new Promise((resolve) => waiting.set(params.terminalId, resolve))
          : { exitCode: 0 },
      )
      .onRequest("terminal/kill", ({ params }) => {
        note("kill", params);
        waiting.get(params.terminalId)?.({ exitCode: null, signal: "SIGKILL" });
        return {};
      })
      .onRequest("terminal/output", () => ({ output: "a file\n", truncated: false }))
      .onRequest("terminal/release", ({ params }) => {
        note("release", params);
        return {};
      })
      .onRequest(
        "host/tickets.open",
        (params: unknown) => params as { title: string },
        ({ params }) => ({ id: this.tickets, title: params.title }),
      );
  }

  /** Connected and introduced. */
  static async open(cwd: string, flags: readonly string[] = []): Promise<Editor> {
    const editor = new Editor(cwd, flags);
    await editor.agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        _meta: { harn: { host: { "tickets.open": "Opens a ticket." } } },
      },
    });
    return editor;
  }

  get agent(): ClientConnection["agent"] {
    return this.connection.agent;
  }

  async newSession(mcpServers: object[] = []): Promise<string> {
    const { sessionId } = await this.agent.request("session/new", {
      cwd: this.cwd,
      mcpServers: mcpServers as never,
    });
    return sessionId;
  }

  /** Says something; gives why the turn stopped and what was shown. */
  async say(
    sessionId: string,
    text: string,
  ): Promise<{ stop: string; shown: string; updates: SessionUpdate[] }> {
    this.updates.length = 0;
    const { stopReason } = await this.agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return { stop: stopReason, shown: this.shown(), updates: [...this.updates] };
  }

  /** The messages so far. */
  shown(kind = "agent_message_chunk"): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === kind &&
        "content" in update &&
        update.content !== null &&
        "text" in (update.content as object)
          ? [(update.content as { text: string }).text]
          : [],
      )
      .join("");
  }

  async shows(text: string): Promise<void> {
    while (!this.shown().includes(text)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The agent ends when its client goes away. */
  async leave(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.child.once("close", resolve));
    this.connection.close();
    this.child.stdin?.end();
    return await ended;
  }
}

let editor: Editor;
let folder: string;
beforeAll(async () => {
  folder = freshFolder();
  editor = await Editor.open(folder);
});
afterAll(async () => {
  expect(await editor.leave()).toBe(0);
});

describe("harn acp", () => {
  test("says what it can", async () => {
    const other = await Editor.open(folder);
    const answer = await other.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    expect(await other.leave()).toBe(0);
    expect(answer).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "acp-agent" },
      agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
    });
  });

  test("streams what loops say, once, and the value of a script that shows nothing", async () => {
    const id = await editor.newSession();
    const first = await editor.say(id, "hello");
    expect(first).toMatchObject({ stop: "end_turn" });
    expect(first.shown.trim()).toBe("I remember 0 messages.");
    // The editor's conversation goes on.
    expect((await editor.say(id, "again")).shown.trim()).toBe("I remember 2 messages.");
    expect((await editor.say(id, "echo this")).shown).toBe("you said: echo this");
  });

  test("asks the model that its flags name", async () => {
    const other = await Editor.open(folder, ["--model", "tiny"]);
    const { shown } = await other.say(await other.newSession(), "model");
    expect(await other.leave()).toBe(0);
    expect(shown).toBe("tiny");
  });

  test("tool calls, with the editor's permission", async () => {
    const id = await editor.newSession();
    editor.asked.length = 0;
    const { updates, shown, stop } = await editor.say(id, "ask me");
    expect(stop).toBe("end_turn");
    expect(shown.replaceAll(/\s+/g, " ").trim()).toBe("I write it down. Finished.");
    expect(editor.asked).toMatchObject([
      {
        sessionId: id,
        toolCall: {
          toolCallId: "call_1",
          title: "write_note",
          rawInput: { path: "/notes/a.md", text: "hello" },
        },
        options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
      },
    ]);
    const calls = updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
    expect(calls).toMatchObject([
      {
        sessionUpdate: "tool_call",
        toolCallId: "call_1",
        title: "write_note: /notes/a.md",
        kind: "edit",
        status: "pending",
        locations: [{ path: "/notes/a.md" }],
      },
      { sessionUpdate: "tool_call_update", toolCallId: "call_1", status: "in_progress" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "call_1",
        status: "completed",
        rawOutput: "wrote /notes/a.md",
        _meta: { harn: { executor: "harn_builtin" } },
      },
    ]);
    // Granted for once: asked again, and refused.
    editor.answer = "reject";
    const refused = await editor.say(id, "ask me again");
    expect(editor.asked).toHaveLength(2);
    expect(refused.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: "tool_call_update", status: "failed" }),
    );
    // For always: not asked any more in this session.
    editor.answer = "allow_always";
    await editor.say(id, "ask me");
    await editor.say(id, "ask me");
    expect(editor.asked).toHaveLength(3);
  });

  test("plans and thoughts", async () => {
    const id = await editor.newSession();
    const { updates } = await editor.say(id, "plan it");
    expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "plan")).toMatchObject([
      {
        entries: [
          { content: "Look", status: "in_progress", priority: "medium" },
          { content: "Write", status: "pending", priority: "high" },
        ],
      },
      { entries: [{ content: "Look", status: "completed" }, { content: "Write" }] },
    ]);
    expect(editor.shown("agent_thought_chunk")).toContain("Here we go");
    await editor.say(id, "think");
    expect(editor.shown("agent_thought_chunk")).toContain("hmm");
  });

  test("a cancelled prompt unwinds, and the session goes on", async () => {
    const id = await editor.newSession();
    const waiting = editor.say(id, "wait for me");
    await editor.shows("waiting");
    await editor.agent.notify("session/cancel", { sessionId: id });
    expect(await waiting).toMatchObject({ stop: "cancelled", shown: expect.stringContaining("cleaned up") });
    expect((await editor.say(id, "echo on")).shown).toBe("you said: echo on");
  });

  test("hooks that the program registers hold once, whatever prompt it is", async () => {
    const id = await editor.newSession();
    for (const prompt of ["hooked", "hooked again", "hooked still"])
      expect((await editor.say(id, prompt)).shown).toContain("wrote x!");
    expect((await editor.say(id, "hooked")).shown).not.toContain("!!");
  });

  test("errors, limits, unknown sessions", async () => {
    const id = await editor.newSession();
    await expect(editor.say(id, "fail now")).rejects.toMatchObject({
      code: -32603,
      message: "Thrown: the disk is on fire",
    });
    expect((await editor.say(id, "limit")).stop).toBe("max_turn_requests");
    await expect(editor.say("nobody", "hello")).rejects.toMatchObject({ code: -32602 });
    await expect(editor.agent.request("session/new", { cwd: "here", mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("the editor's files, terminals and own operations", async () => {
    const id = await editor.newSession();
    editor.tickets = 7;
    const { shown } = await editor.say(id, "files, please");
    expect(shown.trim().split("\n")).toEqual([
      "unsaved",
      "host_call fs.read_text_file: there is no such file",
      "[true, true]",
      "{id: 7, title: broken}",
    ]);
    const path = join(folder, "a.txt");
    expect(editor.did.slice(0, 2)).toEqual([
      ["read", { sessionId: id, path, line: 2, limit: null }],
      ["write", { sessionId: id, path, content: "unsaved!" }],
    ]);
    editor.did.length = 0;
    const terminal = await editor.say(id, "terminal");
    expect(terminal.shown).toContain(
      "{exit_code: 0, output: a file\n, signal: nil, timed_out: false, truncated: false}",
    );
    expect(terminal.shown).toContain("true");
    // A ceiling of the policy holds the editor's terminal, too.
    expect(terminal.shown).toContain("[][run]");
    expect(editor.did.map((did) => (did as [string])[0])).toEqual([
      "create",
      "release",
      "create",
      "kill",
      "release",
    ]);
  });

  test("what the user says while a loop works", async () => {
    const id = await editor.newSession();
    editor.tickets = 0;
    const turn = editor.say(id, "listen");
    await editor.shows("working");
    const speak = (content: unknown, mode?: string): Promise<unknown> =>
      editor.agent.request("user_message", { sessionId: id, content, ...(mode ? { mode } : {}) });
    await speak([{ type: "text", text: "also the tests" }]);
    await speak("later", "wait_for_completion");
    await expect(speak("x", "at_once")).rejects.toMatchObject({ code: -32602 });
    await expect(speak("")).rejects.toMatchObject({ code: -32602 });
    editor.tickets = 2;
    const { shown } = await turn;
    expect(shown).toContain("[listen, also the tests]");
    expect(shown).toContain("[later]");
    expect((await editor.say(id, "hello")).shown).toContain("I remember 5 messages");
  });

  test("a loop that idles goes on when it is asked to", async () => {
    const id = await editor.newSession();
    const turn = editor.say(id, "idle");
    await editor.shows("idles");
    await editor.agent.notify("agent/resume", { sessionId: id, input: "the build is red" });
    await editor.shows("Two.");
    await editor.agent.notify("agent/resume", { sessionId: id });
    await editor.agent.notify("agent/resume", { sessionId: "nobody" });
    const { shown } = await turn;
    expect(shown).toContain('[idle, the build is red, <runtime_feedback kind="agent_resume">');
  });

  test("two prompts at once are one too many", async () => {
    const id = await editor.newSession();
    const waiting = editor.say(id, "wait for me");
    await editor.shows("waiting");
    await expect(editor.say(id, "echo x")).rejects.toMatchObject({
      message: expect.stringContaining("busy"),
    });
    await editor.agent.notify("session/cancel", { sessionId: id });
    await waiting;
  });

  test("fork, truncate, load and list", async () => {
    const id = await editor.newSession();
    await editor.say(id, "first");
    await editor.say(id, "second");
    const forked = await editor.agent.request<{ sessionId: string }>("session/fork", { sessionId: id });
    expect((await editor.say(forked.sessionId, "third")).shown.trim()).toBe("I remember 4 messages.");
    const cut = await editor.agent.request("session/truncate", { sessionId: id, keepFirst: 2 });
    expect(cut).toEqual({ messageCount: 2 });
    expect((await editor.say(id, "third")).shown.trim()).toBe("I remember 2 messages.");
    await editor.leave();
    editor = await Editor.open(folder);
    const { sessions } = await editor.agent.request("session/list", { cwd: folder });
    expect(sessions.slice(0, 2).map(({ title }) => title)).toEqual(["first", "first"]);
    await editor.agent.request("session/load", { sessionId: id, cwd: folder, mcpServers: [] });
    expect(editor.shown("user_message_chunk")).toBe("firstthird");
    expect(editor.shown().trim()).toMatch(/^I remember 0 messages\.I remember 2 messages\.$/);
    expect((await editor.say(id, "fourth")).shown.trim()).toBe("I remember 4 messages.");
    await expect(
      editor.agent.request("session/load", { sessionId: "../x", cwd: folder, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test("the editor's MCP servers serve the script's loops", async () => {
    const server = join(projectRoot, "test/support/mcp-server/stdio.ts");
    const id = await editor.newSession([
      { name: "test", command: process.execPath, args: [server], env: [] },
    ]);
    expect((await editor.say(id, "servers")).shown).toContain("[test__echo]");
  });

  test("the level of thinking is an option of the session", async () => {
    const id = await editor.newSession();
    const set = (value: string) =>
      editor.agent.request("session/set_config_option", { sessionId: id, configId: "thought_level", value });
    expect(await set("high")).toMatchObject({
      configOptions: [{ id: "thought_level", currentValue: "high" }],
    });
    await expect(set("endless")).rejects.toMatchObject({ code: -32602 });
  });
});
