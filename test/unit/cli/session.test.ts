/** `harn session` as a person uses it: docs/sessions.md. */
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerLine, sessionProject } from "../../support/session-project.ts";

const plain = `let run = session_run({provider: "mock", system: "You help."})
println("said " + run.text)`;

describe("harn session", () => {
  it("goes from a message to an answer, a wake and the next run", async () => {
    const one = sessionProject(plain);
    one.write(
      "a.jsonl",
      answerLine("Noted.", { summary: "s", queuedWakes: [{ after: "2h", reason: "look", key: "k" }] }),
    );
    expect((await one.harn("session")).stdout).toMatch(/^no sessions; /);
    expect((await one.harn("session", "new", "inbox", "a.harn")).stdout).toContain("inbox: made, agent a;");
    expect((await one.harn("session", "run", "inbox")).stdout).toBe(
      "inbox: nothing to do: nothing is pending\n",
    );
    expect((await one.harn("session", "send", "inbox", "Grüße 🦀")).stdout).toBe(
      "inbox: event 1, 1 pending\n",
    );
    const run = await one.harn("session", "run", "inbox", "--llm-mock", "a.jsonl");
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toMatch(
      /^said Noted\.\ninbox: run 1, idle {2}\[run-\S+\]\n {2}handled {2}1 event\n {2}said {5}Noted\.\n {2}wake {5}k in (2h|1h 59m) .*: look\n {2}next {5}sleeps until a message, or in /,
    );
    expect((await one.harn("session", "list")).stdout).toMatch(
      /^inbox {2}idle {13}0 pending {5}run 1 {2}next in /,
    );
    expect(await one.show("inbox")).toMatchObject({ status: "idle", runs: 1, handled: 1 });
    expect((await one.harn("session", "show", "inbox")).stdout).toContain(
      "user.message            Grüße 🦀\n",
    );
    const replay = await one.harn("replay", "last");
    expect(replay.stdout).toBe("said Noted.\n");
  });

  it("takes results of custom tools and goes on with them", async () => {
    const one =
      sessionProject(`let tools = [{name: "assign", description: "d", parameters: {person: "string"}}]
let run = session_run({provider: "mock", tool_format: "native", custom_tools: tools})`);
    one.write(
      "call.jsonl",
      `${JSON.stringify({ tool_calls: [{ name: "assign", arguments: { person: "ada" } }] })}\n`,
    );
    await one.harn("session", "new", "s", "a.harn", "--message", "go");
    const first = await one.harn("session", "run", "s", "--llm-mock", "call.jsonl");
    expect(first.stdout).toContain('asks     use_3 assign({"person":"ada"})');
    expect(first.stdout).toContain("harn session send s --result use_3 JSON");
    expect((await one.harn("session", "list")).stdout).toContain("requires_action  0 pending");
    expect((await one.harn("session", "run", "s")).stdout).toContain(
      "waits for the result of use_3 (assign)",
    );
    expect((await one.harn("session", "send", "s", "x", "--result", "use_9")).stderr).toContain(
      "waits for no result",
    );
    await one.harn("session", "send", "s", '{"ok": true}', "--result", "use_3");
    expect(await one.harn("session", "send", "s", "1", "--result", "use_3")).toMatchObject({ status: 1 });
    one.write("end.jsonl", answerLine("Ada it is.", {}));
    expect((await one.harn("session", "run", "s", "--llm-mock", "end.jsonl")).stdout).toContain(
      "said     Ada it is.",
    );
    expect(await one.show("s")).toMatchObject({ status: "idle", handled: 2 });
  });

  it("continues under another provider", async () => {
    const one = sessionProject(
      `println(session_run({system: "You help."}).loop.transcript.messages[0].content)`,
    );
    one.write("mock.jsonl", answerLine("From the mock.", { summary: "The user is called Ada." }));
    const tape = { tape: 1, title: "t", provider: "tape", model: "tape" };
    const line = { text: 'You are Ada.\n```directive\n{"next": "sleep"}\n```', match: "*Who am I?*" };
    one.write("tape.jsonl", `${JSON.stringify(tape)}\n${JSON.stringify(line)}\n`);
    await one.harn("session", "new", "s", "a.harn", "--message", "I am Ada.");
    await one.harn("session", "run", "s", "--provider", "mock", "--llm-mock", "mock.jsonl");
    const route = () => JSON.parse(one.read(".harn/sessions/s/checkpoint.json")).route.provider;
    expect(route()).toBe("mock");
    await one.harn("session", "send", "s", "Who am I?");
    const second = await one.harn("session", "run", "s", "--tape", "tape.jsonl");
    expect(second.stdout).toContain("said     You are Ada.");
    expect(route()).toBe("tape");
    expect(one.read(".harn/sessions/s/session-state.md")).toBe("The user is called Ada.\n");
  });

  it("gives reports and lists as data", async () => {
    const one = sessionProject(plain);
    await one.harn("session", "new", "s", "a.harn", "--message", "hi", "--attach", ".");
    const lines = (await one.harn("session", "run", "s", "--json")).stdout.trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      name: "s",
      status: "idle",
      handled: 1,
      resumed: false,
    });
    expect(JSON.parse((await one.harn("session", "run", "s", "--json")).stdout)).toMatchObject({
      ran: false,
    });
    expect(JSON.parse((await one.harn("session", "list", "--json")).stdout)).toMatchObject({
      name: "s",
      runs: 1,
    });
  });

  it("refuses what makes no sense, in words", async () => {
    const one = sessionProject(plain);
    const refused = async (...args: string[]) => {
      const { status, stderr, stdout } = await one.harn("session", ...args);
      expect([status === 0, stdout]).toEqual([false, ""]);
      expect(stderr).not.toMatch(/\n\s+at /);
      return stderr;
    };
    expect(await refused("run", "nobody")).toContain("there are no sessions in");
    await one.harn("session", "new", "s", "a.harn");
    expect(await refused("run", "nobody")).toContain('there is no session "nobody"');
    expect(await refused("show", "nobody")).toContain("harn session list");
    expect(await refused("new", "s", "a.harn")).toContain("there is a session s already");
    expect(await refused("new", "x/y", "a.harn")).toContain("can't name a session");
    expect(await refused("new", "t", "none.harn")).toContain("there is no file none.harn");
    expect(await refused("new", "t", ".")).toContain("is no file");
    expect(await refused("new", "t", "a.harn", "--attach", "none")).toContain("there is no file none");
    expect(await refused("send", "s", " ")).toContain("must say something");
    expect(await refused("send", "s", "x", "--failed")).toContain("--failed goes with --result");
    expect(await refused("wake", "s", "--in", "soon", "--reason", "r")).toContain(
      "--in must be a text such as",
    );
    expect(await refused("wake", "s", "--in", "1h")).toContain("needs a --reason");
    expect(await refused("wake", "s", "--reason", "r")).toContain("either --in or --at");
    expect(await refused("wake", "s", "--cancel", "k")).toContain('no wake "k"');
    expect(await refused("show", "s", "--events", "-1")).toContain("--events");
    expect((await one.harn("session", "close", "s")).stdout).toBe("s: closed\n");
    expect(await refused("send", "s", "x")).toContain("the session s is closed");
    expect((await one.harn("session", "run", "s")).stdout).toContain("it is closed");
  });

  it("says what is wrong with a script, and keeps the events", async () => {
    const one = sessionProject("println(1)");
    await one.harn("session", "new", "s", "a.harn", "--message", "hi");
    expect(await one.harn("session", "run", "s")).toMatchObject({ status: 1 });
    expect(await one.show("s")).toMatchObject({
      pending: 1,
      failures: 1,
      problem: "the script ended without calling session_run",
    });
    one.write("a.harn", 'throw "broken"');
    expect(await one.harn("session", "run", "s")).toMatchObject({ status: 1 });
    one.write("a.harn", "let = 1");
    expect((await one.harn("session", "run", "s")).stderr).toContain("HARN-PAR");
    expect(await one.show("s")).toMatchObject({ pending: 1, failures: 3 });
    one.write("a.harn", plain);
    expect(await one.harn("session", "run", "s")).toMatchObject({ status: 0 });
    expect(await one.show("s")).toMatchObject({ pending: 0, failures: 0, handled: 1 });
    unlinkSync(join(one.cwd, "a.harn"));
    await one.harn("session", "send", "s", "again");
    expect((await one.harn("session", "run", "s")).stderr).toContain(
      "the script of the session s is not there",
    );
  });

  it("waits for a person inside a run", async () => {
    const one = sessionProject(`let colour = ask_user("Which colour?")
let run = session_run({provider: "mock"})
println(colour)`);
    await one.harn("session", "new", "s", "a.harn", "--message", "hi");
    const first = await one.harn("session", "run", "s");
    expect(first.status).toBe(75);
    expect(first.stdout).toContain("s: no run, waiting");
    expect((await one.show("s")).status).toBe("waiting");
    expect((await one.harn("session", "run", "s")).status).toBe(75);
    await one.harn("hitl", "answer", (await one.show("s")).recorded_run ?? "", "blue");
    const second = await one.harn("session", "run", "s");
    expect(second).toMatchObject({ status: 0 });
    expect(second.stdout).toContain("blue\ns: run 1 (went on where it was interrupted), idle");
    expect(await one.show("s")).toMatchObject({ status: "idle", handled: 1, recorded_run: null });
  });
});
