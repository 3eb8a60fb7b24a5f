/**
 * Stop kills: whatever a run is doing, asked of the server that owns it or of another one on the store. Afterwards nobody of its
 * process tree is left, everything that was open in its log has an end, and nothing comes any more.
 */
// suite: processes
import { loadavg } from "node:os";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { poolMark } from "../../../../src/host/index.ts";
import { freeze } from "../../../support/freeze.ts";
import {
  type ProviderServer,
  type Scenario,
  startProviderServer,
} from "../../../support/provider-server/index.ts";
import { marked, type ServedProcess, ServedProject, until } from "../../../support/served.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const tools = (name: string, body: string): string => `fn work(args) {
${body}
}
let tools = tool_define(tool_registry(), "${name}", "Works.", {parameters: {}, handler: work})
`;
const loop = "agent_loop(argv[0], nil, {tools: tools, max_iterations: 3})\n";

const bare = "agent_loop(argv[0], nil, {max_iterations: 3})\n";

const calls = (name: string): Scenario => ({
  kind: "answer",
  calls: [{ id: "call_1", name, args: "{}" }],
  stop: "tool_use",
});
const silent: Scenario = { kind: "hang" };

interface Way {
  readonly script: string;
  readonly model?: readonly Scenario[];
  /** Looked at until it is so: then it is stopped. */
  readonly at: () => boolean;
  /** Whether the process of the run stands still by then. */
  readonly frozen?: boolean;
  readonly how?: "unwound" | "killed";
}

const wrote = (file: string) => (): boolean => project.read(file) !== "";
const requests = (count: number) => (): boolean => provider.seen.length - seenBefore >= count;

const ways: { readonly [name: string]: Way } = {
  "a model that streams": {
    script: bare,
    model: [{ kind: "answer", text: "word ".repeat(4000), piece: 5, paceMs: 20 }],
    at: () => servers.some(({ received }) => received.some(({ type }) => type === "message.delta")),
  },
  "a model that is silent": { script: bare, model: [silent], at: requests(1) },
  "a hanging tool": {
    script: tools("work", '  write_file("hang.txt", "x")\n  sleep(1h)') + loop,
    model: [calls("work")],
    at: wrote("hang.txt"),
  },
  "a shell that ignores TERM": {
    script:
      tools("work", "  shell(\"trap '' TERM INT HUP; echo x > term.txt; while :; do sleep 1; done\")") + loop,
    model: [calls("work")],
    at: wrote("term.txt"),
  },
  "children in sessions of their own": {
    script:
      tools("work", '  shell("setsid sleep 600 & setsid -f sleep 600; echo x > setsid.txt; sleep 600")') +
      loop,
    model: [calls("work")],
    at: wrote("setsid.txt"),
  },
  "a script that computes for ever": {
    script: 'write_file("compute.txt", "x")\nvar n = 0\nwhile true {\n  n = n + 1\n}\n',
    at: wrote("compute.txt"),
  },
  "a finally block that never ends": {
    script:
      'try {\n  write_file("finally.txt", "x")\n  sleep(1h)\n} finally {\n  while true {\n    sleep(1s)\n  }\n}\n',
    at: wrote("finally.txt"),
  },
  "nested sub-agents": {
    script: tools("work", '  return sub_agent_run("look", {max_iterations: 2}).summary') + loop,
    model: [calls("work"), silent],
    at: requests(2),
  },
  "background sub-agents": {
    script: `sub_agent_run("one", {background: true, max_iterations: 2})
sub_agent_run("two", {background: true, max_iterations: 2})
${bare}`,
    model: [silent, silent, silent],
    at: requests(3),
  },
  "a process that stands still": {
    script: bare,
    model: [silent],
    at: requests(1),
    frozen: true,
    how: "killed",
  },
  "a question": {
    script: 'ask_user("Go on?")\n',
    at: () => project.conversations.openQuestions(current).length > 0,
  },
  "several programs at once": {
    script: `parallel each [1, 2, 3] { n -> shell("echo x >> many\${n}.txt; sleep 600") }\n`,
    at: () => ["many1.txt", "many2.txt", "many3.txt"].every((file) => project.read(file) !== ""),
  },
};

const folder = tempFolder("stop");
let provider: ProviderServer;
let project: ServedProject;
let servers: ServedProcess[];
let current = "";
let seenBefore = 0;

beforeAll(async () => {
  provider = await startProviderServer();
  const scripts = Object.fromEntries(Object.values(ways).map(({ script }, n) => [`way${n}`, script]));
  const flags = { provider: "local", model: "m", baseUrl: `${provider.url}/v1` };
  project = new ServedProject(
    folder,
    {
      ...scripts,
      other:
        'append_file("other.txt", "begun\\n")\nwhile !file_exists("go") { sleep(20) }\nappend_file("other.txt", "ended\\n")\n',
    },
    { flags, jobs: 4 },
  );
  servers = [await project.serve(), await project.serve()];
});
afterEach(() => provider.clear());
afterAll(async () => {
  await project.close();
  await provider.close();
});

/** Which server's child works for a conversation, and its mark. */
function ownerOf(id: string): {
  readonly owner: ServedProcess;
  readonly other: ServedProcess;
  readonly mark: string;
} {
  const { mark } = project.store.entries.get("conversation.child", id) as { readonly mark: string };
  const [a, b] = servers as [ServedProcess, ServedProcess];
  return mark.startsWith(`${a.child.pid}-`) ? { owner: a, other: b, mark } : { owner: b, other: a, mark };
}

/** What the bound allows on a machine that has nothing else to do; on a busy one it only has to end. */
const boundMs = (): number => ((loadavg()[0] as number) > 3 ? 20_000 : 2000);

describe.each(Object.keys(ways))("stopping %s", (name) => {
  it.each(["owner", "other"] as const)("asked of the %s", async (whom) => {
    const way = ways[name] as Way;
    const number = Object.keys(ways).indexOf(name);
    for (const file of ["hang", "term", "setsid", "compute", "finally", "many1", "many2", "many3"])
      project.write(`${file}.txt`, "");
    for (const server of servers) server.received.length = 0;
    seenBefore = provider.seen.length;
    provider.next(...(way.model ?? []));
    current = project.open(`way${number}`, "go");
    const id = current;
    await until(
      way.at,
      () => `${name}: ${project.stateOf(id)} ${servers.map(({ output }) => output).join("\n")}`,
    );
    const { [whom]: server, mark } = ownerOf(id);
    const tree = (): number[] => marked(`${poolMark}=${mark}`);
    expect(tree().length).toBeGreaterThan(0);
    if (way.frozen === true) await freeze(tree(), project.state);
    const answer = await server.interrupt({ target: { conversation: id }, by: "ann", reason: "enough" });
    expect(answer).toMatchObject({ interrupt: expect.stringMatching(/^i_/), state: "processing" });
    await until(() => project.stateOf(id) === "interrupted");
    expect(tree()).toEqual([]);
    const log = project.events(id);
    const stopped = log.findIndex(({ type }) => type === "run.interrupted");
    expect(log[stopped]?.data).toMatchObject({
      by: "ann",
      reason: "enough",
      how: way.how ?? expect.any(String),
    });
    expect(log[stopped]?.data.ms).toBeLessThan(boundMs());
    expect(log.slice(stopped).map(({ type }) => type)).toEqual([
      "run.interrupted",
      "run.end",
      "conversation.state",
    ]);
    for (const [begin, end, key] of [
      ["tool.start", "tool.end", "call"],
      ["loop.start", "loop.end", "loop"],
    ] as const) {
      const keys = (type: string): unknown[] =>
        log.filter((event) => event.type === type).map((event) => event[key]);
      expect(keys(end).sort()).toEqual(keys(begin).sort());
    }
    expect(project.conversations.interrupts()).toEqual([]);
    // Once more changes nothing.
    expect(await server.interrupt({ target: { conversation: id }, by: "bob" })).toEqual({
      state: "interrupted",
    });
    expect(project.events(id).length).toBe(log.length);
  });
});

describe("what does not run", () => {
  it("is stopped where it waits, and its messages stay until somebody resumes or says more", async () => {
    const one = project;
    const busy = Array.from({ length: 8 }, () => one.open("other", "busy"));
    await until(() => busy.filter((id) => one.stateOf(id) === "processing").length >= 8);
    const id = one.open("other", "waits");
    const [server] = servers as [ServedProcess];
    const answer = await server.interrupt({ target: { conversation: id }, by: "ann" });
    expect(answer.state).toBe("interrupted");
    expect(one.ofType(id, "run.interrupted")[0]?.data).toMatchObject({ how: "idle" });
    one.write("go", "");
    await until(() => busy.every((each) => one.stateOf(each) === "idle"));
    expect(one.stateOf(id)).toBe("interrupted");
    one.conversations.resume({ id, now: Date.now() });
    await until(() => one.stateOf(id) === "idle");
    // The others were not touched.
    expect(
      one
        .read("other.txt")
        .split("\n")
        .filter((line) => line === "ended"),
    ).toHaveLength(9);
  });

  it("is said so when nothing is to be stopped, and when there is no such conversation or run", async () => {
    const [server] = servers as [ServedProcess];
    const id = project.open("other", "x");
    project.write("go", "");
    await until(() => project.stateOf(id) === "idle");
    expect(await server.interrupt({ target: { conversation: id }, by: "ann" })).toEqual({ state: "idle" });
    const [run] = project.conversations.runs({ id });
    expect(await server.interrupt({ target: { run: run?.run ?? "" }, by: "ann" })).toEqual({ state: "done" });
    await expect(server.interrupt({ target: { conversation: "c_none" }, by: "ann" })).rejects.toThrow(
      "c_none",
    );
    await expect(server.interrupt({ target: { run: "run-none" }, by: "ann" })).rejects.toThrow("run-none");
  });
});
