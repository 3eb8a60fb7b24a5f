/** Durable event logs: numbers go on from run to run, several writers at once, and a replay touches none of it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createNodeHost } from "../../../src/host/index.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { recordAndReplayScript } from "../../support/replay-script.ts";
import { runScript } from "../../support/run-script.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("event-log");

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

const run = (text: string, backend: string) => {
  const env = new Map([
    ["HARN_EVENT_LOG_BACKEND", backend],
    ["HARN_EVENT_LOG_DIR", join(folder, "events")],
  ]);
  return runScript(text, { runtime: { host: createNodeHost({ cwd: folder, env }) } });
};

describe.each(["file", "sqlite"])("the event log as %s", (backend) => {
  it("goes on where the last run ended", async () => {
    const first = await run(
      `println(event_log.emit("a/b", "one", {n: 1.0, s: "ä"}))\nprintln(event_log.emit("c", "x"))`,
      backend,
    );
    expect(first.stdout).toBe("1\n1\n");
    const second = await run(
      `println(event_log.emit("a/b", "two"))
       println(event_log.read("a/b").map({ e -> [e.id, e.kind, e.payload] }))
       println(event_log.topics())
       println(event_log.latest("a/b").kind)
       println(event_log.describe().topics)`,
      backend,
    );
    expect(second.error).toBe("");
    expect(second.stdout).toBe(
      "2\n[[1, one, {n: 1.0, s: ä}], [2, two, nil]]\n[a/b, c]\ntwo\n{a/b: 2, c: 1}\n",
    );
  });

  it("shows a subscriber what another run writes", async () => {
    const reader = run(`println(event_log.subscribe("t").next().value.kind)`, backend);
    const writer = await run(`event_log.emit("t", "from elsewhere")`, backend);
    expect(writer.error).toBe("");
    expect((await reader).stdout).toBe("from elsewhere\n");
  });

  it("carries waitpoints from run to run", async () => {
    await run(`waitpoint_create("go")`, backend);
    const waiting = run(`println(waitpoint_wait("go", {timeout: 10s}).waitpoints[0].value)`, backend);
    const other = await run(`waitpoint_complete("go", {value: [1, "x"]})`, backend);
    expect(other.error).toBe("");
    expect((await waiting).stdout).toBe("[1, x]\n");
    const late = await run(
      `println(waitpoint_wait("go", {timeout: 20}).status)
      println(event_log.subscribe({topic: "waitpoint.events", from_cursor: 1}).next().value.kind)`,
      backend,
    );
    expect(late.stdout).toBe("completed\ncompleted\n");
  });

  it("keeps numbers apart when runs write at once", async () => {
    const emit = `for i in range(20) { event_log.emit("t", "k") }`;
    await Promise.all([run(emit, backend), run(emit, backend)]);
    const ids = await run(
      `println(event_log.read("t").map({ e -> e.id }).to_list() == range(1, 41).to_list())`,
      backend,
    );
    expect(ids.stdout).toBe("true\n");
  });
});

describe("the event log", () => {
  it("passes over a torn line of a file", async () => {
    await run(`event_log.emit("t", "one")`, "file");
    const path = join(folder, "events", "t.jsonl");
    writeFileSync(path, `${readFileSync(path, "utf8")}\n{"id": 2, "ki`);
    const after = await run(
      `println([event_log.emit("t", "two"), event_log.read("t").map({ e -> e.kind })])`,
      "file",
    );
    expect(after.stdout).toBe("[2, [one, two]]\n");
  });

  it("says that a file is no database", async () => {
    await run(`event_log.emit("t", "one")`, "sqlite");
    const [file] = readdirSync(join(folder, "events")).filter((name) => name.endsWith(".sqlite"));
    for (const name of readdirSync(join(folder, "events"))) rmSync(join(folder, "events", name));
    writeFileSync(join(folder, "events", String(file)), "not a database ".repeat(100));
    const after = await run(`event_log.emit("t", "two")`, "sqlite");
    expect(after.error).toMatch(
      /event_log: the store .*events\.sqlite cannot be used: it is no store of harn/,
    );
  });

  it("takes over what an older version of harn has kept", async () => {
    mkdirSync(join(folder, "events"));
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const old = new DatabaseSync(join(folder, "events", "events.sqlite"));
    old.exec(
      "CREATE TABLE events (topic TEXT, id INTEGER, kind TEXT, payload TEXT, headers TEXT, at_ms REAL)",
    );
    old.exec(`INSERT INTO events VALUES ('t', 1, 'old', '{"n":1}', '{}', 5.0)`);
    old.close();
    const after = await run(
      `println([event_log.emit("t", "new"), event_log.read("t").map({ e -> [e.kind, e.payload, e.occurred_at_ms == 5] })])`,
      "sqlite",
    );
    expect(after.stdout).toBe("[2, [[old, {n: 1}, true], [new, nil, false]]]\n");
  });

  it("takes a file over that somebody edited, and says so", async () => {
    await run(`event_log.emit("t", "one")`, "file");
    const path = join(folder, "events", "t.jsonl");
    writeFileSync(path, `{"id": 1, "kind": "edited", "payload": 5, "headers": {}, "atMs": 7}`);
    const after = await run(
      `println([event_log.emit("t", "two"), event_log.read("t").map({ e -> e.kind })])`,
      "file",
    );
    expect(after.stdout).toBe("[2, [edited, two]]\n");
    expect(after.stderr).toBe(`harn: ${path} was changed by others; it counts as it is\n`);
  });

  it("names the backends when it knows none of that name", async () => {
    const after = await run(`event_log.emit("t", "two")`, "postgres");
    expect(after.error).toContain(
      "event_log: unknown HARN_EVENT_LOG_BACKEND 'postgres'; expected memory, file or sqlite",
    );
  });

  it.each(["memory", "file"])("with events of agents (%s) is replayed", async (backend) => {
    const host = createMemoryHost({ env: { HARN_EVENT_LOG_BACKEND: backend } });
    const both = await recordAndReplayScript(
      `event_log.topics()
       llm_mock({text: "hello"})
       agent_loop("go", nil, {provider: "mock"})
       let events = event_log.read("agent.events")
       println(events.map({ e -> [e.id, e.kind, e.occurred_at_ms > 0] }))
       println(events.map({ e -> e.occurred_at_ms }))`,
      host,
    );
    expect(both.recorded.error).toBe("");
    expect(both.recorded.stdout).toContain("[1, iteration_start, true]");
    expect(both.replayed.stdout).toBe(both.recorded.stdout);
  });

  it("is replayed without its files", async () => {
    const env = { HARN_EVENT_LOG_BACKEND: "file" };
    const both = await recordAndReplayScript(
      `event_log.emit("t", "one")
       println(event_log.subscribe("t").next().value.kind)
       println(event_log.read("t").map({ e -> e.id }))`,
      createMemoryHost({ env }),
    );
    expect(both.replayed.stdout).toBe(both.recorded.stdout);
    expect(both.recorded.stdout).toBe("one\n[1]\n");
  });
});
