/** An agent that failed is not silent: one line on standard error, and none where somebody looked (issue 12, 17). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("unseen");

const failing = `llm_mock({text: ""})\n  let r = agent_loop("Go.", nil, {provider: "mock", max_nudges: 0})`;

async function errorsOf(body: string): Promise<string> {
  const file = join(folder, "main.harn");
  writeFileSync(file, `pipeline default(task) {\n  ${body}\n}\n`);
  const { stderr } = await harnHere(["run", file], { cwd: folder });
  return stderr.replaceAll(folder, "DIR");
}

const line =
  "warning: DIR/main.harn:3:11: this agent ended as stuck (empty_answer), and the program never looked at its status\n";

describe("an agent that ended other than done", () => {
  it.each([
    ["dropped", `${failing}`],
    ["of which only the text is read", `${failing}\n  println(r.visible_text)`],
    ["kept in a list that nobody reads", `${failing}\n  let all = [r]\n  println(len(all))`],
  ])("%s: said", async (_what, body) => {
    expect(await errorsOf(body)).toContain(line);
  });

  it("of a sub-agent: said with its error", async () => {
    const body = `llm_mock({error: {category: "auth", message: "no key"}})\n  let r = sub_agent_run("Go.", {provider: "mock"})\n  println(r.summary)`;
    expect(await errorsOf(body)).toContain(
      "warning: DIR/main.harn:3:11: this agent ended as auth: no key, and the program never looked at its status\n",
    );
  });

  it.each([
    ["whose status is asked", `${failing}\n  println(r.status)`],
    ["whose stop_reason is asked", `${failing}\n  if r.stop_reason == "natural" { println("x") }`],
    ["taken apart", `${failing}\n  let {status} = r\n  println(status)`],
    ["shown", `${failing}\n  println(r)`],
    ["written as JSON within something else", `${failing}\n  println(json_stringify({all: [r]}))`],
    ["merged", `${failing}\n  println(({a: 1} + r).a)`],
    ["passed on to who looks", `${failing}\n  let look = { x -> x.ok ?? x.error }\n  println(look(r))`],
    ["returned by the program", `${failing}\n  return r`],
    ["that is done", `llm_mock({text: "fine"})\n  agent_loop("Go.", nil, {provider: "mock"})`],
  ])("%s: not said", async (_what, body) => {
    expect(await errorsOf(body)).not.toContain("never looked");
  });

  it("is shown by harn runs, and a replay says the same", async () => {
    expect(await errorsOf(failing)).toContain(line);
    const note = line.replace("warning: ", "! ").trim();
    const shown = async (...args: string[]): Promise<string> =>
      (await harnHere(args, { cwd: folder })).stdout.replaceAll(folder, "DIR");
    expect(await shown("runs", "list", "--limit", "1")).toContain(note);
    expect(await shown("runs", "show", "last")).toContain(note);
    expect(JSON.parse(await shown("runs", "list", "--limit", "1", "--json"))).toMatchObject({
      state: "done",
      notes: [note.slice(2)],
    });
    const replayed = await harnHere(["replay", "last"], { cwd: folder });
    expect(replayed).toMatchObject({ status: 0 });
    expect(replayed.stderr.replaceAll(folder, "DIR")).toContain(line);
  });
});

const failingWorker = `llm_mock({error: {category: "auth", message: "no key"}})
  let w = spawn_agent({task: "Go.", node: {kind: "stage", mode: "llm", model_policy: {provider: "mock"}}})`;
const lineOfWorker = "main.harn:3:11: this agent ended as failed: ";

describe("a worker that failed", () => {
  it.each([
    ["nobody waits for it", `${failingWorker}\n  sleep(5)`],
    ["its handle is dropped", `${failingWorker}\n  wait_agent(w)\n  println("x")`],
    ["only its name is read", `${failingWorker}\n  println(wait_agent(w).name)`],
    ["among several", `${failingWorker}\n  let all = wait_agent([w])\n  println(len(all))`],
    [
      "only the old handle is looked at",
      `${failingWorker}\n  println(w.status)\n  wait_agent(w)\n  println("x")`,
    ],
  ])("%s: said once", async (_what, body) => {
    expect((await errorsOf(body)).split(lineOfWorker)).toHaveLength(2);
  });

  it("in the background of a sub-agent: said", async () => {
    const body = `llm_mock({error: {category: "auth", message: "no key"}})\n  let r = sub_agent_run("Go.", {provider: "mock", background: true})\n  wait_agent(r)\n  println("x")`;
    expect(await errorsOf(body)).toContain(lineOfWorker);
  });

  it.each([
    ["its status is asked", `${failingWorker}\n  println(wait_agent(w).status)`],
    ["its error is asked", `${failingWorker}\n  wait_agent(w)\n  println(list_agents()[0].error)`],
    ["its result is asked", `${failingWorker}\n  println(wait_agent([w])[0].result?.status)`],
    [
      "a hook is told",
      `register_session_hook("WorkerFailed", { _ -> nil })\n  ${failingWorker.replace("\n", "\n ")}\n  wait_agent(w)`,
    ],
    ["it was closed before", `${failingWorker}\n  close_agent(w)`],
    [
      "the next task went well",
      `${failingWorker}\n  wait_agent(w)\n  llm_mock({text: "fine"})\n  wait_agent(send_input(w, "Again."))`,
    ],
  ])("%s: not said", async (_what, body) => {
    expect(await errorsOf(body)).not.toContain("this agent ended");
  });
});

describe("a program that is through while an agent waits", () => {
  const parks = `llm_mock({tool_calls: [{name: "agent_await_resumption", arguments: {reason: "which\\u{1b}[2J branch?"}}]})`;
  const spawned = `${parks}\n  println(wait_agent(spawn_agent({name: "w", task: "t", node: {mode: "agent"}, options: {provider: "mock"}})).status)`;
  const said =
    /^harn: the worker w waits: which.*branch\?; `harn run --resume (.*worker_.*\.json)` goes on with it$/m;

  it("says so at its end, and in harn runs, and how it goes on", async () => {
    const file = join(folder, "waits.harn");
    writeFileSync(file, `pipeline default(task) {\n  ${spawned}\n}\n`);
    const { stdout, stderr, status } = await harnHere(["run", file], { cwd: folder });
    expect([stdout, status]).toEqual(["suspended\n", 0]);
    const [, snapshot = ""] = said.exec(stderr) ?? [];
    expect(snapshot).not.toBe("");
    expect(stderr).not.toContain("\u001b");
    const listed = (await harnHere(["runs", "list", "--limit", "1", "--json"], { cwd: folder })).stdout;
    expect(JSON.parse(listed)).toMatchObject({
      state: "waiting",
      exit_code: 0,
      notes: [stderr.match(said)?.[0].slice(6)],
    });
    expect((await harnHere(["runs", "list", "--limit", "1"], { cwd: folder })).stdout).not.toContain(
      "\u001b",
    );
    expect(await harnHere(["replay", "last"], { cwd: folder })).toMatchObject({
      stdout: "suspended\n",
      stderr,
      status: 0,
    });
    expect((await harnHere(["run", "--resume", snapshot], { cwd: folder, input: "" })).status).not.toBe(2);
  });
});

describe("a task that failed", () => {
  const lost = 'spawn { read_file("nope.txt") }\n  sleep(1ms)';
  const told =
    "warning: DIR/main.harn:2:3: this task failed (Failed to read file DIR/nope.txt: no such file or folder), and nobody awaited it\n";

  it("and that nobody awaits is told, with the exit code as it was, and is among the notes of the run", async () => {
    expect(await errorsOf(lost)).toBe(told);
    const shown = (await harnHere(["runs", "show", "last"], { cwd: folder })).stdout.replaceAll(
      folder,
      "DIR",
    );
    expect(shown).toContain(told.replace("warning: ", "! ").trim());
    const again = await harnHere(["replay", "last"], { cwd: folder });
    expect(again.stderr.replaceAll(folder, "DIR")).toBe(told);
    expect(again.status).toBe(0);
  });

  it.each([
    [
      "awaited",
      'let t = spawn { throw "no" }\n  sleep(1ms)\n  let r = try { await(t) }\n  println(is_err(r))',
    ],
    ["cancelled later", 'let t = spawn { throw "no" }\n  sleep(1ms)\n  cancel(t)'],
    ["cancelled at work", "let t = spawn { sleep(1h) }\n  sleep(1ms)\n  cancel(t)"],
    ["returned by the program", 'let t = spawn { throw "no" }\n  sleep(1ms)\n  return t'],
    ["that is done", "spawn { 1 }\n  sleep(1ms)"],
  ])("%s: not told", async (_what, body) => {
    expect(await errorsOf(body)).not.toContain("this task failed");
  });

  it("a thousand times is told in five lines and a number", async () => {
    const told = (await errorsOf('for _i in range(1000) { spawn { throw "no" } }\n  sleep(1ms)'))
      .trimEnd()
      .split("\n");
    expect(told).toHaveLength(6);
    expect(told.at(-1)).toBe("warning: 995 more tasks failed, and nobody awaited them");
  });

  it("fails the test that lost it", async () => {
    writeFileSync(
      join(folder, "test_lost.harn"),
      'pipeline test_lost(task) {\n  spawn { throw "no" }\n  sleep(1ms)\n}\n',
    );
    const { stdout, status } = harn(["test", "test_lost.harn"], { cwd: folder });
    expect(status).toBe(1);
    expect(stdout).toContain("this task failed (no), and nobody awaited it");
  });
});
