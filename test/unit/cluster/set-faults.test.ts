/** Sets whose workers are killed one after the other, and sets that go on on another machine than the one that began them. */
// long outside of CI: kills a worker every ten seconds
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { clusterDesk, type DeskProject, effectServer } from "../../support/cluster-desk.ts";
import { projectRoot } from "../../support/project.ts";
import { isSmoke, tenthOf } from "../../support/smoke.ts";
import { type RunningCli, startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";
import { findTemporal } from "../../support/temporal-server.ts";

const freshFolder = tempFolders("set-faults");
const desk = await clusterDesk();
afterAll(() => desk.stop());
const { missing } = desk;
const title = `sets of workers that die${missing === undefined ? "" : ` (skipped: ${missing})`}`;

const found = findTemporal();
const engine: Readonly<Record<string, string>> = "path" in found ? { HARN_TEST_TEMPORAL: found.path } : {};

const trials = tenthOf(500);
/** Of a trial. */
const requests = 2;
const files = {
  "t.eval.harn": `import "std/eval"
let url = eval_param("url", "")
eval_pack t {
  dataset: range(0, ${trials}).map({ n -> {id: "s\${n}"} }).to_list()
  solver: { sample, trial ->
    for i in 0 to ${requests - 1} { http_post("\${url}/", "x", {headers: {"Idempotency-Key": "\${trial.id} \${i}"}}) }
    if random_int(0, 9) == 0 { "no" } else { "yes \${random_int(0, 1000)}" }
  }
  scorers: [includes("yes")]
}
`,
};
const run = (url: string, ...more: readonly string[]): string[] => [
  ...["eval", "run", "t.eval.harn", "--set", "s", "--seed", "seven", "--quiet", "--param", `url=${url}`],
  ...more,
];

/** What the set says but for times. */
async function shown(of: DeskProject): Promise<unknown> {
  const { stdout } = await of.alone("eval", "show", "s", "--json");
  const { began: _began, ended: _ended, ...report } = JSON.parse(stdout) as Record<string, unknown>;
  return report;
}

/** As one machine does it. */
async function undisturbed(): Promise<unknown> {
  const effects = await effectServer(1);
  const here = desk.project(freshFolder(), files, ["sender"]);
  expect(await here.harn(...run(effects.url))).toMatchObject({ status: 0 });
  effects.close();
  return await shown(here);
}

describe.skipIf(missing !== undefined)(title, () => {
  it("come to what one machine comes to, and no trial is run twice", async () => {
    const effects = await effectServer(1000);
    const there = desk.project(freshFolder(), files, ["sender", "one", "two"]);
    const workers: Record<string, RunningCli> = {
      one: await there.worker([], "one"),
      two: await there.worker([], "two"),
    };
    const set = there.start(run(effects.url, "--workers", "--trials", "8"));
    let isOver = false;
    const ended = set.ended.finally(() => {
      isOver = true;
    });
    let kills = 0;
    for (; ; kills++) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, isSmoke ? 3000 : 10_000))]);
      if (isOver) break;
      const name = kills % 2 === 0 ? "one" : "two";
      workers[name]?.child.kill("SIGKILL");
      workers[name] = await there.worker([], name);
    }
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
    expect(kills).toBeGreaterThan(0);
    expect(effects.sent.size).toBe(trials * requests);
    // What was on its way when its worker was killed, with its key.
    const again = [...effects.sent.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(again).toBeLessThanOrEqual(kills * 8);
    effects.close();
    expect(await shown(there)).toEqual(await undisturbed());
    expect(await there.alone("eval", "replay", "s", "--json")).toMatchObject({ status: 0 });
  });

  it("are what `npm run cluster-demo` shows: nothing lost, nothing twice", async () => {
    const demo = startHarn([join(projectRoot, "scripts/cluster-demo.ts"), "--no-wait"], {
      program: process.execPath,
      cwd: freshFolder(),
      env: engine,
    });
    const { status, stdout, stderr } = await demo.ended;
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("500 done, 0 lost, 0 twice");
  });

  it("go on on workers of another machine than the one that began them, from an exported file", async () => {
    const effects = await effectServer(20);
    const place = desk.project(freshFolder(), files, ["sender", "other", "worker"]);
    const set = place.start(run(effects.url, "--trials", "2"));
    await effects.came(Math.min(20, trials), set.ended);
    set.child.kill("SIGINT");
    expect((await set.ended).status).toBe(130);
    const file = join(place.folder(), "half.harneval");
    expect(await place.harn("eval", "export", "s", file)).toMatchObject({ status: 0 });
    expect(await place.start(["eval", "import", file, "--set", "s"], "other").ended).toMatchObject({
      status: 0,
    });
    await place.worker([], "worker");
    const resumed = await place.start(["eval", "resume", "s", "--workers", "--quiet"], "other").ended;
    expect(resumed).toMatchObject({ status: 0 });
    expect(effects.sent.size).toBe(trials * requests);
    const again = [...effects.sent.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(again).toBeLessThanOrEqual(2);
    effects.close();
    const status = await place.start(["eval", "status", "s", "--json"], "other").ended;
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "done" });
  });
});
