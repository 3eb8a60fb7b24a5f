/** Messages of a conversation, each run by a real process: history, events, inbox, kills, forks. */
// long: kills
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fileDiff } from "../../../src/server/file-diff.ts";
import { serverLimits } from "../../../src/server/server-limits.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { Conversations, type StoredEnvelope } from "../../../src/threads/index.ts";
import { keepCompiled } from "../../support/compiled-sources.ts";
import { harn } from "../../support/run-cli.ts";
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

  create(id: string, workspace: string | null = null): void {
    const made = {
      agent: "a",
      owner: "ann",
      title: "T",
      mode: null,
      config: { max_iterations: 2 },
      workspace,
    };
    this.conversations.create({ id, made, now: Date.now() });
  }

  say(id: string, text: string, delivery: "queue" | "step" | "now" = "queue"): string {
    this.said++;
    const message = `m_${this.said}`;
    this.conversations.say({ id, message, text, attachments: [], delivery, by: "ann", now: Date.now() });
    return message;
  }

  /** Takes the conversation and starts the run's process. */
  start(id: string): {
    readonly run: string;
    readonly process: ChildProcess;
    readonly ended: Promise<number | null>;
  } {
    this.runs++;
    const taken = this.conversations.takeNext(id, `run-${this.runs}`, Date.now());
    if (taken.kind !== "start" && taken.kind !== "resume") throw new Error(`nothing to do: ${taken.kind}`);
    const { run } = taken;
    const job = { conversation: id, run, script: this.script, stateFolder: this.state };
    const started = fork(child, [JSON.stringify(job)], {
      cwd: this.folder,
      env: { ...process.env, ...keepCompiled() },
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

  /** Makes the log of a run from its journal. */
  async rebuild(run: string): Promise<void> {
    const job = { rebuild: true, run, stateFolder: this.state };
    const started = fork(child, [JSON.stringify(job)], {
      cwd: this.folder,
      env: { ...process.env, ...keepCompiled() },
    });
    children.push(started);
    const code = await new Promise((resolve) => started.on("exit", resolve));
    expect(code).toBe(0);
  }

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
    return this.conversations.history({ id }).entries.map(({ message }) => message.content);
  }
}

async function until(what: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 300_000; !what(); ) {
    if (Date.now() > deadline) throw new Error("it did not come to this");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const answering = `
pipeline main(task, session_id, mode, config) {
  llm_mock({text: "You said: " + task})
  const info = conversation_info()
  println(info.id + " " + session_id + " " + to_string(config.max_iterations) + " " + info.message.text)
  agent_loop(task, nil, {provider: "mock"})
}
`;

describe("a message", () => {
  it("tells what a program that a tool ran has written, and how the file changed", async () => {
    const workspace = freshFolder();
    writeFileSync(join(workspace, "notes.txt"), "one\n");
    const project = new Project(`
pipeline main(task) {
  llm_mock({text: "I write.", tool_calls: [{name: "run", arguments: {text: "two"}}]})
  llm_mock({text: "And.", tool_calls: [{name: "run", arguments: {text: "three"}}]})
  llm_mock({text: "Written."})
  const tools = tool_define(tool_registry(), "run", "Writes.", {
    parameters: {text: "string"},
    handler: { a -> exec("sh", "-c", "echo \${a.text} >> ${workspace}/notes.txt") },
  })
  agent_loop(task, nil, {provider: "mock", tools: tools})
}
`);
    project.create("c_1", workspace);
    project.say("c_1", "Write.");
    await project.perform("c_1");
    const changes = project.events("c_1").filter(({ type }) => type === "file.changed");
    expect(changes.map(({ data }) => data)).toMatchObject([
      { path: "notes.txt", change: "written", before_text: "one\n", after_text: "one\ntwo\n", bytes: 8 },
      { path: "notes.txt", change: "written", after_text: "one\ntwo\nthree\n", bytes: 14 },
    ]);
    expect(changes.map(({ call }) => call)).toEqual(["l1.1.0", "l1.2.0"]);
    const [first, second] = changes.map(({ seq }) => seq) as [number, number];
    const asked = { conversations: project.conversations, stream: "c_1", path: "notes.txt" };
    const diff = async (from: number, to?: number) =>
      (await fileDiff({ ...asked, place: join(workspace, "notes.txt"), from, to, limits: serverLimits }))
        .hunks;
    expect(await diff(0)).toMatchObject([{ lines: [" one", "+two", "+three"] }]);
    expect(await diff(0, first)).toMatchObject([{ lines: [" one", "+two"] }]);
    expect(await diff(first, second)).toMatchObject([{ lines: [" one", " two", "+three"] }]);
  });

  it("tells of a tool that computes while it computes", async () => {
    const project = new Project(`
pipeline main(task) {
  llm_mock({text: "I count.", tool_calls: [{name: "count", arguments: {}}]})
  const tools = tool_define(tool_registry(), "count", "Counts.", {parameters: {}, handler: { _ -> while true {} }})
  agent_loop(task, nil, {provider: "mock", tools: tools})
}
`);
    project.create("c_1");
    project.say("c_1", "Count.");
    const { process, ended } = project.start("c_1");
    await until(() => project.events("c_1").some(({ type }) => type === "tool.start"));
    process.kill("SIGKILL");
    await ended;
  });

  it("is answered with what was said before in view, and its log tells how", async () => {
    const project = new Project(answering);
    project.create("c_1");
    project.say("c_1", "one");
    const first = await project.perform("c_1");
    expect(project.errors).toEqual([]);
    project.say("c_1", "two");
    await project.perform("c_1");
    expect(project.texts("c_1")).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(project.conversations.get({ id: "c_1" })).toMatchObject({ state: "idle", history: 4, queued: 0 });
    expect(project.conversations.messages({ id: "c_1" }).map(({ state }) => state)).toEqual(["said", "said"]);
    const events = project.events("c_1");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
    const ofFirst = events.filter(({ run }) => run === first).map(({ type }) => type);
    const published = ofFirst.filter(
      (type) => type !== "trace" && type !== "context.usage" && type !== "decision",
    );
    expect(published).toEqual([
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

const contracted = `
let outputs = [
  {id: "tidy", predicate: {type: "custom", check: { _ -> false }}},
  {id: "report", predicate: {type: "file_exists", path: "report.md"}},
]
pipeline main(task) {
  llm_mock({text: "Not yet."})
  let contract = task == "and?" ? {} : {contract: {goal: "Write it.", required_outputs: outputs}}
  agent_loop(task, nil, {provider: "mock", max_iterations: 1}.merge(contract))
}
`;

describe("a contract whose check is a function", () => {
  it("is said once to end with the run; what is looked at otherwise is not named", async () => {
    const project = new Project(contracted);
    project.create("c_1");
    const notices = (run: string) =>
      project
        .events("c_1")
        .flatMap((one) => (one.run === run && one.type === "notice" ? [one.data.text] : []));
    const runs: string[] = [];
    for (const text of ["go", "again", "and?"]) {
      project.say("c_1", text);
      runs.push(await project.perform("c_1"));
    }
    expect(runs.map(notices)).toEqual([
      [
        "agent_loop: `tidy` of the contract is checked by a function, which the next message of this conversation does not have: " +
          "unless its loop is given the contract again, it stays as it was seen last; `command`, `file_exists`, `contains_text`, " +
          "`tool_result_success` and `json_schema_valid` are kept",
      ],
      [],
      [],
    ]);
  });
});

const stepping = `
pipeline main(task) {
  llm_mock({text: "", tool_calls: [{name: "wait", arguments: {}}]})
  llm_mock({text: "done"})
  var registry = tool_registry()
  registry = tool_define(registry, "wait", "Waits for a file", {
    parameters: {},
    handler: fn(_args) {
      write_file("begun.txt", "x")
      while !file_exists("go.txt") { sleep(10) }
      return "waited"
    },
  })
  agent_loop(task, nil, {provider: "mock", tools: registry, tool_format: "native"})
}
`;

describe("a message that comes while a run works", () => {
  it("is said in front of the next model call, waits no longer, and a replay of the run hears it too", async () => {
    const project = new Project(stepping);
    project.create("c_1");
    project.say("c_1", "first");
    const { run, ended } = project.start("c_1");
    await until(() => existsSync(join(project.folder, "begun.txt")));
    project.say("c_1", "second", "step");
    project.say("c_1", "third");
    await until(() => project.conversations.messages({ id: "c_1" })[1]?.state === "taken");
    writeFileSync(join(project.folder, "go.txt"), "");
    expect(await ended).toBe(0);
    expect(project.errors).toEqual([]);
    project.conversations.end({
      id: "c_1",
      run,
      status: "done",
      exitCode: 0,
      error: null,
      how: null,
      now: Date.now(),
    });
    const result = "[result of wait]\nwaited\n[end of wait result]\n";
    expect(project.texts("c_1")).toEqual(["first", "", result, "second", "done"]);
    expect(project.conversations.messages({ id: "c_1" }).map(({ state }) => state)).toEqual([
      "said",
      "said",
      "queued",
    ]);
    expect(project.conversations.get({ id: "c_1" })).toMatchObject({ state: "queued", queued: 1 });
    expect(harn(["replay", run], { cwd: project.folder })).toMatchObject({ status: 0, stderr: "" });
  });
});

const switched = `
pipeline main(task) {
  llm_mock({text: "", tool_calls: [{name: "wait", arguments: {}}]})
  llm_mock({text: "", tool_calls: [{name: "save", arguments: {}}]})
  llm_mock({text: "done"})
  var registry = tool_registry()
  registry = tool_define(registry, "wait", "Waits for the other mode", {
    parameters: {},
    modes: ["plan", "execute"],
    handler: fn(_args) {
      write_file("begun.txt", "x")
      while agent_mode(conversation_info().id) != "execute" { sleep(10) }
      return "waited"
    },
  })
  registry = tool_define(registry, "save", "Saves", {
    parameters: {},
    modes: ["execute"],
    handler: fn(_args) { write_file("saved.txt", "x") },
  })
  agent_loop(task, nil, {provider: "mock", tools: registry, tool_format: "native", modes: true})
}
`;

describe("a mode that people set while a run works", () => {
  it("holds from the next call of a tool on, stands in the log, and a replay has it too", async () => {
    const project = new Project(switched);
    project.create("c_1");
    project.conversations.change({ id: "c_1", changes: { mode: "plan" }, by: "ann", now: Date.now() });
    project.say("c_1", "first");
    const { run, ended } = project.start("c_1");
    await until(() => existsSync(join(project.folder, "begun.txt")));
    expect(existsSync(join(project.folder, "saved.txt"))).toBe(false);
    project.conversations.change({ id: "c_1", changes: { mode: "execute" }, by: "ann", now: Date.now() });
    expect(await ended).toBe(0);
    expect(project.errors).toEqual([]);
    expect(existsSync(join(project.folder, "saved.txt"))).toBe(true);
    const changes = project.events("c_1").filter(({ type }) => type === "mode.changed");
    expect(changes.map(({ data }) => data)).toContainEqual({ from: "plan", to: "execute", by: "person" });
    expect(harn(["replay", run], { cwd: project.folder })).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("a run whose process is killed", () => {
  it("goes on in the same log: every event once, as if nothing had happened", async () => {
    const whole = new Project(stepping);
    whole.create("c_1");
    whole.say("c_1", "first");
    writeFileSync(join(whole.folder, "go.txt"), "");
    await whole.perform("c_1");
    const project = new Project(stepping);
    project.create("c_1");
    project.say("c_1", "first");
    const { process: killed, ended } = project.start("c_1");
    await until(() => project.events("c_1").some(({ type }) => type === "tool.start"));
    killed.kill("SIGKILL");
    await ended;
    writeFileSync(join(project.folder, "go.txt"), "");
    await project.perform("c_1");
    const ofLoops = (one: Project): unknown[] =>
      one
        .events("c_1")
        .flatMap(({ loop, call, turn, type, data }) =>
          loop === null || data.status === "interrupted"
            ? []
            : [{ loop, call, turn, type, data: timeless(data) }],
        );
    expect(ofLoops(project)).toEqual(ofLoops(whole));
    expect(project.texts("c_1")).toEqual(whole.texts("c_1"));
    const types = project.events("c_1").map(({ type }) => type);
    expect(types.filter((type) => type === "run.resumed")).toHaveLength(1);
    // What the kill left open was ended before the run went on, and got its real end after.
    const calls = project.events("c_1").filter(({ type }) => type === "tool.end");
    expect(calls.map(({ data }) => data.status)).toEqual(["interrupted", "ok"]);
  });
});

const timeless = (data: StoredEnvelope["data"]): unknown =>
  JSON.parse(JSON.stringify(data, (key, value) => (/_ms$/.test(key) ? 0 : value)));

describe("a fork", () => {
  it("goes like the run up to the event, then lives, with the history that both share", async () => {
    const project = new Project(answering);
    project.create("c_1");
    project.say("c_1", "one");
    await project.perform("c_1");
    project.say("c_1", "two");
    const run = await project.perform("c_1");
    const asked = project
      .events("c_1")
      .find((event) => event.run === run && event.type === "message.end" && event.data.role === "user");
    const point = project.conversations.forkPoint("c_1", { event: asked?.seq ?? 0 });
    expect(point.run).toBe(run);
    const { step, event } = point;
    const more = { provider: null, model: null, set: {}, result: null, workspace: null, title: "Other" };
    const fork = {
      id: "c_2",
      from: "c_1",
      event,
      step,
      run: "run-fork",
      owner: "bob",
      now: Date.now(),
      ...more,
    };
    expect(project.conversations.fork(fork)).toMatchObject({ state: "queued", history: 2, title: "Other" });
    await project.perform("c_2");
    expect(project.conversations.get({ id: "c_2" })).toMatchObject({
      state: "idle",
      owner: "bob",
      history: 4,
    });
    expect(project.texts("c_2")).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(
      project
        .events("c_2")
        .map(({ type }) => type)
        .slice(0, 3),
    ).toEqual(["conversation.created", "conversation.state", "run.start"]);
    expect(project.events("c_2").filter(({ type }) => type === "loop.end")).toHaveLength(1);
    // The other one goes, what was shared stays.
    project.conversations.discard("c_1");
    expect(project.texts("c_2")).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(() => project.conversations.forkPoint("c_2", { event: 99 })).toThrow(/there is no event 99/);
  });
});

const nested = `
fn child(task) {
  llm_mock({text: "child says " + task})
  return agent_loop(task, nil, {provider: "mock"}).answer
}
pipeline main(task) {
  var registry = tool_registry()
  registry = tool_define(registry, "ask", "Asks", {
    parameters: {q: "string"},
    handler: fn(args) { child(args.q) + " " + repeat("ä", 20000) },
  })
  registry = tool_define(registry, "fail", "Fails", {parameters: {}, handler: fn(_args) { throw "no" }})
  llm_mock({text: "", tool_calls: [{name: "ask", arguments: {q: "one"}}, {name: "fail", arguments: {}}]})
  llm_mock({text: "", tool_calls: [{name: "nothing", arguments: {}}]})
  llm_mock({text: "end"})
  agent_loop(task, nil, {provider: "mock", tools: registry, tool_format: "native"})
}
`;

const judged = `
pipeline main(task) {
  llm_mock({text: "a first answer"})
  llm_mock({text: "{\\"verdict\\": \\"continue\\", \\"reasoning\\": \\"more\\"}"})
  llm_mock({text: "a second answer"})
  llm_mock({text: "{\\"verdict\\": \\"done\\", \\"reasoning\\": \\"fine\\"}"})
  parallel each [1, 2] { n ->
    agent_loop("side \${n}", nil, {provider: "mock", max_iterations: 1})
  }
  agent_loop(task, nil, {provider: "mock", done_judge: true, max_iterations: 3})
}
`;

describe("a log that is made again from the journal", () => {
  it.each([
    ["with nested loops, long results and refused calls", nested],
    ["with judges and loops side by side", judged],
    ["with tools", stepping],
  ])("has the loop events that were written live: %s", async (_name, script) => {
    const project = new Project(script);
    writeFileSync(join(project.folder, "go.txt"), "");
    project.create("c_1");
    project.say("c_1", "first");
    const run = await project.perform("c_1");
    expect(project.errors).toEqual([]);
    const byLoop = (events: readonly StoredEnvelope[]): Record<string, unknown[]> => {
      const loops: Record<string, unknown[]> = {};
      for (const { loop, call, turn, parent, type, data } of events) {
        if (loop === null) continue;
        loops[loop] ??= [];
        loops[loop].push({ parent, call, turn, type, data: timeless(data) });
      }
      return loops;
    };
    const live = byLoop(project.events("c_1"));
    expect(Object.keys(live).length).toBeGreaterThan(0);
    project.conversations.discard("c_1");
    await project.rebuild(run);
    const made = project.events(`run:${run}`);
    expect(byLoop(made)).toEqual(live);
    expect([made[0]?.type, made.at(-1)?.type]).toEqual(["run.start", "run.end"]);
    expect(made.at(-1)?.data).toMatchObject({ status: "done", exit_code: 0 });
    // Made once more, nothing is there twice.
    await project.rebuild(run);
    expect(project.events(`run:${run}`)).toEqual(made);
  });

  it("keeps long texts whole beside it", async () => {
    const project = new Project(nested);
    project.create("c_1");
    project.say("c_1", "first");
    await project.perform("c_1");
    const end = project.events("c_1").find(({ type, data }) => type === "tool.end" && data.name === "ask");
    const result = end?.data.result as {
      readonly ref: string;
      readonly bytes: number;
      readonly head: string;
    };
    const whole = project.conversations.text("c_1", result.ref) ?? "";
    expect(whole).toContain("ä".repeat(20_000));
    expect(result).toMatchObject({
      bytes: new TextEncoder().encode(whole).length,
      head: whole.slice(0, 1024),
    });
    expect(project.conversations.text("c_2", result.ref)).toBeUndefined();
  });
});
