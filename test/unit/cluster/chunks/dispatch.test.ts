/** What a set does with its chunks: stops, follows, parts, tries again, and what is decided over all of its trials. */
// suite: slow
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import type { ChunkEnd } from "../../../../src/cluster/chunks/chunk-runner.ts";
import { stopChunks } from "../../../../src/cluster/chunks/index.ts";
import type { EvalSetRow } from "../../../../src/durable/index.ts";
import { chunksElsewhere, evalStoreOf, setLease } from "../../../../src/eval/local/index.ts";
import { SetArchive } from "../../../../src/eval/local/transfer/index.ts";
import { carriedRun } from "../../../../src/store/copies/index.ts";
import { type Lease, openStore, type Store } from "../../../../src/store/index.ts";
import type { Json } from "../../../../src/values/index.ts";
import {
  ChunksHere,
  type ChunksHereOptions,
  chunkDone,
  chunkIds,
  noteAsOwner,
  ProjectHere,
} from "../../../support/chunks-here.ts";
import { evalServer } from "../../../support/eval-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("chunk-dispatch");
let base: string;
let project: ProjectHere;
let worker: string;

beforeEach(() => {
  base = fresh();
  project = new ProjectHere(join(base, "home"));
  worker = join(base, "worker");
});

const write = (text: string, of = project): void => writeFileSync(join(of.folder, "t.harn"), text);

/** A task without models: what its solver does. */
const task = (samples: number, solver: string, more = ""): string => `import "std/eval"
eval_pack t {
  dataset: range(0, ${samples}).map({ n -> {id: "s\${n}"} }).to_list()
  solver: { sample, trial -> ${solver} }
  scorers: [includes("yes")]
  ${more}
}
`;

const runnerOf = (options: Partial<ChunksHereOptions> = {}): ChunksHere =>
  new ChunksHere({ folder: worker, ...options });

const chunked = (runner: ChunksHere, of = project) => of.inChunks({ runner, newId: chunkIds("c") });

/** Samples of the trials in a chunk's file. */
const samplesOf = (file: Uint8Array): string[] =>
  [...new SetArchive(file).rows("eval_sample")].map(({ key }) => key).sort();

/** What `harn eval stop` does. */
async function stopped(files: Store, set: EvalSetRow, runner: ChunksHere): Promise<void> {
  const lease = files.leases.take(setLease(set.name)) as Lease;
  await stopChunks(files, evalStoreOf(files), set, { runner, roots: {} });
  files.leases.release(lease);
}

const rowsOf = (name = "s") => {
  const files = project.open();
  try {
    const store = evalStoreOf(files);
    const set = store.set(name);
    if (set === undefined) throw new Error(`no set ${name}`);
    return { set, trials: store.trials(set.id), away: chunksElsewhere(files, set.id) };
  } finally {
    files.close();
  }
};

it("a set without open trials hands nothing out", async () => {
  write(task(3, '"yes"'));
  await project.evaluate({ file: "t.harn", set: "s" });
  const runner = runnerOf();
  const again = await project.resume({ set: "s", run: chunked(runner) });
  expect(again).toMatchObject({ end: { state: "done", exitCode: 0 } });
  expect(runner.names).toEqual([]);
});

it("whoever is interrupted leaves the chunks there; the set is not run here meanwhile, and who resumes it follows them", async () => {
  write(task(6, '"yes"'));
  const signal = new AbortController();
  const held = Promise.withResolvers<undefined>();
  const runner = runnerOf({ begin: () => held.promise });
  const run = chunked(runner);
  const ended = project.evaluate({
    file: "t.harn",
    set: "s",
    run: (request) => {
      setTimeout(() => signal.abort({ reason: "cancel", exitCode: 130 }), 50);
      return run({ ...request, signal: signal.signal });
    },
  });
  expect(await ended).toMatchObject({
    end: { state: "stopped", exitCode: 130, why: "6 trials go on on workers" },
  });
  expect(rowsOf().away.flatMap(({ trials }) => trials)).toHaveLength(6);
  await expect(project.resume({ set: "s" })).rejects.toThrow(
    "6 trials of the set s are on workers; `harn eval resume s --workers` follows them",
  );
  await expect(project.evaluate({ file: "t.harn", set: "s", run })).rejects.toThrow("HARN-EVL-019");
  const handed = [...runner.names];
  held.resolve(undefined);
  const resumed = await project.resume({ set: "s", run });
  expect(resumed).toMatchObject({ end: { state: "done", exitCode: 0 } });
  expect(runner.names).toEqual(handed);
  expect(rowsOf().away).toEqual([]);
});

it("a chunk that was noted and never handed out is handed out by whoever resumes the set", async () => {
  write(task(2, '"yes"'));
  const stop = new AbortController();
  stop.abort({ reason: "cancel", exitCode: 130 });
  const runner = runnerOf();
  const run = chunked(runner);
  await project.evaluate({
    file: "t.harn",
    set: "s",
    run: (request) => run({ ...request, signal: stop.signal }),
  });
  expect(runner.names).toEqual([]);
  const { set, trials } = rowsOf();
  const files = project.open();
  noteAsOwner(files, "s", {
    name: "s.lost",
    set: set.id,
    trials: trials.map(({ id }) => id),
    as: "solver",
    costUsd: null,
    tokens: null,
    connections: {},
  });
  files.close();
  expect(await project.resume({ set: "s", run })).toMatchObject({ end: { state: "done" } });
  expect(runner.names).not.toContain("s.lost");
  expect(rowsOf().away).toEqual([]);
});

it("a chunk that was handed out, and that nobody knows any more, is not begun anew by itself", async () => {
  write(task(2, '"yes"'));
  const stop = new AbortController();
  stop.abort({ reason: "cancel", exitCode: 130 });
  const runner = runnerOf();
  const run = chunked(runner);
  const request = { file: "t.harn", set: "s" };
  await project.evaluate({ ...request, run: (asked) => run({ ...asked, signal: stop.signal }) });
  const { set, trials } = rowsOf();
  const files = project.open();
  noteAsOwner(files, "s", {
    ...{ name: "s.gone", set: set.id, trials: trials.map(({ id }) => id), as: "solver", isSent: true },
    ...{ costUsd: null, tokens: null, connections: {} },
  });
  const resumed = await project.resume({ set: "s", run });
  expect(resumed).toMatchObject({ end: { state: "failed", why: expect.stringContaining("(HARN-EVL-024)") } });
  expect([runner.names, rowsOf().away.length]).toEqual([[], 1]);
  // Whoever decides so has them back.
  await stopped(files, set, runner);
  files.close();
  expect(await project.resume({ set: "s", run })).toMatchObject({ end: { state: "done" } });
});

it("whoever was frozen, and whose set others have by now, hands nothing out", async () => {
  write(task(2, '"yes"'));
  const runner = runnerOf();
  const run = chunked(runner);
  const ended = await project.evaluate({
    file: "t.harn",
    set: "s",
    run: (request) => {
      const db = new DatabaseSync(join(project.folder, ".harn", "state.db"));
      db.exec("UPDATE lease SET owner = 'another', fence = fence + 1 WHERE name = 'eval:s'");
      db.close();
      return run(request);
    },
  });
  expect(ended).toMatchObject({ end: { why: "eval:s was taken over by another process" } });
  expect([runner.names, rowsOf().away]).toEqual([[], []]);
});

it("what a chunk did before no worker would do it is in the set", async () => {
  write(task(2, `\n    append_file("${join(base, "calls")}", "x")\n    "yes"\n  `));
  const runner = runnerOf({
    begin: async (name, file) => {
      await chunkDone(worker, name, file);
      const there = openStore(join(worker, name));
      const names = there.runs.list({ trials: true }).map((run) => run.name);
      const runs = names.filter((run) => run.startsWith(`${name}.`)).map((run) => carriedRun(there, run));
      there.close();
      return { kind: "refused", words: "not signed", runs };
    },
  });
  const ended = await project.evaluate({ file: "t.harn", set: "s", run: chunked(runner) });
  expect(ended).toMatchObject({ end: { state: "failed", why: "not signed" } });
  const files = project.open();
  const journals = files.runs.list({ trials: true }).map(({ name }) => name);
  files.close();
  expect(journals).toEqual(expect.arrayContaining(rowsOf().trials.map(({ id }) => `s.${id}`)));
});

it("a trial that kills whoever does it is parted from the others, and errored alone", async () => {
  write(task(9, '"yes"'));
  const runner = runnerOf({
    begin: (_name, file): ChunkEnd | undefined =>
      samplesOf(file).includes("s4") ? { kind: "failed", words: "3 attempts died", runs: [] } : undefined,
  });
  const ended = await project.evaluate({ file: "t.harn", set: "s", run: chunked(runner) });
  expect(ended).toMatchObject({ end: { state: "incomplete", why: "1 errored", exitCode: 5 } });
  const errored = rowsOf().trials.filter(({ state }) => state !== "done");
  expect(errored).toMatchObject([
    { state: "errored", category: "environment", error: "3 attempts died", attempts: 1 },
  ]);
});

it("a trial without its environment is tried on another worker, once", async () => {
  const there = join(base, "there");
  write(
    task(
      4,
      `if sample.id == "s2" && !file_exists("${there}") { throw {category: "environment", message: "no docker"} } else { "yes" }`,
      "retries: {max: 1, fresh: true}",
    ),
  );
  const seen: string[][] = [];
  const runner = runnerOf({
    begin: (_name, file) => {
      seen.push(samplesOf(file));
      if (seen.flat().filter((sample) => sample === "s2").length > 1) writeFileSync(there, "");
      return undefined;
    },
  });
  const ended = await project.evaluate({ file: "t.harn", set: "s", run: chunked(runner) });
  expect(ended).toMatchObject({ end: { state: "done" } });
  expect(seen.flat().sort()).toEqual(["s0", "s1", "s2", "s2", "s3"]);
  expect(existsSync(there)).toBe(true);
});

it("errors that end a set are counted where the set is, and what else is at work is stopped", async () => {
  write(task(60, `if sample.id == "s1" || sample.id == "s2" { throw "no " + sample.id } else { "yes" }`));
  const stopped: string[] = [];
  const held = new Map<string, () => void>();
  const runner = runnerOf({
    workers: 4,
    begin: async (name, file) => {
      const isBroken = samplesOf(file).some((sample) => sample === "s1" || sample === "s2");
      if (!isBroken && !stopped.includes(name)) await new Promise<void>((resolve) => held.set(name, resolve));
      return undefined;
    },
  });
  const { stop } = runner;
  runner.stop = async (name) => {
    stopped.push(name);
    await stop.call(runner, name);
    held.get(name)?.();
  };
  const ended = await project.evaluate({
    file: "t.harn",
    set: "s",
    flags: { seed: "a" },
    options: { maxErrors: 1, retries: 0, trials: 4 },
    run: chunked(runner),
  });
  expect(ended).toMatchObject({ end: { state: "incomplete", exitCode: 5 } });
  expect((ended as { end: { why: string } }).end.why).toContain("more than max_errors allows");
  expect(stopped.length).toBeGreaterThan(0);
  expect(rowsOf().away).toEqual([]);
});

it("ten first trials that end alike end the set, though each chunk had fewer", async () => {
  write(task(40, 'throw "broken"', "retries: {max: 0}"));
  const ended = await project.evaluate({
    file: "t.harn",
    set: "s",
    options: { trials: 4 },
    run: chunked(runnerOf({ workers: 1 })),
  });
  expect((ended as { end: { why: string; state: string } }).end).toMatchObject({ state: "failed" });
  expect((ended as { end: { why: string } }).end.why).toContain("the first 10 trials all ended with");
  expect(rowsOf().trials.filter(({ state }) => state === "pending").length).toBeGreaterThan(0);
});

it("a race is decided where the set is: the same trials are skipped as on one machine", async () => {
  const text = `import "std/eval"
eval_pack t {
  dataset: range(1, 61).map({ n -> {id: "s\${n}"} }).to_list()
  solver: { _sample, trial -> random() < trial.variant.p ? "yes" : "no" }
  scorers: [includes("yes")]
  variants: [{name: "weak", p: 0.4}, {name: "strong", p: 0.9}]
  race: {}
  seed: 5
}
`;
  const one = new ProjectHere(join(base, "one"));
  write(text);
  write(text, one);
  await one.evaluate({ file: "t.harn", set: "s", options: { trials: 4 } });
  const runner = runnerOf();
  await project.evaluate({ file: "t.harn", set: "s", options: { trials: 4 }, run: chunked(runner) });
  const skipped = (report: Json): Json =>
    (report as { tasks: { t: { skipped_trials: Json } } }).tasks.t.skipped_trials;
  expect(skipped(project.reportOf("s"))).toEqual(skipped(one.reportOf("s")));
  expect(skipped(one.reportOf("s"))).not.toEqual([]);
  expect(project.reportOf("s")).toEqual(one.reportOf("s"));
});

it("whose failures are is looked for on workers, too", async () => {
  const text = task(
    3,
    'sample.id == "s0" ? "yes" : "no"',
    'oracle: { sample, trial -> sample.id == "s1" ? "no" : "yes" }',
  );
  const one = new ProjectHere(join(base, "one"));
  write(text);
  write(text, one);
  await one.evaluate({ file: "t.harn", set: "s" });
  const runner = runnerOf();
  await project.evaluate({ file: "t.harn", set: "s", run: chunked(runner) });
  const oracles = [...runner.files.values()].filter((file) =>
    [...new SetArchive(file).rows("eval_trial")].every(({ kind }) => kind === "oracle"),
  );
  expect(oracles.length).toBeGreaterThan(0);
  expect(project.reportOf("s")).toEqual(one.reportOf("s"));
  expect(
    rowsOf()
      .trials.filter(({ kind }) => kind === "epoch")
      .map(({ blame }) => blame),
  ).toEqual([null, "task", "agent"]);
});

it("who is interrupted before anything begins leaves what is on workers there", async () => {
  write(task(3, '"yes"'));
  const held = Promise.withResolvers<undefined>();
  const runner = runnerOf({ begin: () => held.promise });
  const run = chunked(runner);
  const signal = new AbortController();
  const interrupted = () => signal.abort({ reason: "cancel", exitCode: 130 });
  const stopping = (request: Parameters<typeof run>[0]) => run({ ...request, signal: signal.signal });
  setTimeout(interrupted, 100);
  await project.evaluate({ file: "t.harn", set: "s", run: stopping });
  const before = rowsOf().away;
  expect(before.length).toBeGreaterThan(0);
  expect(await project.resume({ set: "s", run: stopping })).toMatchObject({ end: { state: "stopped" } });
  expect(rowsOf().away).toEqual(before);
  held.resolve(undefined);
  expect(await project.resume({ set: "s", run })).toMatchObject({ end: { state: "done" } });
});

it("what a worker warns of is told once", async () => {
  const verdict = JSON.stringify({ reasoning: "It is.", verdict: "pass" });
  const server = await evalServer(({ messages }) =>
    JSON.stringify(messages).includes("reasoning") ? { text: verdict } : { text: "yes" },
  );
  const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  const asking = new ProjectHere(join(base, "asking"), env);
  write(
    `import "std/eval"
let route = {provider: "openrouter", model: "gpt-4o-mini"}
eval_pack t {
  dataset: range(0, 6).map({ n -> {id: "s\${n}", input: "q"} }).to_list()
  solver: "Answer."
  scorers: [judge("good")]
  roles: {agent: route, judge: route}
}
`,
    asking,
  );
  const told: string[] = [];
  const runner = runnerOf({
    begin: (name, file) => asking.here(() => chunkDone(worker, name, file)),
  });
  await asking.evaluate({
    file: "t.harn",
    set: "s",
    options: { trials: 2 },
    onWarning: (text) => told.push(text),
    run: chunked(runner, asking),
  });
  await server.close();
  expect(runner.names.length).toBeGreaterThan(1);
  expect(told).toEqual([expect.stringContaining("judge judge grades answers of its own model")]);
});

it("scores that are missing are made in chunks, without the agent", async () => {
  const calls = join(base, "calls");
  write(task(3, `\n    append_file("${calls}", "x")\n    "yes"\n  `));
  await project.evaluate({ file: "t.harn", set: "s", options: { withScores: false } });
  const runner = runnerOf();
  const ended = await project.resume({ set: "s", options: { withScores: true }, run: chunked(runner) });
  expect(ended).toMatchObject({ end: { state: "done" } });
  expect(runner.names.length).toBeGreaterThan(0);
  const files = project.open();
  const store = evalStoreOf(files);
  expect(store.scores(rowsOf().set.id)).toHaveLength(3);
  files.close();
  expect(readFileSync(calls, "utf8")).toBe("xxx");
});

it("trials that are followed under another program go on from their journals", async () => {
  const calls = join(base, "calls");
  const lines = (...texts: string[]): string =>
    `\n${texts.map((text) => `    append_file("${calls}", "${text}")\n`).join("")}    "yes"\n  `;
  write(task(3, lines("a")));
  await project.evaluate({ file: "t.harn", set: "s" });
  write(task(3, lines("a", "b")));
  const runner = runnerOf();
  const ended = await project.evaluate({ file: "t.harn", set: "s", stale: "follow", run: chunked(runner) });
  expect(ended).toMatchObject({ end: { state: "done" } });
  expect(runner.names.length).toBeGreaterThan(0);
  expect(readFileSync(calls, "utf8").split("").sort().join("")).toBe("aaabbb");
  const { replayEvaluation } = await import("../../../../src/eval/local/index.ts");
  expect(await project.here(() => replayEvaluation("s"))).toMatchObject({
    trials: 3,
    differs: null,
    broken: null,
  });
});

it("a chunk that no worker may do fails the set, with the worker's words", async () => {
  write(task(2, '"yes"'));
  const runner = runnerOf({
    begin: () => ({ kind: "refused", words: "it asks for more than this worker may do", runs: [] }),
  });
  const ended = await project.evaluate({ file: "t.harn", set: "s", run: chunked(runner) });
  expect(ended).toMatchObject({
    end: { state: "failed", exitCode: 2, why: "it asks for more than this worker may do" },
  });
  expect(rowsOf().away).toEqual([]);
  expect(rowsOf().trials.every(({ state }) => state === "pending")).toBe(true);
});

it("workers that can't be reached pause the set, and nothing of it is lost", async () => {
  write(task(2, '"yes"'));
  const broken = runnerOf();
  broken.handOut = () => Promise.reject(new Error("connection refused"));
  const ended = await project.evaluate({ file: "t.harn", set: "s", run: chunked(broken) });
  expect(ended).toMatchObject({
    end: { state: "paused", exitCode: 5, why: "the workers can't be reached: connection refused" },
  });
  expect(await project.resume({ set: "s", run: chunked(runnerOf()) })).toMatchObject({
    end: { state: "done" },
  });
  expect(rowsOf().away).toEqual([]);
});

it("chunks that nobody follows are ended, and what they have done is in the set", async () => {
  write(task(5, '"yes"'));
  const signal = new AbortController();
  const done = new Map<string, ChunkEnd>();
  const runner = runnerOf({
    begin: async (name, file) => {
      done.set(name, await chunkDone(worker, name, file));
      signal.abort({ reason: "cancel", exitCode: 130 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      return done.get(name);
    },
  });
  const run = chunked(runner);
  await project.evaluate({
    file: "t.harn",
    set: "s",
    run: (request) => run({ ...request, signal: signal.signal }),
  });
  const before = rowsOf();
  expect(before.away.length).toBeGreaterThan(0);
  const files = project.open();
  await stopped(files, before.set, runner);
  files.close();
  const after = rowsOf();
  expect(after.away).toEqual([]);
  expect(after.trials.filter(({ state }) => state === "done").length).toBeGreaterThan(0);
});
