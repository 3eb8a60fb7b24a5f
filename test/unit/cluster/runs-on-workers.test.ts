/** `harn run --workers` with engine, database and workers as they are: the journal that comes back, faults, people, permissions. */
// long: starts engine, database and workers
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JournalRecord } from "../../../src/effects/index.ts";
import { openStore, withStore } from "../../../src/store/index.ts";
import {
  clusterDesk,
  type DeskProject,
  effectServer,
  isAlive,
  killChildren,
  thirtyEffects,
  thirtyLines,
} from "../../support/cluster-desk.ts";
import { beginRun } from "../../support/cluster-journals.ts";
import type { RunningCli } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("workers");
const desk = await clusterDesk();
afterAll(() => desk.stop());
const { missing } = desk;
const title = `runs on workers${missing === undefined ? "" : ` (skipped: ${missing})`}`;

const project = (files: Readonly<Record<string, string>>, names?: readonly string[]): DeskProject =>
  desk.project(freshFolder(), files, names);

/** Of the newest run of a machine. */
function journalOf(folder: string): { readonly header: object; readonly records: readonly JournalRecord[] } {
  return withStore(join(folder, ".harn"), ({ runs }) => {
    const [newest] = runs.list();
    const { run: _name, ...header } = runs.read(newest?.name ?? "").header;
    return { header, records: runs.read(newest?.name ?? "").records };
  });
}

const journals = (): string => desk.postgres.url;

const stateAt = (folder: string): string =>
  withStore(join(folder, ".harn"), ({ runs }) => {
    const [newest] = runs.list();
    return newest?.isOnWorkers === true ? "on workers" : (newest?.state ?? "none");
  });

const everything = {
  "main.harn": `import { twice } from "lib/helper"

pipeline main(name) {
  println("hello \${name} 🦊")
  let part = parallel 3 { i -> "\${i}:\${random_int(1, 1000000)}" }
  println(join(part, " "))
  for i in 0 to 3 {
    append_file("out.txt", "line \${twice(i)}\\n")
  }
  eprintln("on standard error")
  print("no line break")
}
`,
  "lib/helper.harn": "pub fn twice(n) { return n * 2 }\n",
};

const scripts = {
  ...thirtyEffects,
  "agent.harn": `let tools = tool_define(tool_registry(), "note", "Notes it.", {
  parameters: {text: {type: "string"}},
  handler: { args -> write_file("note.txt", args.text) },
})
println(agent_loop("Note it.", "", {tools: tools, tool_format: "native"}).answer)
`,
  "answers.jsonl": `${JSON.stringify({ tool_calls: [{ name: "note", arguments: { text: "hi" } }] })}
${JSON.stringify({ text: "it lies there" })}
`,
  "ask.harn": 'println("before")\nlet name = ask_user("your name?")\nprintln("hi ${name}")\n',
  "doubt.harn": 'println("go")\nexec("sh", "-c", "echo x >> done; sleep 1000")\nprintln("went on")\n',
  "stubborn.harn": 'println("go")\nexec("sh", "-c", "echo $$ > pid; trap \'\' TERM INT; sleep 1000")\n',
  "missing.harn": 'println(try { read_file("data.txt") } catch (e) { e })\nread_file("data.txt")\n',
  "broken.harn": 'append_file("tries", "x")\nthrow "broken 🦊"\n',
};

describe.skipIf(missing !== undefined)(title, () => {
  it("give the journal that one machine gives, and what it printed to the byte", async () => {
    const here = project(everything, ["sender"]);
    const there = project(everything, ["sender"]);
    const local = await here.harn("run", "main.harn", "--seed", "s", "--", "Zoë");
    // A worker in the folder of the sender has a store of its own in its state folder.
    await there.worker([], "sender");
    const remote = await there.harn("run", "main.harn", "--workers", "--quiet", "--seed", "s", "--", "Zoë");
    expect(remote).toEqual(local);
    expect(local.status).toBe(0);
    expect(local.stdout.endsWith("no line break")).toBe(true);
    expect(readFileSync(join(there.folder(), "out.txt"))).toEqual(
      readFileSync(join(here.folder(), "out.txt")),
    );
    const placed = (folder: string): unknown =>
      JSON.parse(JSON.stringify(journalOf(folder)).replaceAll(folder, "FOLDER"));
    expect(placed(there.folder())).toEqual(placed(here.folder()));
    expect(stateAt(there.folder())).toBe("done");
  });

  describe("of one worker", () => {
    let one: DeskProject;
    let worker: RunningCli;
    beforeAll(async () => {
      one = project(scripts);
      worker = await one.worker();
    });
    const onWorkers = (script: string, ...more: readonly string[]) =>
      one.harn("run", script, "--workers", "--quiet", ...more);

    it("are replayed, traced, explained and forked without engine and database", async () => {
      const ran = await onWorkers("agent.harn", "--llm-mock", "answers.jsonl");
      expect([ran.status, ran.stdout]).toEqual([0, "it lies there\n"]);
      expect(existsSync(join(one.folder("worker"), "note.txt"))).toBe(true);
      expect(existsSync(join(one.folder(), "note.txt"))).toBe(false);
      const replayed = await one.alone("replay", "last");
      expect([replayed.status, replayed.stdout]).toEqual([0, ran.stdout]);
      for (const [words, says] of [
        [["trace", "last"], "✓ note"],
        [["why", "last"], "done"],
        [["runs", "show", "last"], "write_file"],
      ] as const)
        expect((await one.alone(...words)).stdout, words.join(" ")).toContain(says);
      const forked = await one.alone("fork", "last", "--at", "1");
      expect([forked.status, forked.stdout]).toEqual([0, ran.stdout]);
      expect(existsSync(join(one.folder(), "note.txt"))).toBe(true);
    });

    it("are told on which machine a file is missing, also in a replay", async () => {
      writeFileSync(join(one.folder(), "data.txt"), "of the sender");
      const ran = await onWorkers("missing.harn");
      const words = `data.txt: no such file or folder on the worker ${hostname()}: files do not travel to workers, share the folder`;
      expect(ran.status).toBe(1);
      const replayed = await one.alone("replay", "last");
      expect(replayed.status).toBe(1);
      for (const text of [ran.stdout, ran.stderr, replayed.stdout]) expect(text).toContain(words);
    });

    it("ask people where they were handed over, and go on with the answer", async () => {
      const asked = await one.harn("run", "ask.harn", "--workers");
      expect([asked.status, asked.stdout]).toEqual([75, "before\n"]);
      expect(asked.stderr).toMatch(/waiting for a person.*`harn run --resume run-\S+ --workers` goes on/);
      expect((await one.alone("hitl", "list")).stdout).toContain("question: your name?");
      expect((await one.harn("run", "--resume", "last", "--workers")).status).toBe(75);
      await one.alone("hitl", "answer", "last", "Zoë");
      const answered = await one.harn("run", "--resume", "last", "--workers");
      expect([answered.status, answered.stdout]).toEqual([0, "hi Zoë\n"]);
      expect((await one.alone("replay", "last")).stdout).toBe("before\nhi Zoë\n");
      expect((await one.alone("hitl", "list")).stdout).toBe("nobody is asked anything\n");
    });

    it("that have asked go on here as well", async () => {
      expect((await onWorkers("ask.harn")).status).toBe(75);
      await one.alone("hitl", "answer", "last", "A");
      expect((await one.alone("run", "--resume", "last")).stdout).toBe("hi A\n");
    });

    it("ask about what is in doubt, and do not do it again", async () => {
      const run = one.start(["run", "doubt.harn", "--workers"]);
      const done = join(one.folder("worker"), "done");
      await expect.poll(() => existsSync(done)).toBe(true);
      killChildren(worker, "SIGKILL");
      expect((await run.ended).status).toBe(75);
      expect((await one.alone("hitl", "list")).stdout).toContain("doubt: this had begun when the run ended");
      await one.alone("hitl", "answer", "last", "skip");
      const gone = await one.harn("run", "--resume", "last", "--workers");
      expect([gone.status, gone.stdout]).toEqual([0, "went on\n"]);
      expect(gone.stderr).toContain("it is not known whether this happened, it is skipped: exec");
      expect(readFileSync(done, "utf8")).toBe("x\n");
    });

    it("are stopped from where they were handed over, with all that they started", async () => {
      const run = one.start(["run", "stubborn.harn", "--workers"]);
      const file = join(one.folder("worker"), "pid");
      await expect.poll(() => existsSync(file) && readFileSync(file, "utf8") !== "").toBe(true);
      const pid = Number(readFileSync(file, "utf8"));
      expect(isAlive(pid)).toBe(true);
      expect((await one.harn("runs", "list", "--limit", "1")).stdout).toContain("on workers");
      expect((await one.harn("run", "--resume", "last")).status).toBe(75);
      const stopped = await one.harn("runs", "stop", "last");
      expect([stopped.status, stopped.stdout]).toEqual([
        0,
        expect.stringMatching(/ is (stopped|interrupted)\n$/),
      ]);
      expect(isAlive(pid)).toBe(false);
      const { status, stdout, stderr } = await run.ended;
      expect(stdout).toBe("go\n");
      expect([130, 143]).toContain(status);
      expect(stderr).toMatch(/was stopped; `harn run --resume run-\S+ --workers` goes on from there/);
    });

    it("go on after Ctrl-C; they are followed again from where they were seen", async () => {
      const effects = await effectServer();
      const run = one.start(["run", "main.harn", "--workers", "--", effects.url]);
      await run.shows("did 3");
      run.child.kill("SIGINT");
      const first = await run.ended;
      expect(first.status).toBe(130);
      expect(first.stderr).toMatch(
        /goes on on workers; `harn run --resume run-\S+ --workers` follows it again, `harn runs stop run-\S+` stops it/,
      );
      const { status, stdout } = await one.harn("run", "--resume", "last", "--workers");
      effects.close();
      expect([status, first.stdout + stdout]).toEqual([0, thirtyLines]);
      expect([...effects.sent.values()]).toEqual(Array(30).fill(1));
    });

    it("are what was handed over, whatever lies on the disk of the worker", async () => {
      writeFileSync(join(one.folder("worker"), "ask.harn"), 'println("as it lies there")\n');
      const { status, stdout } = await onWorkers("ask.harn");
      expect([status, stdout]).toEqual([75, "before\n"]);
    });

    it("that fail are not tried again", async () => {
      const ran = await onWorkers("broken.harn");
      expect([ran.status, ran.stdout]).toEqual([1, ""]);
      expect(ran.stderr).toContain("broken 🦊");
      expect(readFileSync(join(one.folder("worker"), "tries"), "utf8")).toBe("x");
      expect(stateAt(one.folder())).toBe("failed");
      worker.child.kill("SIGTERM");
      const { stdout, status } = await worker.ended;
      expect(stdout).toMatch(/run-\S+ begins\nrun-\S+ has ended: exit code 1, \d+ records\n$/);
      expect(status).toBe(0);
      // What the database has, the worker's own store need not keep.
      expect(
        (await one.start(["runs", "list"], "worker", { env: { HARN_STATE_DIR: ".harn/cluster" } }).ended)
          .stdout,
      ).toContain("no runs in");
    });
  });

  it("that no worker has taken are stopped, too", async () => {
    const desk = project(thirtyEffects);
    // It takes those of another queue.
    await desk.worker(["--queue", "other"]);
    const run = desk.start(["run", "main.harn", "--workers", "--", "http://127.0.0.1:1"]);
    await run.shows("is handed over to workers");
    expect((await desk.harn("runs", "stop", "last")).stdout).toMatch(/ is interrupted\n$/);
    expect((await run.ended).status).toBe(143);
  });

  it("that nobody knows any more are not begun anew, until somebody takes them back", async () => {
    const desk = project(thirtyEffects);
    const store = openStore(join(desk.folder(), ".harn"));
    beginRun(store, "run-x", desk.folder());
    store.runs.elsewhere.note("run-x", { seen: 4, isSent: true });
    store.close();
    const again = await desk.harn("run", "--resume", "run-x", "--workers");
    expect([again.status, again.stderr]).toEqual([
      1,
      expect.stringContaining("engine and database know nothing of run-x any more"),
    ]);
    expect(stateAt(desk.folder())).toBe("on workers");
    expect((await desk.harn("runs", "stop", "run-x")).stdout).toBe("run-x is interrupted\n");
    expect((await desk.alone("run", "--resume", "run-x")).stdout).toBe("hello\n");
  });

  it("a worker that is asked to stop ends what it has; asked again, others go on with it", async () => {
    const effects = await effectServer();
    const desk = project(thirtyEffects, ["sender", "a", "b"]);
    const first = await desk.worker([], "a");
    const run = desk.start(["run", "main.harn", "--workers", "--quiet", "--", effects.url]);
    await run.shows("did 2");
    first.child.kill("SIGTERM");
    await first.shows("takes no more jobs");
    await run.shows("did 6");
    first.child.kill("SIGTERM");
    expect((await first.ended).status).toBe(143);
    const second = await desk.worker([], "b");
    const { status, stdout } = await run.ended;
    second.child.kill("SIGTERM");
    expect((await second.ended).status).toBe(0);
    effects.close();
    expect([status, stdout]).toEqual([0, thirtyLines]);
    expect(effects.sent.size).toBe(30);
  });

  it("do what the worker may do, whatever their senders say", async () => {
    const desk = project({
      "main.harn": 'println(try { exec("echo", "ran") } catch (e) { "refused" })\n',
      "env.harn":
        'for name in ["HARN_JOURNALS", "OTHER", "PGPASSWORD", "PGPASSFILE", "TEMPORAL_API_KEY", "ENGINE_KEY"] {\n  println("${name}: ${env(name) ?? "none"}")\n}\n',
    });
    // The server asks for no password, and takes any.
    const env = { PGPASSWORD: "hush", PGPASSFILE: "/none", TEMPORAL_API_KEY: "sesame", ENGINE_KEY: "sesame" };
    await desk.worker(["--deny", "process"], "worker", { env: { ...env, OTHER: journals() } });
    const more = await desk.harn("run", "main.harn", "--workers");
    expect([more.status, more.stdout]).toEqual([1, ""]);
    expect(more.stderr).toContain(
      "failed on workers: the run asks for more than this worker may do: process",
    );
    expect(more.stderr).toContain("begin it with --deny process, or with less");
    expect(stateAt(desk.folder())).toBe("interrupted");
    const less = await desk.harn("run", "main.harn", "--workers", "--quiet", "--deny", "process");
    expect([less.status, less.stdout]).toEqual([0, "refused\n"]);
    expect((await desk.alone("replay", "last")).stdout).toBe("refused\n");
    // What the worker is connected with is nothing that scripts see.
    const secrets = await desk.harn("run", "env.harn", "--workers", "--quiet", "--deny", "process");
    expect(secrets.stdout.match(/: none$/gm)).toHaveLength(6);
  });

  it("are signed for workers that take no others", async () => {
    const desk = project({ "main.harn": 'println("signed")\n' });
    for (const name of ["alice", "bob"])
      await desk.alone("skill", "key", "generate", join(desk.folder(), name));
    mkdirSync(join(desk.folder("worker"), "keys"));
    const list = join(desk.folder("worker"), "keys", "signers");
    writeFileSync(list, readFileSync(join(desk.folder(), "alice.pub")));
    await desk.worker(["--signed-by", list]);
    const unsigned = await desk.harn("run", "main.harn", "--workers");
    expect([unsigned.status, unsigned.stderr]).toEqual([1, expect.stringContaining("is not signed")]);
    const bob = await desk.harn("run", "main.harn", "--workers", "--sign", "bob");
    expect([bob.status, bob.stderr]).toEqual([1, expect.stringContaining("is signed by")]);
    const alice = await desk.harn("run", "main.harn", "--workers", "--quiet", "--sign", "alice");
    expect([alice.status, alice.stdout]).toEqual([0, "signed\n"]);
  });
});
