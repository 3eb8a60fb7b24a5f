/** `harn serve --sessions`: what is due is run, by whoever is there, however often somebody is killed. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { answerLine, type SessionProject, sessionProject } from "../../support/session-project.ts";

const quick = `let run = session_run({provider: "mock", max_continues: 2})
append_file("log.txt", "\${run.session} \${run.run}\\n")`;

/** Works until it is let go: until then there is something to kill, however busy the machine is. */
const slow = `println("begun")
append_file("log.txt", "begin\\n")
while !file_exists("go") { sleep(20) }
let run = session_run({provider: "mock"})
append_file("log.txt", "end\\n")`;

/** Looks until it is so. */
const until = (what: () => boolean | Promise<boolean>): Promise<void> =>
  expect.poll(what, { interval: 50 }).toBe(true);

const handled = async (one: SessionProject, name: string): Promise<number> => (await one.show(name)).handled;
const once = (one: SessionProject) => one.start("serve", "--sessions", "--once").ended;

describe("harn serve --sessions", () => {
  it("runs everything that is due, once", async () => {
    const one = sessionProject(quick);
    one.write("m.jsonl", answerLine("ok", { next: "continue" }) + answerLine("ok", {}));
    for (const name of ["a", "b", "c"]) await one.harn("session", "new", name, "a.harn", "--message", "hi");
    await one.harn("session", "new", "quiet", "a.harn");
    const served = await one.start("serve", "--sessions", "--once", "--jobs", "2", "--json").ended;
    expect(served).toMatchObject({ status: 0 });
    const reports = served.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(reports.map(({ name, handled: count }) => `${name} ${count}`).sort()).toEqual([
      "a 1",
      "b 1",
      "c 1",
    ]);
    expect(one.read("log.txt").trim().split("\n").sort()).toEqual(["a 1", "b 1", "c 1"]);
    expect(await once(one)).toMatchObject({ status: 0, stdout: "" });
    // One that asks to continue is due again, until it does not.
    await one.harn("session", "send", "a", "go on");
    await one.start("serve", "--sessions", "--once", "--llm-mock", "m.jsonl").ended;
    expect((await one.show("a")).runs).toBeGreaterThan(2);
  });

  it("notices messages, wakes and results, and stops when it is told", async () => {
    const one = sessionProject(quick);
    await one.harn("session", "new", "a", "a.harn");
    const server = one.start("serve", "--sessions");
    await server.shows("runs the sessions of");
    await one.harn("session", "send", "a", "hi");
    await until(async () => (await handled(one, "a")) === 1);
    await one.harn("session", "wake", "a", "--in", "1s", "--reason", "later");
    await until(async () => (await handled(one, "a")) === 2);
    server.child.kill("SIGTERM");
    expect((await server.ended).status).toBe(0);
    expect(one.read("log.txt")).toBe("a 1\na 2\n");
  });

  it("goes on with a run whose process was killed, and with that of a server that was killed", async () => {
    const one = sessionProject(slow);
    await one.harn("session", "new", "a", "a.harn", "--message", "hi");
    const server = one.start("serve", "--sessions");
    await server.shows("a | begun");
    const holder = /process (\d+)/.exec(
      JSON.parse((await one.harn("session", "list", "--json")).stdout).held_by,
    )?.[1];
    process.kill(Number(holder), "SIGKILL");
    await server.shows("its process ended (SIGKILL)");
    one.write("go", "");
    await until(async () => (await handled(one, "a")) === 1);
    // The message is handled when the agent is; the script goes on to its end.
    await expect.poll(() => one.read("log.txt"), { interval: 50 }).toBe("begin\nend\n");
    rmSync(join(one.cwd, "go"));
    await one.harn("session", "send", "a", "again");
    await until(() => one.read("log.txt").endsWith("end\nbegin\n"));
    server.child.kill("SIGKILL");
    await server.ended;
    one.write("go", "");
    // Its run lives on, or goes on with the next server: never both.
    await until(async () => {
      await once(one);
      return (await one.show("a")).recorded_run === null && (await handled(one, "a")) === 2;
    });
    expect(one.read("log.txt")).toBe("begin\nend\nbegin\nend\n");
  });

  it("shares the work among several servers", async () => {
    const one = sessionProject(quick);
    const names = ["a", "b", "c", "d"];
    for (const name of names) await one.harn("session", "new", name, "a.harn", "--message", "1");
    const servers = [
      one.start("serve", "--sessions", "--jobs", "2"),
      one.start("serve", "--sessions", "--jobs", "2"),
    ];
    await Promise.all(servers.map((server) => server.shows("runs the sessions of")));
    for (const name of names) await one.harn("session", "send", name, "2");
    await until(async () =>
      (await Promise.all(names.map((name) => handled(one, name)))).every((n) => n === 2),
    );
    for (const server of servers) server.child.kill("SIGINT");
    for (const server of servers) expect((await server.ended).status).toBe(0);
    for (const name of names) {
      const { runs, last_events: events } = await one.show(name);
      expect(events.filter(({ type }) => type === "agent.message")).toHaveLength(runs);
      expect(
        one
          .read("log.txt")
          .split("\n")
          .filter((line) => line.startsWith(`${name} `)),
      ).toHaveLength(runs);
    }
  });

  it("ends a run that takes too long, and puts it off", async () => {
    const one = sessionProject(`println("begun")
while true {
}`);
    await one.harn("session", "new", "a", "a.harn", "--message", "hi");
    const server = one.start("serve", "--sessions", "--timeout", "1s");
    await server.shows("its process ended (it took too long); tried again later");
    server.child.kill("SIGTERM");
    expect((await server.ended).status).toBe(0);
    expect(await one.show("a")).toMatchObject({ pending: 1, failures: 1 });
  });

  it("puts a script that fails off", async () => {
    const one = sessionProject("let = 1");
    await one.harn("session", "new", "a", "a.harn", "--message", "hi");
    await once(one);
    expect(await one.show("a")).toMatchObject({ pending: 1, failures: 1 });
    expect((await one.show("a")).due).not.toBe(null);
    expect((await one.start("serve", "--sessions", "--jobs", "0").ended).stderr).toContain("--jobs");
  });

  it("puts a damaged session aside and runs the others", async () => {
    const one = sessionProject(quick);
    for (const name of ["a", "b"]) await one.harn("session", "new", name, "a.harn", "--message", "hi");
    const store = new DatabaseSync(join(one.cwd, ".harn/state.db"));
    store
      .prepare("UPDATE entry SET value = ? WHERE space = 'session' AND key = 'a'")
      .run('{"version": 1, "name": "a"}');
    store.close();
    expect((await once(one)).stderr).toContain("the session a is damaged in the store");
    expect(await handled(one, "b")).toBe(1);
    expect((await one.harn("session", "list")).stdout).toMatch(/^a {2}damaged .*\nb {2}idle/);
    expect(await one.harn("session", "run", "a")).toMatchObject({ status: 1 });
    expect(await once(one)).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  it("goes on when a person has answered", async () => {
    const one = sessionProject(`let colour = ask_user("Which?")
let run = session_run({provider: "mock"})
append_file("log.txt", colour)`);
    await one.harn("session", "new", "a", "a.harn", "--message", "hi");
    await once(one);
    expect((await one.show("a")).status).toBe("waiting");
    await once(one);
    await one.harn("hitl", "answer", (await one.show("a")).recorded_run ?? "", "blue");
    await once(one);
    expect(await one.show("a")).toMatchObject({ status: "idle", handled: 1 });
    expect(one.read("log.txt")).toBe("blue");
  });
});
