/** A worker's file and `harn run --resume`: the loop goes on in the call that parked, in another process. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../../src/host/index.ts";
import { type Dict, jsonParse, jsonStringify } from "../../../../src/values/index.ts";
import { snapshotDigestOf } from "../../../../src/work/workers/suspension/worker-snapshot.ts";
import type { CliResult } from "../../../support/command-environment.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { harn } from "../../../support/run-cli.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("workers");

let projects = 0;

interface Project {
  readonly cwd: string;
  write(name: string, text: string): void;
  read(name: string): string;
  /** In a process of its own. */
  started(...args: string[]): CliResult;
  harn(...args: string[]): Promise<CliResult>;
  /** The one file of a worker. */
  readonly file: string;
}

function project(script: string): Project {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
  write("a.harn", script);
  return {
    cwd,
    write,
    read: (name) => readFileSync(join(cwd, name), "utf8"),
    started: (...args) => harn(args, { cwd }),
    harn: (...args) => harnHere(args, { cwd }),
    get file() {
      const files = readdirSync(join(cwd, ".harn/workers"));
      expect(files).toHaveLength(1);
      return join(".harn/workers", files[0] as string);
    },
  };
}

/** Logs what it does outside; the mock's answers are part of it. */
const parking = `
fn log(what) { append_file("log.txt", what + "\\n") }
let mine = random_int(1, 1000000)
println("begin \${mine}")
let look = tool_define(tool_registry(), "look", "Looks.", {handler: { _ ->
  log("look")
  return "seen \${mine}"
}})
fn park(why) {
  llm_mock({text: "", tool_calls: [{name: "agent_await_resumption", arguments: {reason: why}}]})
}
llm_mock({text: "first", tool_calls: [{name: "look"}]})
park("the build")
llm_mock({text: "", tool_calls: [{name: "look"}]})
llm_mock({text: "All green."})
let r = agent_loop("Watch.", nil, {tools: look, tool_format: "native"})
log(r.status)
println("\${r.status}: \${r.reason}")
if r.status == "done" {
  println(r.transcript.messages[-4].content)
  println(r.transcript.messages[-2].content.contains("seen \${mine}"))
}
`;

const lines = (result: CliResult): string[] => result.stdout.trimEnd().split("\n");

describe("a suspended loop in another process", () => {
  it("goes on in the call that parked, and the script behind it", () => {
    const one = project(parking);
    const first = one.started("run", "a.harn");
    expect(first.status).toBe(0);
    expect(lines(first)[1]).toBe("suspended: the build");
    const second = one.started("run", "--resume", one.file, "--input", "It is green.");
    expect(second.status).toBe(0);
    // What was printed before the suspension is not printed again.
    expect(lines(second)).toEqual(["done: nil", "It is green.", "true"]);
    expect(one.read("log.txt")).toBe("look\nsuspended\nlook\ndone\n");
    expect(JSON.parse(one.read(one.file))).toMatchObject({ status: "completed", suspension: null });
    // One run, which replays as it went in the end.
    expect(one.started("runs", "list", "--json").stdout.trim().split("\n")).toHaveLength(1);
    expect(lines(one.started("replay", "last"))).toEqual([lines(first)[0], ...lines(second)]);
  });

  it("says what the script has done since, which is not undone", async () => {
    const one = project(parking);
    await one.harn("run", "a.harn");
    const second = await one.harn("run", "--resume", one.file);
    expect(second.stderr).toContain("since the suspension run-");
    expect(second.stderr).toMatch(/write {2}append_file \["log.txt","suspended\\n"\]/);
    expect(second.stderr.match(/append_file/g)).toHaveLength(1);
  });

  it("is found by its id, and is told to go on when nothing is given", async () => {
    const one = project(parking);
    await one.harn("run", "a.harn");
    const id = one.file.replace(/^.*\/(.*)\.json$/, "$1");
    expect(lines(await one.harn("run", "--resume", id))[1]).toBe("Go on with your task.");
    const none = await one.harn("run", "--resume", "worker_of-nobody");
    expect(none.status).toBe(1);
    expect(none.stderr).toContain("there is no worker worker_of-nobody");
  });

  it("may park again and again in one call", async () => {
    const again = parking.replace(
      'park("the build")',
      'park("the build")\npark("the review")\npark("the boss")',
    );
    const one = project(again);
    expect(lines(await one.harn("run", "a.harn"))[1]).toBe("suspended: the build");
    expect(lines(await one.harn("run", "--resume", one.file))).toEqual(["suspended: the review"]);
    expect(lines(await one.harn("run", "--resume", one.file))).toEqual(["suspended: the boss"]);
    expect(lines(await one.harn("run", "--resume", one.file))[0]).toBe("done: nil");
    expect(one.read("log.txt")).toBe("look\nsuspended\nsuspended\nsuspended\nlook\ndone\n");
  });

  it("of a worker goes on where it is waited for; siblings that have finished are not run again", async () => {
    const one = project(`
fn log(what) { append_file("log.txt", what + "\\n") }
llm_mock({text: "", tool_calls: [{name: "note"}]})
llm_mock({text: "quick is done"})
let quick = spawn_agent({name: "quick", task: "Be quick.", node: {mode: "agent", tools: tool_define(tool_registry(), "note", "Notes.", {handler: { _ ->
  log("noted")
  return "noted"
}}), model_policy: {tool_format: "native"}}})
println(wait_agent(quick).status)
llm_mock({text: "", tool_calls: [{name: "agent_await_resumption", arguments: {reason: "a word"}}]})
llm_mock({text: "slow is done"})
let slow = spawn_agent({name: "slow", task: "Be slow.", node: {mode: "agent"}})
let ended = wait_agent(slow)
log(ended.status)
println([ended.status, ended.result?.result?.text, list_agents().map({ a -> a.status })])
`);
    expect(lines(await one.harn("run", "a.harn"))).toEqual([
      "completed",
      "[suspended, , [completed, suspended]]",
    ]);
    const files = readdirSync(join(one.cwd, ".harn/workers"));
    const file = files.find((name) =>
      one.read(join(".harn/workers", name)).includes('"status": "suspended"'),
    );
    const second = await one.harn("run", "--resume", join(".harn/workers", String(file)), "--input", "Now.");
    expect(lines(second)).toEqual(["[completed, slow is done, [completed, completed]]"]);
    expect(one.read("log.txt")).toBe("noted\nsuspended\ncompleted\n");
  });

  it("takes written answers of its own, which a replay keeps", async () => {
    const one = project(`
let r = agent_loop("Watch.")
println([r.status, r.visible_text])
`);
    const call = { name: "agent_await_resumption", arguments: { reason: "a word" } };
    one.write("first.jsonl", `${JSON.stringify({ text: "", tool_calls: [call] })}\n`);
    one.write("second.jsonl", '{"text": "from the second file"}\n');
    expect(lines(await one.harn("run", "--llm-mock", "first.jsonl", "a.harn"))).toEqual(["[suspended, ]"]);
    const second = await one.harn("run", "--resume", one.file, "--llm-mock", "second.jsonl");
    expect(lines(second)).toEqual(["[done, from the second file]"]);
    expect(lines(await one.harn("replay", "last"))).toEqual(["[done, from the second file]"]);
    expect((await one.harn("run", "--resume", one.file, "--llm-mock", "nowhere.jsonl")).status).toBe(1);
  });

  it("shows a script that was edited where it does something else, and does nothing", async () => {
    const one = project(parking);
    await one.harn("run", "a.harn");
    one.write("a.harn", parking.replace('log("look")', 'log("saw")'));
    const second = await one.harn("run", "--resume", one.file);
    expect(second.status).toBe(3);
    expect(second.stderr).toContain("saw");
    expect(JSON.parse(one.read(one.file)).status).toBe("suspended");
    one.write("a.harn", parking.replace("log(r.status)", 'log("now " + r.status)'));
    expect((await one.harn("run", "--resume", one.file)).status).toBe(0);
    expect(one.read("log.txt")).toContain("now done");
  });
});

describe("a suspended loop whose run is not there", () => {
  const alone = parking.replace("tool_format", 'provider: "mock", tool_format');

  it("goes on alone with what it knows; functions are left out and named", async () => {
    const one = project(alone);
    await one.harn("run", "--no-record", "a.harn");
    one.write("mock.jsonl", '{"text": "I did it without tools."}\n');
    const second = await one.harn(
      "run",
      "--resume",
      one.file,
      "--input",
      "Green.",
      "--llm-mock",
      "mock.jsonl",
    );
    expect(second).toMatchObject({ status: 0, stdout: "" });
    expect(second.stderr).toContain("the loop goes on alone");
    expect(second.stderr).toContain("options.tools.tools[0].handler");
    const file = JSON.parse(one.read(one.file));
    expect(file).toMatchObject({
      status: "completed",
      latest_payload: { visible_text: "I did it without tools." },
    });
    const contents = file.transcript.messages.map(({ content }: { content: string }) => content);
    expect(contents[0]).toBe("Watch.");
    expect(contents.slice(-2)).toEqual(["Green.", "I did it without tools."]);
  });

  it("is not taken over when a function guarded it", async () => {
    const one = project(
      alone.replace("tools: look", "tools: look, permissions: {allow: {look: { _ -> true }}}"),
    );
    await one.harn("run", "--no-record", "a.harn");
    const second = await one.harn("run", "--resume", one.file);
    expect(second.status).toBe(1);
    expect(second.stderr).toContain("guarded by a function (options.permissions");
    expect(JSON.parse(one.read(one.file)).status).toBe("suspended");
  });

  it("is not taken over when a function of the agent that it worked for guarded it", async () => {
    const child = `sub_agent_run("Watch.", {tools: look, tool_format: "native", provider: "mock"}).ok`;
    const one = project(`${parking.slice(0, parking.indexOf('llm_mock({text: "first"'))}
let hand = tool_define(tool_registry(), "hand", "Hands over.", {handler: { _ -> ${child} }})
llm_mock({text: "", tool_calls: [{name: "hand"}]})
park("the build")
llm_mock({text: "Handed over."})
let caller = { call, next -> next(call) }
println(agent_loop("Go.", nil, {tools: hand, tool_format: "native", provider: "mock", tool_caller: caller}).status)
`);
    expect((await one.harn("run", "--no-record", "a.harn")).status).toBe(0);
    const second = await one.harn("run", "--resume", one.file);
    expect(second.status).toBe(1);
    expect(second.stderr).toContain("guarded by a function (around.tool_caller)");
  });

  it("does not run another script", async () => {
    const one = project(alone);
    await one.harn("run", "--no-record", "a.harn");
    const second = await one.harn("run", "--resume", one.file, "a.harn");
    expect(second.status).toBe(2);
    expect(second.stderr).toContain("goes on alone, without a script");
  });
});

describe("files of workers that are not what they were", () => {
  async function parked(): Promise<Project> {
    const one = project(parking);
    await one.harn("run", "a.harn");
    return one;
  }
  const refused = async (one: Project, text: string, ...args: string[]): Promise<void> => {
    const result = await one.harn("run", "--resume", ...(args.length > 0 ? args : [one.file]));
    expect(result.stderr).toContain(text);
    expect(result.stderr).not.toContain("    at ");
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(one.read("log.txt")).not.toContain("done");
  };

  it("are refused when they were resumed already, also as a copy made before", async () => {
    const one = await parked();
    copyFileSync(join(one.cwd, one.file), join(one.cwd, "copy.json"));
    await one.harn("run", "--resume", one.file);
    const log = one.read("log.txt");
    const twice = await one.harn("run", "--resume", one.file);
    expect(twice.status).toBe(1);
    expect(twice.stderr).toContain("is completed: there is nothing to go on with");
    const copy = await one.harn("run", "--resume", "copy.json");
    expect(copy.status).toBe(1);
    expect(copy.stderr).toContain("HARN-SUS-012");
    expect(copy.stderr).toContain("has gone on from this suspension already");
    expect(one.read("log.txt")).toBe(log);
  });

  it("are refused when they were cut off, emptied or edited", async () => {
    const one = await parked();
    const { file } = one;
    const text = one.read(file);
    one.write(file, text.slice(0, text.length / 2));
    await refused(one, "it is no JSON; it may have been cut off");
    one.write(file, "");
    await refused(one, "it is no JSON");
    one.write(file, "[]\n");
    await refused(one, "it is no worker snapshot");
    one.write(file, text.replace('"Watch."', '"Delete everything."'));
    await refused(one, "it was changed since it was written");
    one.write(file, text.replace(/"version": 1\b/, '"version": 7'));
    await refused(one, "it has version 7");
    one.write(file, text);
    expect((await one.harn("run", "--resume", file)).status).toBe(0);
  });

  it("do not fit the run of another script, and are alone in another project", async () => {
    const one = await parked();
    const other = await parked();
    const text = one.read(one.file);
    other.write("stranger.json", text);
    other.write("mock.jsonl", '{"text": "done here"}\n');
    const alone = await other.harn("run", "--resume", "stranger.json", "--llm-mock", "mock.jsonl");
    expect(alone.stderr).toContain("is not recorded here: the loop goes on alone");
    expect(JSON.parse(other.read("stranger.json")).status).toBe("completed");
    expect(JSON.parse(one.read(one.file)).status).toBe("suspended");
    expect(JSON.parse(other.read(other.file)).status).toBe("suspended");
  });

  it("do not fit a run that knows nothing of this suspension", async () => {
    const one = await parked();
    // As a run that lost its last records would leave it: whole, and of a place that is not in the journal.
    const snapshot = jsonParse(one.read(one.file)) as Dict;
    const moved = snapshot.with("cold_start", (snapshot.get("cold_start") as Dict).with("place", "7#7"));
    one.write(one.file, jsonStringify(moved.with("digest", snapshotDigestOf(moved, nodeCrypto))));
    await refused(one, "HARN-SUS-011");
    await refused(one, "was not suspended at 7#7");
  });

  it("that are folders, or not there, are errors and no traces", async () => {
    const one = await parked();
    mkdirSync(join(one.cwd, "worker_x.json"));
    const folderNamed = await one.harn("run", "--resume", "worker_x.json");
    expect(folderNamed.status).toBe(1);
    expect(folderNamed.stderr).toContain("worker_x.json can't be read: EISDIR");
    const nothing = await one.harn("run", "--resume", "nowhere/worker_x.json");
    expect(nothing.status).toBe(1);
    expect(nothing.stderr).not.toContain("    at ");
  });

  it("wait for whoever is at work on the run", async () => {
    const one = project(parking.replace("log(r.status)", 'log(r.status)\nprintln("wait")\nsleep(10m)'));
    const first = startHarn(["run", "a.harn"], { cwd: one.cwd });
    await first.shows("wait");
    const second = await one.harn("run", "--resume", one.file);
    expect(second.status).toBe(75);
    expect(second.stderr).toContain("is being worked on by process");
    first.child.kill("SIGKILL");
    await first.ended;
    const third = startHarn(["run", "--resume", one.file], { cwd: one.cwd });
    await third.shows("wait");
    const fourth = await one.harn("run", "--resume", one.file);
    expect(fourth.status).toBe(1);
    third.child.kill("SIGKILL");
    await third.ended;
  });

  it("take no input for what is no worker", async () => {
    const one = await parked();
    const run = await one.harn("run", "--resume", "last", "--input", "x");
    expect(run.status).toBe(2);
    expect(run.stderr).toContain("--input goes with --resume of a worker");
    expect((await one.harn("run", "a.harn", "--input", "x")).status).toBe(2);
  });
});

describe("workers that are at work when their program ends", () => {
  const working = `
llm_mock({text: "half way", tool_calls: [{name: "nap"}]})
llm_mock({text: "the other half"})
let nap = tool_define(tool_registry(), "nap", "Naps.", {handler: { _ ->
  write_file("napping", "")
  while !file_exists("slept") { sleep(20) }
  return "slept"
}})
let w = spawn_agent({task: "Work.", node: {mode: "agent", tools: nap, model_policy: {provider: "mock", tool_format: "native"}}})
while !file_exists("napping") { sleep(20) }
println("over")
`;

  it("are interrupted, with what they have done; a cold start goes on alone", async () => {
    const one = project(working);
    expect((await one.harn("run", "a.harn")).status).toBe(0);
    const file = JSON.parse(one.read(one.file));
    expect(file).toMatchObject({
      status: "interrupted",
      latest_error: "its program ended while it was at work",
    });
    expect(file.transcript.messages.length).toBeGreaterThan(0);
    one.write("mock.jsonl", '{"text": "done at last"}\n');
    const second = await one.harn("run", "--resume", one.file, "--llm-mock", "mock.jsonl");
    expect(second.stderr).toContain("has ended: the loop goes on alone");
    expect(second.status).toBe(0);
    expect(JSON.parse(one.read(one.file))).toMatchObject({ status: "completed", latest_error: null });
  });

  it("go on with their run when that was killed or stopped", async () => {
    for (const signal of ["SIGKILL", "SIGINT"] as const) {
      const one = project(`${working}println(wait_agent(w).result.result.visible_text)\n`);
      const run = startHarn(["run", "a.harn"], { cwd: one.cwd });
      await run.shows("over");
      run.child.kill(signal);
      await run.ended;
      expect(JSON.parse(one.read(one.file)).status).toBe(signal === "SIGKILL" ? "running" : "interrupted");
      one.write("slept", "");
      const second = await one.harn("run", "--resume", one.file);
      expect(second.stderr).toContain("ended too early; the run goes on");
      expect(second.stdout).toContain("the other half");
      expect(second.status).toBe(0);
      expect(JSON.parse(one.read(one.file)).status).toBe("completed");
      expect((await one.harn("run", "--resume", one.file, "--input", "x")).status).toBe(1);
    }
  });

  it("are told as interrupted to scripts of other runs, which may go on with them", async () => {
    const one = project(working);
    await one.harn("run", "a.harn");
    one.write(
      "b.harn",
      'llm_mock({text: "taken over"})\nlet w = wait_agent(resume_agent(argv[0], "Finish."))\nprintln([w.status, w.result.result.visible_text])\n',
    );
    expect((await one.harn("run", "b.harn", "--", one.file)).stdout).toBe("[completed, taken over]\n");
  });
});

describe("a sub-agent that is waited for", () => {
  it("parks with an envelope, and gives its real one in the call that parked", async () => {
    const one = project(`
llm_mock({text: "", tool_calls: [{name: "agent_await_resumption", arguments: {reason: "a key"}}]})
llm_mock({text: "opened"})
let look = tool_define(tool_registry(), "look", "Looks.", {handler: { _ -> "seen" }})
let e = sub_agent_run("Open it.", {name: "opener", tools: look, tool_format: "native"})
println([e.ok, e.summary, e.error?.category, e.handle?.mode, e.handle?.name])
`);
    expect(lines(await one.harn("run", "a.harn"))).toEqual(["[false, , suspended, sub_agent, opener]"]);
    expect(lines(await one.harn("run", "--resume", one.file, "--input", "Here."))).toEqual([
      "[true, opened, nil, nil, nil]",
    ]);
    expect(JSON.parse(one.read(one.file))).toMatchObject({
      status: "completed",
      latest_payload: { ok: true, summary: "opened" },
      transcript: { messages: [{}, {}, {}, { content: "Here." }, { content: "opened" }] },
    });
  });
});

describe("a cold start that is killed", () => {
  it("goes on, too, with what was given to it", async () => {
    const one = project(
      parking
        .replace(
          '  log("look")',
          '  log("look")\n  println("looking")\n  while !file_exists("go") { sleep(20) }',
        )
        .replace('llm_mock({text: "first", tool_calls: [{name: "look"}]})\n', ""),
    );
    expect(lines(await one.harn("run", "a.harn"))[1]).toBe("suspended: the build");
    const run = startHarn(["run", "--resume", one.file, "--input", "It is green."], { cwd: one.cwd });
    await run.shows("looking");
    run.child.kill("SIGKILL");
    await run.ended;
    expect(JSON.parse(one.read(one.file)).status).toBe("running");
    one.write("go", "");
    const third = await one.harn("run", "--resume", one.file);
    expect(third.stderr).toContain("ended too early; the run goes on");
    expect(lines(third)).toEqual(["done: nil", "It is green.", "true"]);
    expect(one.read("log.txt")).toBe("suspended\nlook\ndone\n");
    expect(JSON.parse(one.read(one.file)).status).toBe("completed");
  });
});

describe("a loop that a hook paused in front of its calls", () => {
  const script = `
let tools = tool_define(tool_registry(), "pay", "Pays.", {parameters: {amount: {type: "int"}}, handler: { a ->
  append_file("log.txt", "pays \${a.amount}\\n")
  println("paying")
  while !file_exists("go") { sleep(20) }
  return "paid"
}})
llm_mock({text: "", tool_calls: [{name: "pay", arguments: {amount: 7}}]})
llm_mock({text: "All paid."})
let r = agent_loop("Pay.", nil, {tools: tools, tool_format: "native", approval_policy: {require_approval: ["pay"]},
  hooks: {before_tool_call: { _ -> {pause: "wait"} }}})
println("\${r.status}: \${r.answer}")
println(len(llm_mock_calls()))
if r.status == "suspended" { sleep(10m) }
`;

  it("runs each of them once, after one approval and without asking the model again, through three kills", async () => {
    const one = project(script);
    const kill = async (args: string[], when: string): Promise<void> => {
      const run = startHarn(args, { cwd: one.cwd });
      await run.shows(when);
      run.child.kill("SIGKILL");
      await run.ended;
    };
    await kill(["run", "a.harn"], "suspended");
    const snapshot = JSON.parse(one.read(one.file));
    expect(snapshot).toMatchObject({
      status: "suspended",
      open_calls: { calls: [{ name: "pay", arguments: { amount: 7 } }], reviewed: ["before_tool_call:0"] },
    });
    const asking = await one.harn("run", "--resume", one.file);
    expect(asking.status).toBe(75);
    expect(asking.stderr).toContain("waiting for a person");
    const [run] = asking.stderr.match(/run-[\w-]+/) ?? [""];
    expect((await one.harn("hitl", "answer", run as string, "yes")).status).toBe(0);
    await kill(["run", "--resume", run as string], "paying");
    one.write("go", "");
    const last = await one.harn("run", "--resume", run as string, "--on-doubt", "redo");
    expect(lines(last).slice(-2)).toEqual(["done: All paid.", "2"]);
    expect((await one.harn("hitl", "list")).stdout).not.toContain("pay");
    expect(one.read("log.txt")).toBe("pays 7\n");
  });
});

describe("a folder for workers that can't be written", () => {
  const script = `
llm_mock({text: "", tool_calls: [{name: "agent_await_resumption", arguments: {reason: "x"}}]})
llm_mock({text: "went on"})
let r = agent_loop("Watch.", nil, {provider: "mock"})
println([r.status, wait_agent(resume_agent(r.handle)).result.visible_text])
`;
  const happened = "[suspended, went on]\n";

  it("costs the file, not the worker: one line says so", () => {
    const one = project(script);
    const env = { HARN_WORKER_STATE_DIR: "/proc/nowhere" };
    const { stdout, stderr, status } = harn(["run", "a.harn"], { cwd: one.cwd, env });
    expect({ stdout, status }).toEqual({ stdout: happened, status: 0 });
    expect(stderr.match(/can't be kept, so nobody can go on with it later/g)).toHaveLength(1);
  });

  it("is not what limits of a program mean", async () => {
    const one = project(script);
    expect((await one.harn("run", "--deny", "fs", "a.harn")).stdout).toBe(happened);
    expect(JSON.parse(one.read(one.file)).status).toBe("completed");
  });
});

describe("loops that parked side by side", () => {
  const both = `
println(parallel each ["a", "b"] { name ->
  llm_mock({text: "", match: "*task \${name}*", consume_match: true, tool_calls: [{name: "agent_await_resumption", arguments: {reason: "a word"}}]})
  let r = agent_loop("task \${name}", nil, {provider: "mock"})
  "\${name}: \${r.status} \${r.transcript.messages[-2].content}"
})
`;
  const fileOf = (one: Project, task: string): string =>
    join(
      ".harn/workers",
      String(
        readdirSync(join(one.cwd, ".harn/workers")).find(
          (name) => JSON.parse(one.read(join(".harn/workers", name))).task === task,
        ),
      ),
    );

  it("go on one after the other, the first first", async () => {
    const one = project(both);
    await one.harn("run", "a.harn");
    const [a, b] = [fileOf(one, "task a"), fileOf(one, "task b")];
    const first = await one.harn("run", "--resume", a, "--input", "for a");
    expect(first.stdout).toContain("a: done for a, b: suspended");
    const second = await one.harn("run", "--resume", b, "--input", "for b");
    expect(second.stdout).toBe("[a: done for a, b: done for b]\n");
  });

  it("stand still again when an earlier one goes on later, and that is said", async () => {
    const one = project(both);
    await one.harn("run", "a.harn");
    const [a, b] = [fileOf(one, "task a"), fileOf(one, "task b")];
    await one.harn("run", "--resume", b, "--input", "for b");
    const second = await one.harn("run", "--resume", a, "--input", "for a");
    expect(second.stdout).toContain("a: done for a, b: suspended");
    expect(second.stderr).toMatch(/worker_\S+ went on; it will stand still there again/);
    expect(JSON.parse(one.read(b)).status).toBe("suspended");
  });
});

describe("what the control plane knows of a suspended loop", () => {
  const looks = `
fn look(session) {
  println(agent_compaction_plan(session))
  println(agent_work_items(session).items.map({ i -> [i.id, i.status] }))
  println(agent_contract(session).coverage.map({ c -> [c.requirement_id, c.status, c.notes] }))
  println(agent_interventions(session).map({ i -> [i.n, i.turn, i.kind, i.rule, i.messages] }))
  println(agent_recall(session, "summary:T1").text)
}`;
  const parked = `${looks}
let ask = tool_define(tool_registry(), "ask", "Asks.", {
  parameters: {about: {type: "string"}},
  annotations: {kind: "fetch", side_effect_level: "network"},
  handler: { args -> "about \${args.about}: " + "x y z ".repeat(60) },
})
for n in range(0, 12) { llm_mock({tool_calls: [{name: "ask", arguments: {about: "harbour \${n}"}}]}) }
llm_mock({text: "", tool_calls: [{name: "work_item_update", arguments: {id: "survey", status: "in_progress"}}]})
llm_mock({text: "", tool_calls: [{name: "agent_await_resumption", arguments: {reason: "the tide"}}]})
llm_mock({text: "", tool_calls: [{name: "work_complete", arguments: {summary: "Twelve."}}]})
let r = agent_loop("Ask.", nil, {provider: "mock", tools: ask, tool_format: "native", session_id: "s", loop_until_done: true, max_iterations: 40,
  compaction: {strategy: "ladder", max_input_tokens: 2600, summarizer: false},
  work_items: [{id: "survey", title: "Survey"}],
  contract: {goal: "g", required_outputs: [{id: "asked", description: "asked", predicate: {type: "tool_result_success", tool: "ask"}}]}})
println("status \${r.status}")
if r.status == "suspended" { look("s") }
`;

  it("is the same in another process, with and without its journal", () => {
    const one = project(parked);
    const first = lines(one.started("run", "a.harn"));
    expect(first[0]).toBe("status suspended");
    expect(first[1]).toContain("msg_3: summarize");
    expect(first[2]).toBe("[[survey, in_progress]]");
    expect(first[3]).toMatch(/^\[\[asked, met, /);
    // Without: a program that knows nothing but the file.
    one.write(
      "b.harn",
      `${looks}
resume_agent("${one.file}", nil)
look("s")
`,
    );
    const file = one.read(one.file);
    expect(lines(one.started("run", "b.harn")).slice(0, 3)).toEqual(first.slice(1, 4));
    // With: the run itself goes on, with what it had.
    one.write(one.file, file);
    one.write("a.harn", parked.replace('if r.status == "suspended"', "if true"));
    const second = lines(one.started("run", "--resume", one.file));
    expect(second.at(-6)).toMatch(/^status /);
    // It works on until its budget is gone, and passes follow; the first one is the one that it had.
    const [, record = "none"] = /summarization_records: \[(\{.*?version: 1\})/.exec(first[1] ?? "") ?? [];
    expect(second.at(-5)).toContain(`summarization_records: [${record}`);
    expect(second.at(-5)).toContain("msg_3: summarize");
  });
});
