/** Runs of sessions that are killed: the next one goes on, no event is lost, none is handled twice. */
// long: kills
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/freeze.ts";
import { answerLine, type SessionProject, sessionProject } from "../../support/session-project.ts";

/** Works on one event at a time: a note before the model, a tool of the model, a note after the commit. It waits for files. */
const working = `tool note(text: string) -> string {
  description "Writes it down."
  append_file("log.txt", "tool \${text}\\n")
  println("in the tool")
  while !file_exists("go1") { sleep(20) }
  "written"
}
let info = session_info()
append_file("log.txt", "begin \${info.runs}\\n")
llm_mock({tool_calls: [{name: "note", arguments: {text: "t\${info.runs}"}}]})
llm_mock({text: "Answer \${info.runs}."})
let run = session_run({provider: "mock", tools: note, tool_format: "native", max_events: 1})
println("after the commit")
while !file_exists("go2") { sleep(20) }
append_file("log.txt", "end \${run.run}\\n")`;

/** Lets the program through its first `count` waits. */
function letGo(one: SessionProject, count = 2): void {
  for (let n = 1; n <= count; n++) one.write(`go${n}`, "");
}

/** Kills it where it waits, then lets the next one through. */
async function killedAt(
  one: SessionProject,
  shown: "in the tool" | "after the commit",
  signal: NodeJS.Signals = "SIGKILL",
): Promise<void> {
  if (shown === "after the commit") letGo(one, 1);
  const run = one.start("session", "run", "s", "-q");
  await run.shows(shown);
  run.child.kill(signal);
  await run.ended;
  letGo(one);
}

const whole = "begin 0\ntool t0\nend 1\n";

describe("a run of a session that is killed", () => {
  for (const [where, signal] of [
    ["in the tool", "SIGKILL"],
    ["after the commit", "SIGKILL"],
    ["in the tool", "SIGTERM"],
    ["after the commit", "SIGINT"],
  ] as const) {
    it(`${where} by ${signal}: the next one finishes it`, async () => {
      const one = sessionProject(working);
      await one.harn("session", "new", "s", "a.harn", "--message", "hi");
      await killedAt(one, where, signal);
      const left = await one.show("s");
      expect(left.recorded_run).not.toBe(null);
      const next = await one.harn("session", "run", "s");
      expect(next).toMatchObject({ status: 0 });
      expect(next.stdout).toContain("went on where it was interrupted");
      expect(await one.show("s")).toMatchObject({
        status: "idle",
        pending: 0,
        handled: 1,
        runs: 1,
        recorded_run: null,
      });
      expect(await one.texts("s", "agent.message")).toEqual(["Answer 0."]);
      // What was in progress when it was killed is an append, which can find out whether it happened.
      expect(one.read("log.txt")).toBe(whole);
      expect((await one.harn("session", "run", "s")).stdout).toContain("nothing to do");
    });
  }

  it("at twenty moments, one after the other: every event is handled once, in order", async () => {
    const one = sessionProject(working.replaceAll(/while .*/g, "sleep(30)"));
    await one.harn("session", "new", "s", "a.harn");
    const messages = [1, 2, 3, 4, 5, 6].map((n) => `message ${n}`);
    for (const text of messages) await one.harn("session", "send", "s", text);
    let kills = 0;
    for (let attempt = 0; attempt < 20; attempt++) {
      const run = one.start("session", "run", "s", "-q");
      const timer = setTimeout(() => run.child.kill("SIGKILL"), 40 + ((attempt * 97) % 450));
      if ((await run.ended).signal === "SIGKILL") kills++;
      clearTimeout(timer);
    }
    expect(kills).toBeGreaterThan(3);
    for (let left = 1; left > 0; left = (await one.show("s")).pending) {
      expect(await one.harn("session", "run", "s")).toMatchObject({ status: 0 });
    }
    await one.harn("session", "run", "s");
    const count = messages.length;
    expect(await one.show("s")).toMatchObject({ status: "idle", handled: count, runs: count, failures: 0 });
    expect(await one.texts("s", "user.message")).toEqual(messages);
    expect(await one.texts("s", "agent.message")).toEqual(messages.map((_, at) => `Answer ${at}.`));
    const expected = messages.map((_, at) => `begin ${at}\ntool t${at}\nend ${at + 1}\n`).join("");
    expect(one.read("log.txt")).toBe(expected);
  });

  it("takes what was sent meanwhile in the next run", async () => {
    const one = sessionProject(working);
    await one.harn("session", "new", "s", "a.harn", "--message", "first");
    await killedAt(one, "in the tool");
    await one.harn("session", "send", "s", "second");
    await one.harn("session", "run", "s");
    expect(await one.show("s")).toMatchObject({ handled: 1, pending: 1 });
    await one.harn("session", "run", "s");
    expect(await one.texts("s", "agent.message")).toEqual(["Answer 0.", "Answer 1."]);
  });

  it("is the only one at a time", async () => {
    const one = sessionProject(working);
    await one.harn("session", "new", "s", "a.harn", "--message", "hi");
    const first = one.start("session", "run", "s", "-q");
    await first.shows("in the tool");
    const second = await one.harn("session", "run", "s");
    expect(second.status).toBe(1);
    expect(second.stderr).toMatch(/the session s is being run by process \d+/);
    expect(await one.show("s")).toMatchObject({ status: "running" });
    expect((await one.harn("session", "close", "s")).status).toBe(1);
    const script = `println(try { session_run({session: "s"}) })`;
    expect((await one.harn("run", "--no-record", "-e", script)).stdout).toContain("is being run by process");
    letGo(one);
    expect((await first.ended).status).toBe(0);
    expect(one.read("log.txt")).toBe(whole);
  });

  it("is taken over from a frozen process, which can't write any more when it comes back", async () => {
    const one = sessionProject(working);
    await one.harn("session", "new", "s", "a.harn", "--message", "hi");
    const frozen = one.start("session", "run", "s", "-q");
    await frozen.shows("in the tool");
    await freeze([frozen.child.pid as number], join(one.cwd, ".harn"));
    expect((await one.harn("session", "run", "s")).stderr).toContain("is being run by process");
    // Half a minute later.
    const store = new DatabaseSync(join(one.cwd, ".harn/state.db"));
    store.exec("UPDATE lease SET owned_until = 0; UPDATE run SET owned_until = 0");
    store.close();
    letGo(one);
    expect(await one.harn("session", "run", "s")).toMatchObject({ status: 0 });
    const after = await one.show("s");
    frozen.child.kill("SIGCONT");
    const { status, stderr } = await frozen.ended;
    expect(status).toBe(1);
    expect(stderr).toContain("taken over");
    expect(await one.show("s")).toEqual(after);
    expect(after).toMatchObject({ handled: 1, runs: 1, status: "idle", failures: 0 });
    expect(await one.texts("s", "agent.message")).toEqual(["Answer 0."]);
  });

  it("says where an edited script does not fit any more, and begins anew when asked to", async () => {
    const one = sessionProject(working);
    await one.harn("session", "new", "s", "a.harn", "--message", "hi");
    await killedAt(one, "in the tool");
    one.write("a.harn", `write_file("other.txt", "x")\n${working}`);
    const next = await one.harn("session", "run", "s");
    expect(next.status).toBe(3);
    expect(next.stderr).toContain("write_file");
    const again = await one.harn("session", "run", "s", "--restart");
    expect(again).toMatchObject({ status: 0 });
    expect(await one.show("s")).toMatchObject({ handled: 1, pending: 0, recorded_run: null });
    expect(one.read("log.txt")).toBe("begin 0\ntool t0\nbegin 0\ntool t0\nend 1\n");
  });

  it("loses neither wakes nor learnings", async () => {
    const one = sessionProject(`println("before")
sleep(200)
let run = session_run({provider: "mock"})
println("after")
while !file_exists("go") { sleep(20) }`);
    const directive = {
      queuedWakes: [{ after: "5h", reason: "r", key: "k" }],
      learnings: [{ text: "l", promote: true }],
    };
    one.write("m.jsonl", answerLine("ok", directive));
    await one.harn("session", "new", "s", "a.harn", "--message", "hi");
    await one.harn("session", "wake", "s", "--in", "1s", "--reason", "soon");
    const run = one.start("session", "run", "s", "--llm-mock", "m.jsonl");
    await run.shows("after");
    run.child.kill("SIGKILL");
    await run.ended;
    one.write("go", "");
    await one.harn("session", "run", "s", "--llm-mock", "m.jsonl");
    const { wakes } = JSON.parse((await one.harn("session", "show", "s", "--json")).stdout);
    expect(wakes.filter(({ key }: { key: string }) => key === "k")).toHaveLength(1);
    expect(one.read(".harn/agents/a/MEMORY.md")).toBe("# Memory\n\n- l\n");
  });
});
