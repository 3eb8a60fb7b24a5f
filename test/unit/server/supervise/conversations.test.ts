/** A server's children: one run a message, in order, answered while they live, resumed whoever dies. */
// suite: processes
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { poolMark } from "../../../../src/host/index.ts";
import { freeze } from "../../../support/freeze.ts";
import type { ServedProcess } from "../../../support/served.ts";
import { childrenOf, marked, type ServedOptions, ServedProject, until } from "../../../support/served.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const folders = tempFolders("served");
let project: ServedProject;
const open = (
  scripts: { readonly [agent: string]: string },
  options: Partial<ServedOptions> = {},
): ServedProject => {
  project = new ServedProject(folders(), scripts, options);
  return project;
};
afterEach(() => project.close());

/** In a script: works until the test lets it go, however busy the machine is. */
const untilGo = 'while !file_exists("go") { sleep(20) }';

const idle = (one: ServedProject, id: string, server?: ServedProcess): Promise<void> =>
  until(
    () => one.stateOf(id) === "idle",
    () => `${one.stateOf(id)}\n${server?.output}`,
  );

const runsOf = (one: ServedProject, id: string): string[] =>
  one.conversations.runs({ id }).map(({ run }) => run);

describe("a message", () => {
  it("is a run of the script, told in order, and the next one waits for its end", async () => {
    const one = open({ echo: 'append_file("log.txt", "${argv[0]}\\n")\nprintln("said ${argv[0]}")' });
    const server = await one.serve();
    const id = one.open("echo", "one");
    one.say(id, "two");
    await idle(one, id, server);
    expect(one.read("log.txt")).toBe("one\ntwo\n");
    const run = ["message.taken", "run.start", "conversation.state", "run.end", "conversation.state"];
    expect(one.types(id).slice(-10)).toEqual([...run, ...run]);
    expect(one.ofType(id, "run.end").map(({ data }) => data.status)).toEqual(["done", "done"]);
    await server.stop();
    expect(childrenOf(server)).toEqual([]);
  });

  it("reaches the entry pipeline by name", async () => {
    const one = open({
      flow: 'pipeline main(task, prompt, session_id, config) {\n  write_file("got.txt", "${task} ${prompt == task} ${session_id} ${config}")\n}\n',
    });
    await one.serve();
    const id = one.open("flow", "do it");
    await idle(one, id);
    expect(one.read("got.txt")).toBe(`do it true ${id} {}`);
  });

  it("whose agent did not do its work leaves it idle, and its end says how the agent ended", async () => {
    const failed =
      'llm_mock({error: {category: "auth", message: "no such key", address: "http://m.test/v1"}})';
    const one = open({
      refused: `${failed}\nlet status = agent_loop("hello").status`,
      well: 'llm_mock({text: "Hello."})\nagent_loop("hello")',
    });
    const server = await one.serve();
    const why = "no such key (http://m.test/v1)";
    const [refused, well] = [one.open("refused", "go"), one.open("well", "go")];
    for (const id of [refused, well]) await idle(one, id, server);
    const end = (id: string) => one.ofType(id, "run.end").at(-1)?.data;
    expect(end(refused)).toEqual({ status: "done", exit_code: 0, error: why, outcome: "failed" });
    expect(one.ofType(refused, "loop.end").at(-1)?.data.error).toMatchObject({
      message: "no such key",
      address: "http://m.test/v1",
      category: "auth",
      status: null,
    });
    expect(one.conversations.mustGet(refused)).toMatchObject({ state: "idle", why, outcome: "failed" });
    expect(end(well)).toEqual({ status: "done", exit_code: 0, error: null, outcome: null });
    expect(one.conversations.mustGet(well)).toMatchObject({ state: "idle", why: "", outcome: null });
  });

  it("waits for its turn: no more runs at once than there may be, in the order in which they came", async () => {
    const one = open(
      { step: 'append_file("log.txt", "+${argv[0]} ")\nsleep(50)\nappend_file("log.txt", "-${argv[0]} ")' },
      { jobs: 1 },
    );
    const ids = ["a", "b", "c", "d"].map((text) => one.open("step", text));
    await one.serve();
    await until(() => ids.every((id) => one.stateOf(id) === "idle"));
    expect(one.read("log.txt")).toBe("+a -a +b -b +c -c +d -d ");
  });

  it("whose script fails, does not parse, is gone or takes too long leaves it failed, and said why", async () => {
    const one = open(
      {
        throws: 'throw "no good"',
        broken: "fn (",
        long: "sleep(1h)",
        large:
          'var all = []\nwhile true {\n  all = all + ["x".repeat(1000000) + to_string(len(all))]\n  sleep(1)\n}',
        good: 'append_file("log.txt", "good")',
        gone: "",
      },
      { timeout: 4000 },
    );
    const server = await one.serve();
    rmSync(join(one.folder, "gone.harn"));
    const errors: [string, RegExp][] = [
      ["throws", /no good/],
      ["broken", /expected|HARN-PAR/],
      ["gone", /gone\.harn/],
      ["long", /it took too long/],
    ];
    const ids = errors.map(([agent]) => one.open(agent, "x"));
    await until(
      () => ids.every((id) => one.stateOf(id) === "failed"),
      () => server.output,
    );
    for (const [n, [, error]] of errors.entries()) {
      const end = one.ofType(ids[n] as string, "run.end").at(-1);
      expect(end?.data).toMatchObject({ status: "failed", error: expect.stringMatching(error) });
    }
    // What is said next begins anew, and others were not touched.
    const good = one.open("good", "x");
    await idle(one, good);
    expect(one.read("log.txt")).toBe("good");
  });
});

describe("a run that is parked", () => {
  it("ends where it is and stays so, also for another server, until somebody asks it to go on", async () => {
    const one = open({
      slow: `append_file("log.txt", "a ")
try { ${untilGo} } finally { append_file("log.txt", "unwound ") }
append_file("log.txt", "b")`,
    });
    const first = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "a ");
    // As another process does it: the server sees what was written.
    one.conversations.pause({ id, interrupt: "i_1", by: "root", reason: "revoked", now: Date.now() });
    await until(
      () => one.stateOf(id) === "paused",
      () => first.output,
    );
    expect(one.conversations.mustGet(id).why).toBe("revoked");
    expect(one.conversations.interrupts()).toEqual([]);
    await first.stop();
    const second = await one.serve();
    one.write("go", "");
    const other = one.open("slow", "y");
    await idle(one, other, second);
    expect(one.stateOf(id)).toBe("paused");
    one.conversations.resume({ id, now: Date.now() });
    await idle(one, id, second);
    expect(one.read("log.txt")).toBe("a a unwound bunwound b");
    expect(runsOf(one, id)).toHaveLength(1);
    expect(one.types(id)).toContain("run.resumed");
  });
});

describe("what a tool's program prints", () => {
  it("is told while it runs, by call, secrets by name, and is in no log", async () => {
    const one = new ServedProject(
      folders(),
      {
        prints: `fn build(args) {
  let done = shell("echo begun $DEPLOY_TOKEN; while [ ! -e go ]; do sleep 0.05; done; echo over")
  return done.stdout
}
let tools = tool_define(tool_registry(), "build", "Builds.", {parameters: {}, handler: build})
llm_mock({tool_calls: [{name: "build", arguments: {}}]})
llm_mock({text: "done"})
shell("echo outside of every call")
agent_loop(argv[0], nil, {provider: "mock", tools: tools, max_iterations: 3})
`,
      },
      {},
      { DEPLOY_TOKEN: "tok-123456789" },
    );
    project = one;
    const server = await one.serve();
    const id = one.open("prints", "x");
    const printed = () => server.received.filter(({ type }) => type === "tool.output");
    await until(
      () => printed().length > 0,
      () => `${one.stateOf(id)} ${server.output}`,
    );
    expect(one.ofType(id, "tool.start")).toHaveLength(1);
    expect(one.ofType(id, "tool.end")).toEqual([]);
    one.write("go", "");
    await idle(one, id, server);
    const report = printed();
    expect(report.map(({ data }) => (data as { text: string }).text).join("")).toMatch(
      /^begun \{\{secret:DEPLOY_TOKEN\}\}\n(over\n)?$/,
    );
    for (const event of report)
      expect(event).toMatchObject({ stream: id, loop: "l1", turn: 1, call: "l1.1.0" });
    expect(one.types(id)).not.toContain("tool.output");
    expect(JSON.stringify([server.received, one.events(id)])).not.toContain("tok-123456789");
  });
});

describe("a run that eats memory", () => {
  it("is ended, and its conversation says so", async () => {
    const one = open(
      { large: "var all = [1.5]\nwhile true {\n  all = all + all.map({ n -> n * 1.5 })\n  sleep(1)\n}" },
      { memory: 300 },
    );
    const server = await one.serve();
    const id = one.open("large", "x");
    await until(
      () => one.stateOf(id) === "failed",
      () => `${one.stateOf(id)} ${server.output}`,
    );
    expect(one.ofType(id, "run.end").at(-1)?.data.error).toBe("the run was ended: it took too much memory");
  });
});

describe("a question", () => {
  const asks = 'let a = ask_user("Colour?")\nappend_file("log.txt", "${a}\\n")';
  /** What effects gave, without what the background did. */
  const recorded = (one: ServedProject, id: string): string[] =>
    one.store.runs
      .read(runsOf(one, id)[0] as string)
      .records.filter((record) => record.t === "result" && record.p === "0")
      .filter((record) => !("k" in record))
      .map((record) => JSON.stringify({ ...record, w: 0 }));
  const answer = (one: ServedProject, id: string, said: string): void => {
    const [question] = one.conversations.openQuestions(id);
    one.conversations.answer(question?.id ?? "none", said, "ann");
  };

  it("is a row and an event at once; the living run takes the answer, whoever wrote it", async () => {
    const one = open({ asks });
    const server = await one.serve();
    const id = one.open("asks", "x");
    await until(
      () => one.conversations.openQuestions(id).length === 1,
      () => server.output,
    );
    const [question] = one.conversations.openQuestions(id);
    expect(one.ofType(id, "question.asked")[0]?.data).toMatchObject({
      question: question?.id,
      kind: "question",
      prompt: "Colour?",
    });
    expect(one.stateOf(id)).toBe("processing");
    answer(one, id, "red");
    await idle(one, id, server);
    expect(one.read("log.txt")).toBe("red\n");
    expect(one.types(id)).not.toContain("run.resumed");
    expect(one.ofType(id, "question.answered")[0]?.data).toMatchObject({ answer: "red", by: "ann" });
  });

  it("parks the run when nobody answers for long; the answer starts it again, and both ways are recorded alike", async () => {
    const one = open({ asks }, { patienceMs: 200 });
    const server = await one.serve();
    const id = one.open("asks", "x");
    await until(
      () => one.stateOf(id) === "waiting",
      () => server.output,
    );
    expect(one.ofType(id, "run.end")[0]?.data).toMatchObject({ status: "waiting", exit_code: 75 });
    answer(one, id, "blue");
    await idle(one, id, server);
    expect(one.ofType(id, "run.resumed")[0]?.data).toEqual({ because: "answer" });
    const parked = recorded(one, id);
    const first = one.read("log.txt");
    await one.close();
    const living = open({ asks });
    await living.serve();
    const other = living.open("asks", "x");
    await until(() => living.conversations.openQuestions(other).length === 1);
    answer(living, other, "blue");
    await idle(living, other);
    expect(recorded(living, other)).toEqual(parked);
    expect(living.read("log.txt")).toBe(first);
  });

  it.each([
    ["lives", 60_000],
    ["is parked", 100],
  ])(
    "is withdrawn when its run is stopped while it %s, and asked anew by one that goes on",
    async (_how, patienceMs) => {
      const one = open({ asks }, { patienceMs });
      const server = await one.serve();
      const id = one.open("asks", "x");
      await until(
        () =>
          one.stateOf(id) === (patienceMs === 100 ? "waiting" : "processing") &&
          one.ofType(id, "question.asked").length === 1,
        () => server.output,
      );
      const question = one.conversations.openQuestions(id)[0]?.id ?? "none";
      await server.interrupt({ target: { conversation: id }, by: "ann" });
      await until(() => one.stateOf(id) === "interrupted");
      expect(one.ofType(id, "question.withdrawn").map(({ data }) => data)).toEqual([{ question }]);
      expect(one.ofType(id, "question.expired")).toEqual([]);
      expect(one.conversations.question(question)).toBe("withdrawn");
      expect(() => answer(one, id, "late")).toThrow();
      one.conversations.resume({ id, now: Date.now() });
      await until(() => one.ofType(id, "question.asked").length === 2);
      expect(one.conversations.question(question)).toMatchObject({ id: question, answer: null });
      answer(one, id, "red");
      await idle(one, id, server);
      expect(one.read("log.txt")).toBe("red\n");
    },
  );

  it("is asked again by nobody after a kill, and counts once", async () => {
    const one = open({ asks });
    const server = await one.serve();
    const id = one.open("asks", "x");
    await until(() => one.conversations.openQuestions(id).length === 1);
    await server.kill();
    answer(one, id, "green");
    expect(() => answer(one, id, "no")).toThrow();
    await one.serve();
    await idle(one, id);
    expect(one.read("log.txt")).toBe("green\n");
    expect(one.ofType(id, "question.asked")).toHaveLength(1);
  });

  it("about a tool survives a kill; leave for other arguments is leave for those, once", async () => {
    const one = open({
      approves: `fn save(args) {
  append_file("log.txt", args.text + "\\n")
  return "saved"
}
let tools = tool_define(tool_registry(), "save", "Saves.", {parameters: {text: "string"}, handler: save})
llm_mock({tool_calls: [{name: "save", arguments: {text: "model"}}]})
llm_mock({text: "done"})
agent_loop(argv[0], nil, {provider: "mock", tools: tools, max_iterations: 3, approval_policy: {rules: [{ask: "save"}]}})
`,
    });
    const server = await one.serve();
    const id = one.open("approves", "x");
    await until(
      () => one.conversations.openQuestions(id).length === 1,
      () => server.output,
    );
    expect(one.ofType(id, "question.asked")[0]?.data).toMatchObject({
      kind: "approval",
      tool: "save",
      arguments: { text: "model" },
    });
    await server.kill();
    const [question] = one.conversations.openQuestions(id);
    const leave = { approved: true, reviewer: "ann", reason: null, arguments: { text: "person" } };
    one.conversations.answer(question?.id ?? "none", leave, "ann");
    const second = await one.serve();
    await idle(one, id, second);
    expect(one.read("log.txt")).toBe("person\n");
    expect(one.ofType(id, "tool.end").at(-1)?.data.status).toBe("ok");
  });

  it("is what becomes of a doubt about a command or a request", async () => {
    const one = open({
      doubt: 'shell("echo x >> ran.txt; sleep 600")\nappend_file("log.txt", "through\\n")',
    });
    const server = await one.serve();
    const id = one.open("doubt", "x");
    await until(() => one.read("ran.txt") !== "");
    await server.kill();
    const second = await one.serve();
    await until(
      () => one.conversations.openQuestions(id).length === 1,
      () => second.output,
    );
    expect(one.ofType(id, "question.asked")[0]?.data).toMatchObject({ kind: "doubt" });
    // It lives, and is answered while it does.
    answer(one, id, "skip");
    await idle(one, id, second);
    expect(one.read("ran.txt")).toBe("x\n");
    expect(one.read("log.txt")).toBe("through\n");
  });
});

describe("a death", () => {
  it("of the run's process: that run goes on, and nothing is done twice", async () => {
    const one = open({
      slow: `append_file("log.txt", "begin\\n")\n${untilGo}\nappend_file("log.txt", "end\\n")`,
    });
    const server = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "begin\n");
    const owner = one.store.runs.ownerOf(runsOf(one, id)[0] as string) ?? "";
    process.kill(Number(owner.split("/")[1]), "SIGKILL");
    one.write("go", "");
    await idle(one, id, server);
    expect(one.read("log.txt")).toBe("begin\nend\n");
    expect(one.ofType(id, "run.resumed")[0]?.data).toEqual({ because: "crash" });
    expect(runsOf(one, id)).toHaveLength(1);
  });

  it("three times at the same place: it is given up, and goes on when somebody asks for it", async () => {
    const one = open({
      dies: 'append_file("log.txt", "x")\nexec_opts(["sh", "die.sh"], {idempotent: true})\nappend_file("log.txt", "y")',
    });
    // It is safe to run again, so it is; and it kills the run each time.
    one.write("die.sh", "kill -9 $PPID; sleep 5\n");
    const server = await one.serve();
    const id = one.open("dies", "x");
    await until(
      () => one.stateOf(id) === "failed",
      () => `${one.stateOf(id)} ${server.output}`,
    );
    expect(one.ofType(id, "run.resumed")).toHaveLength(2);
    expect(one.ofType(id, "run.end").at(-1)?.data.error).toMatch(/died 3 times/);
    one.write("die.sh", "exit 0\n");
    one.conversations.resume({ id, now: Date.now() });
    await idle(one, id, server);
    expect(one.read("log.txt")).toBe("xy");
  });

  it("of the server: its children end with it, the next one goes on in order", async () => {
    const one = open(
      {
        slow: `append_file("\${argv[0]}.txt", "begin\\n")\n${untilGo}\nappend_file("\${argv[0]}.txt", "end\\n")`,
      },
      { jobs: 2 },
    );
    const ids = ["a", "b", "c"].map((text) => one.open("slow", text));
    const server = await one.serve();
    await until(() => one.read("a.txt") !== "" && one.read("b.txt") !== "");
    await server.kill();
    await until(() => childrenOf(server).length === 0);
    expect(ids.map((id) => one.stateOf(id))).toEqual(["processing", "processing", "queued"]);
    one.write("go", "");
    await one.serve();
    await until(() => ids.every((id) => one.stateOf(id) === "idle"));
    for (const name of ["a", "b", "c"]) expect(one.read(`${name}.txt`)).toBe("begin\nend\n");
    expect(ids.map((id) => one.ofType(id, "run.resumed").length)).toEqual([1, 1, 0]);
  });

  it("of the server while two sub-agents work: both go on, nothing is fetched again, no version of the paper is missing", async () => {
    const fetched: string[] = [];
    const net = createServer((request, response) => {
      fetched.push(request.url ?? "");
      response.end("It blows.");
    });
    await new Promise<void>((ready) => net.listen(0, "127.0.0.1", ready));
    const { port } = net.address() as AddressInfo;
    try {
      const one = open({
        studies: `import { paper_create, paper_versions, paper_write_section } from "std/paper"
let paper = paper_create("Wind", {outline: [{title: "a"}, {title: "b"}]}).id
fn study(part) {
  let page = http_get("http://127.0.0.1:${port}/\${part}")
  append_file("begun.txt", part + "\\n")
  ${untilGo}
  paper_write_section(paper, part, page.body)
  return "studied"
}
let tools = tool_define(tool_registry(), "study", "Studies.", {parameters: {part: "string"}, handler: { args -> study(args.part) }})
parallel each ["a", "b"] { part ->
  let said = { call -> {ok: true, value: call.turn.iteration > 1 ? {text: "done ##DONE##"} : {text: "", tool_calls: [{id: "call_" + part, name: "study", arguments: {part: part}}]}} }
  sub_agent_run("Study " + part, {name: part, provider: "mock", tools: tools, max_iterations: 3, llm_caller: said})
}
write_file("versions.txt", json_stringify(paper_versions(paper).map({ v -> v.n })))
`,
      });
      const server = await one.serve();
      const id = one.open("studies", "x");
      await until(
        () => one.read("begun.txt").length === 4,
        () => `${one.stateOf(id)}\n${server.output}`,
      );
      await server.kill();
      one.write("go", "");
      const second = await one.serve();
      await idle(one, id, second);
      expect(fetched.toSorted()).toEqual(["/a", "/b"]);
      expect(one.ofType(id, "run.resumed")).toHaveLength(1);
      expect(JSON.parse(one.read("versions.txt"))).toEqual([3, 2, 1]);
      expect(one.ofType(id, "paper.changed")).toHaveLength(3);
      // Each was cut off, then came to its end.
      const ends = one.ofType(id, "loop.end").map(({ data }) => data.status);
      expect(ends).toEqual(["interrupted", "interrupted", "done", "done"]);
    } finally {
      net.closeAllConnections();
      await new Promise((closed) => net.close(closed));
    }
  });

  it("of the owner: an interrupt asked of another server is carried out in its place", async () => {
    const one = open({ slow: 'write_file("log.txt", "x")\nsleep(1h)' }, { jobs: 1 });
    const first = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "x");
    // The second one has its hands full.
    const second = await one.serve();
    const other = one.open("slow", "y");
    await until(() => one.stateOf(other) === "processing");
    // Its children do not notice that it is gone: they stand still.
    const tree = (): number[] => marked(`${poolMark}=${one.markOf(id)}`);
    await freeze(tree(), one.state);
    const mark = one.markOf(id);
    await first.kill();
    const answer = await second.interrupt({ target: { conversation: id }, by: "ann" });
    expect(answer.state).toBe("processing");
    await until(
      () => one.stateOf(id) === "interrupted",
      () => second.output,
    );
    expect(marked(`${poolMark}=${mark}`)).toEqual([]);
    expect(one.ofType(id, "run.interrupted")[0]?.data).toMatchObject({ how: "killed", by: "ann" });
    expect(one.stateOf(other)).toBe("processing");
  });
});

describe("a process that stands still past its lease", () => {
  it("is taken over, and writes nothing more when it comes back", async () => {
    const one = open({
      slow: `append_file("log.txt", "begin\\n")\n${untilGo}\nappend_file("log.txt", "end\\n")`,
    });
    const first = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "begin\n");
    const frozen = marked(`${poolMark}=${one.markOf(id)}`);
    await freeze(frozen, one.state);
    await first.kill();
    // As if it ran on another machine: nobody can end it, its lease is over.
    one.store.entries.delete("conversation.child", id);
    const db = new DatabaseSync(join(one.state, "state.db"));
    db.exec("UPDATE run SET owned_until = 0");
    db.close();
    one.write("go", "");
    const second = await one.serve();
    await until(
      () => one.ofType(id, "run.resumed").length === 1 && one.stateOf(id) !== "queued",
      () => second.output,
    );
    for (const pid of frozen) process.kill(pid, "SIGCONT");
    await idle(one, id, second);
    await until(() => frozen.every((pid) => !marked(poolMark).includes(pid)));
    expect(one.read("log.txt")).toBe("begin\nend\n");
    const [run] = one.conversations.runs({ id });
    expect(one.store.runs.readable(run?.run ?? "").damage).toBeUndefined();
    expect(one.ofType(id, "run.end").map(({ data }) => data.status)).toEqual(["done"]);
  });
});

describe("a server that ends", () => {
  it("lets runs come to their end, and takes nothing new", async () => {
    const one = open(
      { slow: `append_file("log.txt", "begin ")\n${untilGo}\nappend_file("log.txt", "end ")` },
      { jobs: 1 },
    );
    const server = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "begin ");
    const next = one.open("slow", "y");
    const stopped = server.stop("drain");
    // It takes its messages in order: when it has answered this one, it drains.
    await server.interrupt({ target: { conversation: "c_none" }, by: "ann" }).catch(() => {});
    one.write("go", "");
    await stopped;
    expect(one.read("log.txt")).toBe("begin end ");
    expect([one.stateOf(id), one.stateOf(next)]).toEqual(["idle", "queued"]);
    expect(await server.ended).toBe(0);
  });

  it("stops those that take longer where they are; they go on by themselves at the next start", async () => {
    const script = `try {\n  append_file("log.txt", "begin ")\n  ${untilGo}\n  append_file("log.txt", "end ")\n} finally {\n  append_file("log.txt", "finally ")\n}`;
    const one = open({ slow: script }, { drainMs: 300 });
    const server = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "begin ");
    await server.stop("drain");
    expect(one.stateOf(id)).toBe("queued");
    // Nothing unwound: it is not over.
    expect(one.read("log.txt")).toBe("begin ");
    expect(childrenOf(server)).toEqual([]);
    one.write("go", "");
    await one.serve();
    await idle(one, id);
    expect(one.read("log.txt")).toBe("begin end finally ");
    expect(one.types(id)).not.toContain("run.interrupted");
  });

  it("ends at once when it is told a second time", async () => {
    const one = open({ slow: 'append_file("log.txt", "begin ")\nsleep(1h)' });
    const server = await one.serve();
    const id = one.open("slow", "x");
    await until(() => one.read("log.txt") === "begin ");
    server.send({ stop: "drain" });
    server.send({ stop: "now" });
    await server.ended;
    expect(one.stateOf(id)).toBe("queued");
    expect(childrenOf(server)).toEqual([]);
  });
});
