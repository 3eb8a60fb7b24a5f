/** Chunks whose trials ask models that cost something: no limit is exceeded, and what was paid for is not paid for again (docs/cluster.md). */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { ChunkEnd } from "../../../../src/cluster/chunks/chunk-runner.ts";
import { chunkResult, performChunk } from "../../../../src/cluster/chunks/perform-chunk.ts";
import { placeChunk } from "../../../../src/cluster/chunks/place-chunk.ts";
import { evalStoreOf } from "../../../../src/eval/local/index.ts";
import { setProgress } from "../../../../src/eval/report/index.ts";
import { type CarriedRun, carriedRun } from "../../../../src/store/copies/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { ChunksHere, chunkIds, ProjectHere } from "../../../support/chunks-here.ts";
import { cleanEnvironment } from "../../../support/command-environment.ts";
import { keepCompiled } from "../../../support/compiled-sources.ts";
import { evalServer } from "../../../support/eval-server.ts";
import { projectRoot } from "../../../support/project.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("paid-trials");
let base: string;
beforeEach(() => {
  base = fresh();
});

const usage = { input: 20_000, output: 10_000 };
const priceUsd = (usage.input * 0.15 + usage.output * 0.6) / 1e6;

/** Each trial asks so often, one call after the other. */
const script = (samples: number, calls: number, more = ""): string => `import "std/eval"
let route = {provider: "openrouter", model: "gpt-4o-mini", max_tokens: 10000}
eval_task({
  name: "t",
  dataset: range(0, ${samples}).map({ n -> {id: "s\${n}", input: "\${"word ".repeat(4000)} \${n}", target: "yes"} }).to_list(),
  solver: { s, _trial ->
    for turn in range(0, ${calls}) {
      llm_call("\${turn} \${s.input}", nil, route)
    }
    "yes"
  },
  scorers: [includes()],
  ${more}
})
`;

const environment = (url: string) => ({
  OPENROUTER_API_KEY: "k-123456789",
  OPENROUTER_BASE_URL: `${url}/v1`,
});

const totals = (project: ProjectHere) => {
  const files = project.open();
  const store = evalStoreOf(files);
  const set = store.set("s");
  if (set === undefined) throw new Error("no set");
  const cost = setProgress(store, set).costUsd ?? 0;
  const done = store.trialCount(set.id, "done");
  files.close();
  return { cost, done };
};

it("a limit of money is kept over many chunks, and raised the set goes on", async () => {
  const server = await evalServer(() => ({ text: "yes", usage }));
  const project = new ProjectHere(join(base, "home"), environment(server.url));
  writeFileSync(join(project.folder, "t.harn"), script(30, 2));
  const limit = 25.5 * priceUsd;
  const runner = new ChunksHere({ folder: join(base, "worker"), workers: 3 });
  const run = project.inChunks({ runner, newId: chunkIds("c") });
  try {
    const ended = await project.here(() =>
      project.evaluate({ file: "t.harn", set: "s", options: { costUsd: limit, trials: 3 }, run }),
    );
    expect(ended).toMatchObject({ end: { state: "paused", why: "budget", exitCode: 5 } });
    expect(runner.names.length).toBeGreaterThan(3);
    expect(server.count() * priceUsd).toBeLessThanOrEqual(limit);
    // All that a call fits into is used.
    expect(server.count()).toBeGreaterThanOrEqual(24);
    expect(totals(project).cost).toBeCloseTo(server.count() * priceUsd, 9);
    const more = await project.resume({ set: "s", options: { costUsd: 61 * priceUsd }, run });
    expect(more).toMatchObject({ end: { state: "done" } });
    expect(server.count()).toBe(60);
    expect([...server.seen.values()].every((times) => times === 1)).toBe(true);
    expect(totals(project)).toMatchObject({ done: 30 });
    expect(totals(project).cost).toBeCloseTo(60 * priceUsd, 9);
  } finally {
    await server.close();
  }
});

it("tokens are a limit over chunks as well", async () => {
  const server = await evalServer(() => ({ text: "yes", usage: { input: 1000, output: 10 } }));
  const project = new ProjectHere(join(base, "home"), environment(server.url));
  writeFileSync(join(project.folder, "t.harn"), script(40, 1));
  const runner = new ChunksHere({ folder: join(base, "worker") });
  const ended = await project.evaluate({
    file: "t.harn",
    set: "s",
    options: { tokens: 30_000, trials: 2 },
    run: project.inChunks({ runner, newId: chunkIds("c") }),
  });
  await server.close();
  expect(ended).toMatchObject({ end: { state: "paused", why: "budget of tokens" } });
  expect(server.count() * 1010).toBeLessThanOrEqual(30_000);
});

/** Requests that were in flight when a chunk was killed may come again; no other. */
it("a chunk that is killed goes on elsewhere: nothing is lost, nothing is done twice, what had ended is not repeated", async () => {
  const calls = 3;
  const trials = 12;
  const atOnce = 4;
  /** Requests by sample. */
  const asked = new Map<string, number>();
  let isKilling = true;
  const server = await evalServer(({ messages }) => {
    const number = Number(/ (\d+)"/.exec(JSON.stringify(messages))?.[1]);
    asked.set(`s${number}`, (asked.get(`s${number}`) ?? 0) + 1);
    // Half of them wait for their last answer until nobody is killed any more.
    const isLast = JSON.stringify(messages).includes(`"${calls - 1} word`);
    return isKilling && number % 2 === 1 && isLast ? { never: true } : { text: "yes", usage };
  });
  const env = environment(server.url);
  const project = new ProjectHere(join(base, "home"), env);
  writeFileSync(join(project.folder, "t.harn"), script(trials, calls));
  /** Samples whose trials had ended when their chunk was killed. */
  const over = new Set<string>();
  const killed = async (folder: string): Promise<void> => {
    const child = spawn(process.execPath, [join(projectRoot, "test/support/chunk-child.ts"), folder], {
      cwd: project.folder,
      env: cleanEnvironment({ ...keepCompiled(), HARN_STATE_DIR: folder, ...env }),
      stdio: "ignore",
    });
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    await expect.poll(() => doneIn(folder).length).toBe(evenIn(folder));
    child.kill("SIGKILL");
    await closed;
  };
  const samplesIn = (folder: string, state?: string): string[] => {
    const files = openStore(folder);
    const store = evalStoreOf(files);
    const rows = store.trials(store.sets()[0]?.id ?? 0);
    const own = rows.filter((row) => state === undefined || row.state === state);
    const samples = own.map(({ sample }) => store.sample(sample)?.key ?? "");
    files.close();
    return samples;
  };
  const doneIn = (folder: string): string[] => samplesIn(folder, "done");
  const evenIn = (folder: string): number =>
    samplesIn(folder).filter((sample) => Number(sample.slice(1)) % 2 === 0).length;
  const runner = new ChunksHere({
    folder: join(base, "worker"),
    workers: 1,
    begin: async (name, file): Promise<ChunkEnd> => {
      let runs: CarriedRun[] = [];
      for (let attempt = 1; ; attempt++) {
        const folder = join(base, `worker-${attempt}`, name);
        mkdirSync(folder, { recursive: true });
        project.here(() => placeChunk({ name, file, runs, mayReveal: true }, folder, {}));
        // The first one is killed twice.
        if (attempt === 3 || runner.names.length > 1) {
          isKilling = false;
          await project.here(() => performChunk({ folder, flags: {}, roots: {} }));
          return { kind: "done", result: chunkResult(folder) as Uint8Array, runs: [] };
        }
        await killed(folder);
        const files = openStore(folder);
        // As the database would have them.
        const own = files.runs.list({ trials: true }).map((run) => run.name);
        runs = own.filter((run) => run.startsWith(`${name}.`)).map((run) => carriedRun(files, run));
        files.close();
        for (const sample of doneIn(folder)) over.add(sample);
      }
    },
  });
  const ended = await project.evaluate({
    file: "t.harn",
    set: "s",
    flags: { seed: "seven" },
    options: { trials: atOnce },
    run: project.inChunks({ runner, newId: chunkIds("c") }),
  });
  await server.close();
  expect(ended).toMatchObject({ end: { state: "done" } });
  expect(totals(project).done).toBe(trials);
  expect(server.seen.size).toBe(trials * calls);
  expect(server.count() - trials * calls).toBeLessThanOrEqual(2 * atOnce);
  expect(over.size).toBeGreaterThan(0);
  for (const sample of over) expect(asked.get(sample), sample).toBe(calls);
  // What was in doubt is booked, too, and nothing of it is forgotten.
  expect(totals(project).cost).toBeGreaterThanOrEqual(server.count() * priceUsd - 1e-9);
});
