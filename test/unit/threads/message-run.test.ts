/** Messages of a conversation, each run by a real process: history, events, inbox, kills, forks. */
import { type ChildProcess, fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore, type Store } from "../../../src/store/index.ts";
import { Conversations, type StoredEnvelope } from "../../../src/threads/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("message-run");
const child = join(import.meta.dirname, "../../support/message-child.ts");

const opened: Store[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const one of children.splice(0)) one.kill("SIGKILL");
  for (const store of opened.splice(0)) store.close();
});

/** A project with one script, and a server's part of the work on its conversations. */
class Project {
  readonly folder = freshFolder();
  readonly state = join(this.folder, ".harn");
  readonly script = join(this.folder, "agent.harn");
  readonly conversations: Conversations;
  private said = 0;
  private runs = 0;

  constructor(script: string) {
    writeFileSync(this.script, script);
    const store = openStore(this.state);
    opened.push(store);
    this.conversations = new Conversations(store);
  }

  create(id: string): void {
    const made = { agent: "a", owner: "ann", title: "T", mode: null, config: { depth: 2 }, workspace: null };
    this.conversations.create(id, made, Date.now());
  }

  say(id: string, text: string, delivery: "queue" | "step" | "now" = "queue"): string {
    this.said++;
    const message = `m_${this.said}`;
    this.conversations.say(id, { message, text, attachments: [], delivery, by: "ann" }, Date.now());
    return message;
  }

  /** Takes the conversation and starts the run's process. */
  start(id: string): {
    readonly run: string;
    readonly process: ChildProcess;
    readonly ended: Promise<number | null>;
  } {
    this.runs++;
    const taken = this.conversations.take(id, `run-${this.runs}`, Date.now());
    if (taken.kind !== "start" && taken.kind !== "resume") throw new Error(`nothing to do: ${taken.kind}`);
    const { run } = taken;
    const job = { conversation: id, run, script: this.script, stateFolder: this.state };
    const started = fork(child, [JSON.stringify(job)], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    children.push(started);
    let errors = "";
    started.stderr?.on("data", (text) => {
      errors += String(text);
    });
    const ended = new Promise<number | null>((resolve) =>
      started.on("exit", (code) => {
        if (errors !== "") this.errors.push(errors);
        resolve(code);
      }),
    );
    return { run, process: started, ended };
  }

  readonly errors: string[] = [];

  /** Runs the next message to its end. */
  async perform(id: string): Promise<string> {
    const { run, ended } = this.start(id);
    const code = await ended;
    const status = code === 75 ? "waiting" : code === 0 ? "done" : "failed";
    const error = code === 0 ? null : this.errors.join("");
    this.conversations.end({ id, run, status, exitCode: code, error, how: null, now: Date.now() });
    return run;
  }

  events(id: string): readonly StoredEnvelope[] {
    return this.conversations.events(id, { limit: 10_000 }).items;
  }

  texts(id: string): unknown[] {
    return this.conversations.history(id).entries.map(({ message }) => message.content);
  }
}

const answering = `
pipeline main(task, session_id, mode, config) {
  llm_mock({text: "You said: " + task})
  const info = conversation_info()
  println(info.id + " " + session_id + " " + to_string(config.depth) + " " + info.message.text)
  agent_loop(task, nil, {provider: "mock"})
}
`;

describe("a message", () => {
  it("is answered with what was said before in view, and its log tells how", async () => {
    const project = new Project(answering);
    project.create("c_1");
    project.say("c_1", "one");
    const first = await project.perform("c_1");
    expect(project.errors).toEqual([]);
    project.say("c_1", "two");
    await project.perform("c_1");
    expect(project.texts("c_1")).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(project.conversations.get("c_1")).toMatchObject({ state: "idle", history: 4, queued: 0 });
    expect(project.conversations.messages("c_1").map(({ state }) => state)).toEqual(["said", "said"]);
    const events = project.events("c_1");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
    const ofFirst = events.filter(({ run }) => run === first).map(({ type }) => type);
    const told = ofFirst.filter(
      (type) => type !== "trace" && type !== "context.usage" && type !== "decision",
    );
    expect(told).toEqual([
      "message.taken",
      "run.start",
      "loop.start",
      "message.end",
      "turn.start",
      "usage",
      "message.end",
      "turn.end",
      "loop.end",
      "run.end",
    ]);
    const ends = events.filter(({ type }) => type === "message.end").map(({ data }) => data.message);
    expect(ends).toEqual(["l1/msg_1", "l1/msg_2", "l1/msg_3", "l1/msg_4"]);
  });
});
