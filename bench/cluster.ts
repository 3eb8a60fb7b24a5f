/**
 * Runs and trials on workers, with PostgreSQL (fsync off), Temporal's one-process server and workers as processes of this machine: what
 * handing over costs, what 1, 2 and 4 workers do beside one process, how long a barrier takes, how soon a dead worker's run goes on, what
 * the database keeps. Without Temporal's program it says so and measures nothing.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEngine } from "../src/cluster/engine/index.ts";
import { openMirror } from "../src/cluster/journals/index.ts";
import { withStore } from "../src/store/index.ts";
import {
  type ClusterDesk,
  clusterDesk,
  type DeskProject,
  effectServer,
} from "../test/support/cluster-desk.ts";
import { appended, beginRun, carried, intent, machineAt, result } from "../test/support/cluster-journals.ts";
import { projectRoot } from "../test/support/project.ts";
import { type Benchmark, median, type Row, shareOf } from "./rows.ts";

const jobs = 20;
const trials = 500;
const barriers = 1000;

export const run: Benchmark = async () => {
  const desk = await clusterDesk();
  if (desk.missing !== undefined) {
    console.log(`\ncluster: not measured: ${desk.missing}`);
    return [];
  }
  const root = mkdtempSync(join(tmpdir(), "harn-bench-cluster-"));
  try {
    return [
      ...(await engineTimes(desk)),
      ...(await handedOver(desk, join(root, "jobs"))),
      ...(await trialRates(desk, root)),
      ...(await barrierTimes(desk, join(root, "mirror"))),
      ...(await takeOverTime(desk, join(root, "killed"))),
    ];
  } finally {
    await desk.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
};

async function timed<T>(work: () => Promise<T>): Promise<readonly [seconds: number, result: T]> {
  const began = performance.now();
  const found = await work();
  return [(performance.now() - began) / 1000, found];
}

const ended = (status: number | null, what: string, stderr: string): void => {
  if (status !== 0) throw new Error(`${what} ended with ${status}: ${stderr}`);
};

/** What the engine takes for a job of which nothing is done, in both ways that it has for one (`engine/executions.ts`). */
async function engineTimes(desk: ClusterDesk): Promise<Row[]> {
  const rows: Row[] = [];
  for (const isAlone of [false, true]) {
    const place = { address: desk.engine.address, namespace: "default", tls: false };
    const engine = await connectEngine(
      { engine: place, journals: "", queue: "harn", leaseMs: 5000, project: `engine-${isAlone}` },
      { report: () => {}, isAlone },
    );
    const served = await engine.serve({
      jobs: 1,
      queues: ["harn"],
      perform: async () => ({ exitCode: 0, records: 0 }),
    });
    const times: number[] = [];
    for (let n = 0; n < 50; n++) {
      const name = `job-${n}`;
      const [seconds] = await timed(async () => {
        await engine.start({ kind: "run", name, flags: null });
        await engine.ended(name);
      });
      times.push(1000 * seconds);
    }
    await served.drain();
    await engine.close();
    const name = isAlone
      ? "the same, an activity without a workflow (a preview)"
      : "a job of the engine, nothing done in it";
    rows.push({ name, value: median(times.slice(5)), unit: "ms" });
  }
  return rows;
}

async function handedOver(desk: ClusterDesk, root: string): Promise<Row[]> {
  const project = desk.project(root, { "main.harn": 'println("done")\n' });
  await project.worker(["--jobs", "2"]);
  const one = async (): Promise<number> => {
    const [seconds, { status, stderr }] = await timed(() => project.harn("run", "main.harn", "--workers"));
    ended(status, "a run", stderr);
    return seconds;
  };
  await one();
  const alone: number[] = [];
  for (let n = 0; n < 5; n++) alone.push(await one());
  const [together] = await timed(() => Promise.all(Array.from({ length: jobs }, one)));
  await project.close();
  return [
    { name: "a run of one line handed over, done, brought back", value: 1000 * median(alone), unit: "ms" },
    { name: `${jobs} at once, one worker of 2 children`, value: jobs / together, unit: "jobs/s" },
  ];
}

async function trialRates(desk: ClusterDesk, root: string): Promise<Row[]> {
  const folder = join(projectRoot, "examples/cluster/project");
  const files = { "towns.eval.harn": readFileSync(join(folder, "towns.eval.harn"), "utf8") };
  const evaluated = async (project: DeskProject, ...flags: string[]): Promise<number> => {
    const args = ["eval", "run", "towns.eval.harn", "--set", "s", "--quiet", ...flags];
    const [seconds, { status, stderr }] = await timed(() => project.harn(...args));
    ended(status, "an evaluation", stderr);
    return trials / seconds;
  };
  const here = desk.project(join(root, "here"), files);
  const rows: Row[] = [
    { name: `${trials} trials of 100 ms, one process`, value: await evaluated(here), unit: "trials/s" },
  ];
  for (const count of [1, 2, 4]) {
    const names = Array.from({ length: count }, (_, n) => `worker-${n}`);
    const project = desk.project(join(root, `workers-${count}`), files, ["sender", ...names]);
    await Promise.all(names.map((name) => project.worker(["--jobs", "1"], name)));
    const value = await evaluated(project, "--workers");
    rows.push({
      name: `the same on ${count} worker${count === 1 ? "" : "s"} of one child`,
      value,
      unit: "trials/s",
    });
    if (count === 2)
      rows.push({ name: "what the store keeps of a trial", value: keptOf(project) / trials, unit: "kB" });
    await project.close();
  }
  return rows;
}

/** Kilobytes of the records and pieces of a set in the sender's store. */
const keptOf = (project: DeskProject): number =>
  withStore(join(project.folder(), ".harn"), ({ runs }) => {
    const journals = runs
      .list({ trials: true })
      .map(({ name }) => JSON.stringify(runs.read(name).records).length);
    return journals.reduce((sum, size) => sum + size, 0) / 1000;
  });

async function barrierTimes(desk: ClusterDesk, folder: string): Promise<Row[]> {
  const settings = { journals: desk.postgres.url, project: `bench-${process.pid}` };
  const sender = await machineAt(join(folder, "sender"), settings);
  beginRun(sender.store, "r");
  await sender.journals.put({
    name: "r",
    kind: "run",
    runs: [carried(sender.store, "r")],
    order: { flags: null },
  });
  const { fence } = await sender.journals.take("r", "bench");
  const mirror = openMirror(settings, "r", fence);
  const worker = await machineAt(join(folder, "sender"), settings, { mirror });
  const writer = worker.store.runs.take("r");
  const times: number[] = [];
  for (let n = 0; n < barriers; n++) {
    const began = performance.now();
    appended(writer, [intent(n, ["x".repeat(200)])]);
    times.push(performance.now() - began);
    appended(writer, [result(n)], false);
  }
  writer.close();
  mirror.close();
  await worker.close();
  await sender.close();
  const some = times.slice(10);
  return [
    { name: "barrier before an effect, p50", value: median(some), unit: "ms" },
    { name: "barrier before an effect, p99", value: shareOf(some, 0.99), unit: "ms" },
  ];
}

async function takeOverTime(desk: ClusterDesk, root: string): Promise<Row[]> {
  const main = `pipeline main(url) {
  for i in 0 to 29 {
    http_post(url, "x", {headers: {"Idempotency-Key": "key-\${i}"}})
  }
}
`;
  const project = desk.project(root, { "main.harn": main }, ["sender", "one", "two"]);
  const server = await effectServer(100);
  try {
    const first = await project.worker([], "one");
    const sent = project.harn("run", "main.harn", "--workers", "--", server.url);
    await server.came(10, sent);
    const began = performance.now();
    first.child.kill("SIGKILL");
    const before = server.sent.size;
    // It is there long before the lease is over. What had begun comes again, with its key.
    await project.worker([], "two");
    await server.came(before + 1, sent);
    const seconds = (performance.now() - began) / 1000;
    ended((await sent).status, "the run", (await sent).stderr);
    return [{ name: "a worker killed: until another goes on (lease 5 s)", value: seconds, unit: "s" }];
  } finally {
    server.close();
    await project.close();
  }
}
