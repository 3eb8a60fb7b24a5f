/** `harn eval run --workers` with engine, database and workers as they are: what comes back, what dies, who follows, who may. */
// long: starts engine, database and workers
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { clusterDesk, type DeskProject, effectServer } from "../../support/cluster-desk.ts";
import type { RunningCli } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("sets-on-workers");
const desk = await clusterDesk();
afterAll(() => desk.stop());
const { missing } = desk;
const title = `sets on workers${missing === undefined ? "" : ` (skipped: ${missing})`}`;

const project = (files: Readonly<Record<string, string>>, names?: readonly string[]): DeskProject =>
  desk.project(freshFolder(), files, names);

/** Each trial makes two requests with keys of its own. */
const script = (samples: number): string => `import "std/eval"
import { said } from "lib/helper"
let url = eval_param("url", "")
eval_pack t {
  dataset: range(0, ${samples}).map({ n -> {id: "ä\${n}"} }).to_list()
  solver: { sample, trial ->
    for i in 0 to 1 {
      http_post("\${url}/", "x", {headers: {"Idempotency-Key": "\${trial.id} \${i}"}})
    }
    said(sample) + to_string(random_int(0, 1000))
  }
  scorers: [includes("yes")]
  epochs: 2
}
`;
const files = {
  "t.eval.harn": script(24),
  "lib/helper.harn": 'pub fn said(sample) { return sample.id == "ä3" ? "no" : "yes" }\n',
};

/** Of the set of that script: 24 samples, 2 epochs. */
const requests = 96;

const seeded = ["--seed", "seven", "--quiet", "--set", "s"] as const;

/** What a set says but for times. */
function reportIn(stdout: string): unknown {
  const { began: _began, ended: _ended, ...report } = JSON.parse(stdout) as Record<string, unknown>;
  return report;
}

async function shown(of: DeskProject): Promise<unknown> {
  const { stdout, stderr } = await of.alone("eval", "show", "s", "--json");
  expect(stderr).toBe("");
  return reportIn(stdout);
}

const statusOf = async (of: DeskProject): Promise<{ readonly state: string; readonly on_workers: number }> =>
  JSON.parse((await of.alone("eval", "status", "s", "--json")).stdout);

describe.skipIf(missing !== undefined)(title, () => {
  it("come to what one machine comes to, though a worker is killed; nothing is done twice, and replayed without engine and database", async () => {
    const counter = await effectServer(20);
    const here = project(files, ["sender"]);
    const there = project(files, ["sender", "one", "two"]);
    const param = ["--param", `url=${counter.url}`];
    expect(await here.harn("eval", "run", "t.eval.harn", ...seeded, ...param)).toMatchObject({ status: 0 });
    expect(counter.sent.size).toBe(requests);
    counter.close();
    const elsewhere = await effectServer(20);
    const [first] = await Promise.all([there.worker([], "one"), there.worker([], "two")]);
    const asked = ["--param", `url=${elsewhere.url}`];
    const set = there.start([
      "eval",
      "run",
      "t.eval.harn",
      "--workers",
      "--trials",
      "4",
      ...seeded,
      ...asked,
    ]);
    await elsewhere.came(requests / 4, set.ended);
    first.child.kill("SIGKILL");
    expect(await set.ended).toMatchObject({ stderr: "", status: 0 });
    expect(await shown(there)).toEqual(await shown(here));
    // A request that was on its way when its worker was killed is made again, with its key.
    expect(elsewhere.sent.size).toBe(requests);
    for (const [key, times] of elsewhere.sent) expect(times, key).toBeLessThanOrEqual(2);
    const twice = [...elsewhere.sent.values()].filter((times) => times > 1).length;
    expect(twice).toBeLessThanOrEqual(4);
    expect(await there.alone("eval", "replay", "s", "--json")).toMatchObject({ status: 0 });
    elsewhere.close();
  });

  it("go on when nobody looks; here they are refused meanwhile, and followed or ended from here", async () => {
    const counter = await effectServer(150);
    const desk = project({ ...files, "t.eval.harn": script(4) }, ["sender", "worker"]);
    await desk.worker();
    const set = desk.start([
      "eval",
      "run",
      "t.eval.harn",
      "--workers",
      ...seeded,
      "--param",
      `url=${counter.url}`,
    ]);
    await counter.came(1, set.ended);
    set.child.kill("SIGINT");
    const left = await set.ended;
    expect(left).toMatchObject({ status: 130 });
    expect(left.stdout).toContain("on workers");
    expect((await statusOf(desk)).on_workers).toBeGreaterThan(0);
    const refused = await desk.alone("eval", "resume", "s");
    expect(refused.stderr).toContain(
      "`harn eval resume s --workers` follows them, `harn eval stop s` ends them there (HARN-EVL-019)",
    );
    expect((await desk.alone("eval", "delete", "s")).stderr).toContain("HARN-EVL-019");
    const stopped = await desk.harn("eval", "stop", "s");
    expect(stopped).toMatchObject({ stdout: "s is stopped\n", stderr: "", status: 0 });
    expect((await statusOf(desk)).on_workers).toBe(0);
    expect((await desk.harn("eval", "resume", "s", "--workers", "--quiet")).status).toBe(0);
    expect(await statusOf(desk)).toMatchObject({ state: "done", on_workers: 0 });
    for (const [key, times] of counter.sent) expect(times, key).toBeLessThanOrEqual(2);
    counter.close();
  });

  it("ask people where the set is, and go on with what they say", async () => {
    const text = `import "std/eval"
eval_pack t {
  dataset: [{id: "a"}, {id: "b"}]
  solver: { sample, trial -> sample.id == "a" ? "yes" : ask_user("Is it right?") }
  scorers: [includes("yes")]
}
`;
    const asking = project({ "t.eval.harn": text });
    await asking.worker();
    const run = await asking.harn("eval", "run", "t.eval.harn", "--workers", ...seeded);
    expect(run.status).toBe(75);
    const [question] = (await asking.alone("hitl", "list", "--json")).stdout.trim().split("\n");
    const { run: name } = JSON.parse(question ?? "{}") as { run: string };
    expect(name).toMatch(/^s\.\d+$/);
    expect(await asking.alone("hitl", "answer", name, "yes")).toMatchObject({ status: 0 });
    expect(await asking.harn("eval", "resume", "s", "--workers", "--quiet")).toMatchObject({ status: 0 });
  });

  it("are told on which machine a file is missing, but not of what lies in their sandboxes", async () => {
    const text = `import "std/eval"
fn missed(path) { return try { read_file(path) } catch (e) { e } }
eval_pack t {
  dataset: [{id: "a"}]
  solver: { sample, trial -> missed("own.txt") + "|" + missed("/none/of/it.txt") }
  scorers: [includes("|")]
  sandbox: true
}
`;
    const missing = project({ "t.eval.harn": text });
    await missing.worker();
    expect(await missing.harn("eval", "run", "t.eval.harn", "--workers", ...seeded)).toMatchObject({
      status: 0,
    });
    const said = (await missing.alone("eval", "show", "s:a.1")).stdout;
    expect(said).toMatch(
      /own\.txt: no such file or folder\|.*it\.txt: no such file or folder on the worker /,
    );
  });

  it("are done by workers that may, and for those whose keys they know", async () => {
    const text = `import "std/eval"
eval_pack t {
  dataset: [{id: "a"}]
  solver: { sample, trial -> exec("echo", "yes").stdout }
  scorers: [includes("yes")]
}
`;
    const strict = project({ "t.eval.harn": text }, ["sender", "worker"]);
    const denying = await strict.worker(["--deny", "process"]);
    const refused = await strict.harn("eval", "run", "t.eval.harn", "--workers", ...seeded);
    expect(refused.status).toBe(2);
    expect(refused.stdout).toContain("asks for more than this worker may do");
    await ended(denying);
    const keys = join(strict.folder(), "keys");
    mkdirSync(keys);
    expect(await strict.alone("skill", "key", "generate", join(keys, "own"))).toMatchObject({ status: 0 });
    const signing = await strict.worker(["--signed-by", join(keys, "own.pub")]);
    const again = ["eval", "resume", "s", "--workers", "--quiet"];
    expect((await strict.harn(...again)).stdout).toContain(
      "are not signed, and this worker takes only what is signed",
    );
    expect(await strict.harn(...again, "--sign", join(keys, "own"))).toMatchObject({ status: 0 });
    await ended(signing);
  });
});

async function ended(worker: RunningCli): Promise<void> {
  worker.child.kill("SIGTERM");
  await worker.ended;
}
