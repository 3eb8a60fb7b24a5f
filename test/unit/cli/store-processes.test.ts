/** The store of scripts (`store_set` …) under several processes, kills and files of older versions. */
// long: kills processes that write one store
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("store");

let projects = 0;
function project(): string {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(join(cwd, ".harn"), { recursive: true });
  return cwd;
}

const shown = (cwd: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(cwd, ".harn/store.json"), "utf8"));

const many = (name: string): string =>
  `println("ready")\nfor i in range(200) { store_set("${name}\${i}", i) }\nstore_set("${name}_done", true)`;

/** Runs two programs at once, to their ends. */
async function both(cwd: string, ...scripts: readonly string[]): Promise<string[]> {
  const runs = scripts.map((script) =>
    startHarn(["run", "-e", script], { cwd, env: { HARN_EVENT_LOG_BACKEND: "file" } }),
  );
  const ends = await Promise.all(runs.map((run) => run.ended));
  for (const end of ends) expect(end).toMatchObject({ stderr: "", status: 0 });
  return ends.map(({ stdout }) => stdout);
}

describe("what else a project keeps, with two processes at once", () => {
  it("metadata: each saves its own facts and keeps the other's", async () => {
    const cwd = project();
    const facts = (name: string): string =>
      `for i in range(200) { metadata_set("src", "facts", {"${name}\${i}": i})\nif i % 20 == 19 { metadata_save() } }`;
    await both(cwd, facts("a"), facts("b"));
    const saved = JSON.parse(readFileSync(join(cwd, ".harn/metadata/facts/entries.json"), "utf8"));
    expect(Object.keys(saved.src)).toHaveLength(400);
  });

  it("checkpoints: the file is that of one run, whole", async () => {
    const cwd = project();
    for (const name of ["a", "b"])
      writeFileSync(
        join(cwd, `${name}.harn`),
        `for i in range(200) { checkpoint("${name}\${i}", i) }\nprintln(len(checkpoint_list()))`,
      );
    const runs = ["a", "b", "a", "b"].map((name) => startHarn(["run", `${name}.harn`], { cwd }));
    for (const run of runs) expect(await run.ended).toMatchObject({ stdout: "200\n", stderr: "", status: 0 });
    for (const name of ["a", "b"]) {
      const shown = JSON.parse(readFileSync(join(cwd, `.harn/checkpoints/${name}.json`), "utf8"));
      expect(Object.keys(shown)).toHaveLength(200);
    }
  });

  it("event log: 400 events have 400 numbers, in files, too", async () => {
    const cwd = project();
    const emit = (name: string): string => `for i in range(200) { event_log.emit("t", "${name}", i) }`;
    await both(cwd, emit("a"), emit("b"));
    const lines = readFileSync(join(cwd, ".harn/events/t.jsonl"), "utf8").trim().split("\n");
    const ids = lines.map((line) => JSON.parse(line).id);
    expect(ids).toEqual(Array.from({ length: 400 }, (_, at) => at + 1));
  });

  it("mailboxes: every message is received once, in the order of its sender", async () => {
    const cwd = project();
    const sender = (name: string): string =>
      `for i in range(100) { workflow.signal("w", "${name}", i) }\nprintln("sent")`;
    await both(cwd, sender("a"), sender("b"));
    const receiver = `var got = []
var m = workflow.receive("w")
while m != nil {
  got = got.push([m.seq, m.name, m.payload])
  m = workflow.receive("w")
}
println(json_stringify(got))`;
    const outs = await both(cwd, receiver, receiver);
    const received = outs.map((out) => JSON.parse(out) as [number, string, number][]);
    const all = received.flat().sort(([a], [b]) => a - b);
    expect(all.map(([seq]) => seq)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    for (const name of ["a", "b"])
      expect(all.filter(([, of]) => of === name).map(([, , n]) => n)).toEqual(
        Array.from({ length: 100 }, (_, at) => at),
      );
    for (const one of received)
      expect(one.map(([seq]) => seq)).toEqual(one.map(([seq]) => seq).sort((a, b) => a - b));
  });
});

describe("the store", () => {
  it("keeps every key of processes that write at the same time", async () => {
    const cwd = project();
    const both = ["a", "b"].map((name) => startHarn(["run", "-e", many(name)], { cwd }));
    for (const run of both) expect(await run.ended).toMatchObject({ stderr: "", status: 0 });
    expect(Object.keys(shown(cwd))).toHaveLength(402);
    expect(harn(["run", "-e", "println(len(store_list()))"], { cwd }).stdout).toBe("402\n");
  });

  it("is begun by several processes at the same moment", async () => {
    for (let round = 0; round < 10; round++) {
      const cwd = project();
      const all = ["a", "b", "c"].map((key) => startHarn(["run", "-e", `store_set("${key}", 1)`], { cwd }));
      for (const run of all) expect(await run.ended).toMatchObject({ stderr: "", status: 0 });
      expect(Object.keys(shown(cwd))).toEqual(["a", "b", "c"]);
    }
  });

  it("loses nothing when one of them is killed, and its resume adds the rest", async () => {
    const cwd = project();
    writeFileSync(join(cwd, "a.harn"), many("a"));
    const [first, second] = [
      startHarn(["run", "a.harn"], { cwd }),
      startHarn(["run", "-e", many("b")], { cwd }),
    ];
    await first.shows("ready");
    while (!existsSync(join(cwd, ".harn/store.json"))) await new Promise((resolve) => setTimeout(resolve, 5));
    first.child.kill("SIGKILL");
    await first.ended;
    expect((await second.ended).status).toBe(0);
    const runs = harn(["runs", "--json"], { cwd }).stdout.trim().split("\n");
    const [killed] = runs.map((line) => JSON.parse(line)).filter(({ state }) => state === "interrupted");
    if (killed !== undefined) expect(harn(["run", "--resume", killed.run], { cwd }).status).toBe(0);
    expect(Object.keys(shown(cwd))).toHaveLength(402);
  });

  it("takes a file over that an older version has made, and one that was edited or removed", () => {
    const cwd = project();
    const file = join(cwd, ".harn/store.json");
    writeFileSync(file, '{"old": 1.0, "n": [1]}');
    const run = (script: string) => harn(["run", "-e", script], { cwd });
    expect(run('println(store_get("old"))\nstore_set("new", 2)\nprintln(store_get("old"))')).toMatchObject({
      stdout: "1.0\n1.0\n",
      stderr: "",
    });
    writeFileSync(file, '{"edited": true}');
    const edited = run('store_set("x", 1)');
    expect(edited.stderr).toMatch(/^harn: .*store\.json was changed by others; it counts as it is\n$/);
    expect(shown(cwd)).toEqual({ edited: true, x: 1 });
    rmSync(file);
    expect(run('println(store_list())\nstore_set("y", 1)').stdout).toBe("[]\n");
    expect(shown(cwd)).toEqual({ y: 1 });
    writeFileSync(file, "{broken");
    expect(run('store_set("z", 1)').stderr).toContain("is damaged");
    expect(readFileSync(file, "utf8")).toBe("{broken");
  });
});
