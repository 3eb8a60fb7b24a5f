/** The store of scripts (`store_set` …) under several processes, kills and files of older versions. */
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
