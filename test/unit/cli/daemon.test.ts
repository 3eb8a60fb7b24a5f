/**
 * `harn daemon` as people use it: a real process in the background, its turns in processes of their own, killed with
 * `kill -9` wherever it hurts. What must hold: every event has its effect once.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("daemon");

const script = "worker.harn";
let folder: string;

beforeEach(() => {
  folder = freshFolder();
});

afterEach(() => {
  for (const { name } of list()) run(["stop", name, "--now"]);
});

const run = (args: readonly string[]): CliResult =>
  harn(["daemon", ...args], { cwd: folder, timeout: 300_000 });

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
  readonly turns: number;
  readonly queued: number;
  readonly dead_letters: readonly { readonly seq: number; readonly reason: string }[];
  readonly last: { readonly kind: string; readonly status: string; readonly text: string } | null;
}

const list = (): Listed[] =>
  run(["list", "--json"])
    .stdout.split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Listed);
const one = (): Listed => list()[0] as Listed;

async function until(what: string, check: () => boolean): Promise<void> {
  for (let tries = 0; !check(); tries++) {
    if (tries > 200) throw new Error(`never: ${what}\n${run(["log", "worker"]).stdout}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** A daemon that writes down each event that its model was told, and then takes its time. */
function writeScript(config = "", afterwards = "sleep(400ms)"): void {
  writeFileSync(
    join(folder, script),
    `pub fn daemon() {
  return {
    task: "Wait.",
    provider: "mock",
    post_turn_callback: { turn ->
      append_file("effects.txt", llm_mock_calls().last().messages.last().content + "\\n")
      ${afterwards}
      return nil
    },
    ${config}
  }
}
`,
  );
}

/** What a turn does that takes as long as the test wants. */
const untilGo = 'while !file_exists("go") { sleep(20ms) }';
const go = (): void => writeFileSync(join(folder, "go"), "");

const effects = (): string[] =>
  existsSync(join(folder, "effects.txt"))
    ? readFileSync(join(folder, "effects.txt"), "utf8").split("\n").slice(0, -1)
    : [];

const started = (): void => {
  const result = run(["run", script]);
  expect(result.stderr).toBe("");
  expect(result.stdout).toContain("worker runs in the background (process ");
};

describe("a daemon in the background", () => {
  it("starts, handles events in order, and stops", async () => {
    writeScript("", "");
    started();
    expect(run(["trigger", "worker", '{"n": 1}', "--wait"]).stdout).toContain('{"n":1}');
    expect(run(["trigger", "worker", "a text", "--wait"]).status).toBe(0);
    expect(effects()).toEqual(["Wait.", '{"n":1}', '"a text"']);
    expect(one()).toMatchObject({ name: "worker", state: "idle", turns: 3, queued: 0 });
    expect(run(["run", script])).toMatchObject({ status: 1 });
    expect(run(["run", script]).stderr).toMatch(
      /^harn: the daemon worker runs already \(process \d+\) \(HARN-CLI-008\)\n$/,
    );
    expect(run(["remove", "worker"]).stderr).toContain("the daemon worker runs");
    expect(run(["stop", "worker"]).stdout).toBe("worker has stopped\n");
    expect(one()).toMatchObject({ state: "stopped", pid: null });
    expect(run(["stop", "worker"]).stdout).toBe("worker does not run\n");
    // What comes meanwhile waits, and the conversation goes on.
    expect(run(["trigger", "worker", "3"]).stderr).toContain("worker does not run");
    expect(one().queued).toBe(1);
    started();
    await until("the third event", () => one().turns === 4);
    const snapshot = JSON.parse(readFileSync(join(folder, ".harn/daemons/worker/daemon.json"), "utf8"));
    expect(snapshot.total_iterations).toBe(4);
    expect(snapshot.visible_messages).toHaveLength(8);
    expect(run(["log", "worker"]).stdout).toContain("(trigger) run-");
    run(["stop", "worker"]);
    expect(run(["remove", "worker"]).stdout).toBe("worker is forgotten\n");
    expect(list()).toEqual([]);
  });

  it("that is started again keeps the flags that it was started with", async () => {
    writeFileSync(join(folder, script), 'pub fn daemon() { return {task: "Wait."} }');
    const answers = (name: string): void =>
      writeFileSync(join(folder, `${name}.jsonl`), `{"text": "from ${name}"}\n`.repeat(9));
    answers("first");
    answers("second");
    const said = (): string | undefined => list()[0]?.last?.text;
    for (const [flags, text] of [
      [["--llm-mock", "first.jsonl"], "from first"],
      [[], "from first"],
      [["--llm-mock", "second.jsonl"], "from second"],
      [[], "from second"],
    ] as const) {
      const turns = list()[0]?.turns ?? 0;
      expect(run(["run", script, ...flags])).toMatchObject({ status: 0 });
      if (turns > 0) expect(run(["trigger", "worker", "again", "--wait"]).status).toBe(0);
      await until("a turn", () => (list()[0]?.turns ?? 0) > turns);
      expect(said()).toBe(text);
      expect(run(["stop", "worker"]).status).toBe(0);
    }
  });

  it("is woken by its timer and by files", async () => {
    writeScript('wake_interval_ms: 100, watch_paths: ["watched"]', "");
    started();
    await until(
      "two wakes of the timer",
      () => effects().filter((text) => text.includes("timer")).length >= 2,
    );
    run(["stop", "worker"]);
    writeScript('watch_paths: ["watched"]', "");
    started();
    await until("rest", () => one().state === "idle" && one().queued === 0);
    run(["trigger", "worker", "1", "--wait"]);
    writeFileSync(join(folder, "watched"), "new");
    await until("the file", () => effects().some((text) => text.includes("watched files have changed")));
  });

  it("refuses what can't be meant", () => {
    writeFileSync(join(folder, "none.harn"), "pub fn other() { return 1 }\n");
    expect(run(["run", "none.harn"]).stderr).toContain("none.harn has no function `daemon`");
    expect(run(["run", "missing.harn"]).status).not.toBe(0);
    writeFileSync(join(folder, "bad name.harn"), "pub fn daemon() { return {} }\n");
    expect(run(["run", "bad name.harn"]).stderr).toContain("can't name a daemon");
    expect(run(["trigger", "nobody", "1"]).stderr).toContain("there are no daemons in");
    expect(run(["list"]).stdout).toBe("there are no daemons here\n");
    expect(run(["run", "none.harn", "--memory", "lots"]).stderr).toContain("--memory");
    expect(run(["run", "none.harn", "--timeout", "soon"]).stderr).toContain("--timeout");
  });

  it("whose config is no config fails, and says why", async () => {
    writeFileSync(join(folder, script), "pub fn daemon() { return {system: 1} }\n");
    started();
    await until("the failure", () => one().state === "failed");
    expect(run(["list"]).stdout).toContain("the run run-");
    expect(one().dead_letters[0]?.reason).toContain("the config must include `task` or `prompt`");
  });

  it("takes no more events than its queue holds", async () => {
    // The second turn is in progress as long as the queue is looked at.
    writeScript("event_queue_capacity: 2", untilGo);
    started();
    go();
    await until("its config", () => one().turns === 1);
    rmSync(join(folder, "go"));
    run(["trigger", "worker", "1"]);
    run(["trigger", "worker", "2"]);
    const full = run(["trigger", "worker", "3"]);
    expect(full.status).toBe(1);
    expect(full.stderr).toContain("DaemonQueueFull: worker holds 2 events");
    go();
    await until("both events", () => one().queued === 0);
    expect(effects()).toEqual(["Wait.", "1", "2"]);
  });
});

describe("kill -9", () => {
  it("of the daemon: list says that it is dead, and the next one goes on with the turn under way", async () => {
    writeScript("", untilGo);
    started();
    go();
    await until("its first turn", () => one().turns === 1);
    rmSync(join(folder, "go"));
    run(["trigger", "worker", '{"n": 1}']);
    run(["trigger", "worker", '{"n": 2}']);
    await until("the effect of the first event", () => effects().length === 2);
    process.kill(one().pid as number, "SIGKILL");
    await until("its death", () => one().state === "dead");
    expect(one().queued).toBe(2);
    go();
    started();
    await until("both events", () => one().queued === 0);
    expect(effects()).toEqual(["Wait.", '{"n":1}', '{"n":2}']);
    expect(one()).toMatchObject({ turns: 3, dead_letters: [] });
  });

  it("at any moment: each event has its effect once, in order", async () => {
    writeScript("", "sleep(150ms)");
    started();
    const events = [1, 2, 3, 4, 5, 6];
    for (const n of events) run(["trigger", "worker", String(n)]);
    for (const ms of [0, 130, 310, 620, 900]) {
      await new Promise((done) => setTimeout(done, ms));
      const { pid } = one();
      if (pid !== null) process.kill(pid, "SIGKILL");
      await until("its death", () => one().pid === null);
      started();
    }
    await until("all events", () => one().queued === 0);
    expect(effects()).toEqual(["Wait.", ...events.map(String)]);
    expect(one()).toMatchObject({ turns: 7, dead_letters: [] });
  });

  it("of a turn's process: it is tried again, and goes on where it was", async () => {
    writeScript("", untilGo);
    started();
    go();
    await until("its first turn", () => one().turns === 1);
    rmSync(join(folder, "go"));
    run(["trigger", "worker", "1"]);
    await until("the effect", () => effects().length === 2);
    const children = readFileSync(`/proc/${one().pid}/task/${one().pid}/children`, "utf8").trim().split(" ");
    for (const child of children) process.kill(Number(child), "SIGKILL");
    go();
    await until("the event", () => one().queued === 0);
    expect(effects()).toEqual(["Wait.", "1"]);
    expect(run(["log", "worker"]).stdout).toContain("its process ended under it (SIGKILL)");
  });
});

it("a turn that never ends is given up, and others get theirs", async () => {
  writeScript(
    "",
    `if llm_mock_calls().last().messages.last().content == "\\"spin\\"" {
        while true {}
      }`,
  );
  expect(run(["run", script, "--timeout", "2s"]).status).toBe(0);
  await until("its first turn", () => one().turns === 1);
  run(["trigger", "worker", "spin"]);
  expect(run(["trigger", "worker", "after", "--wait"]).status).toBe(0);
  expect(one().dead_letters[0]?.reason).toContain("it took too long and was ended");
  expect(effects()).toEqual(["Wait.", '"spin"', '"after"']);
});

it("a daemon of a program has one process at a time; when that is killed, another program goes on", async () => {
  writeFileSync(
    join(folder, "first.harn"),
    `let daemon = daemon_spawn({task: "Wait.", provider: "mock", persist_path: "state"})
daemon_trigger(daemon, 1)
while daemon_snapshot(daemon).queued_event_count > 0 {
  sleep(1ms)
}
println("up")
sleep(10m)
`,
  );
  writeFileSync(
    join(folder, "second.harn"),
    `let daemon = daemon_resume("state", {provider: "mock"})
daemon_trigger(daemon, 2)
while daemon_snapshot(daemon).queued_event_count > 0 {
  sleep(1ms)
}
println(daemon_snapshot(daemon).visible_messages.filter({ m -> m.role == "user" }).map({ m -> m.content }))
daemon_stop(daemon)
`,
  );
  const first = startHarn(["run", "first.harn"], { cwd: folder });
  await first.shows("up");
  const refused = harn(["run", "second.harn"], { cwd: folder });
  expect(refused.stderr).toContain(
    `daemon_resume: the daemon in state is run by process ${first.child.pid} already`,
  );
  expect(refused.status).toBe(1);
  first.child.kill("SIGKILL");
  await first.ended;
  expect(harn(["run", "second.harn"], { cwd: folder }).stdout).toBe("[Wait., 1, 2]\n");
  expect(harn(["run", "second.harn"], { cwd: folder }).stdout).toBe("[Wait., 1, 2, 2]\n");
});
