/** A chunk in the process that does it: what ends it, what it leaves then, and that another attempt goes on. */
// suite: slow
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import {
  chunkRecords,
  chunkResult,
  type PerformedChunk,
  performChunk,
} from "../../../../src/cluster/chunks/perform-chunk.ts";
import { placeChunk } from "../../../../src/cluster/chunks/place-chunk.ts";
import { chunkFile } from "../../../../src/cluster/chunks/write-chunk.ts";
import { AttemptOver } from "../../../../src/cluster/ports.ts";
import { plannedTrials } from "../../../../src/eval/engine/index.ts";
import { evalStoreOf } from "../../../../src/eval/local/index.ts";
import { SetArchive } from "../../../../src/eval/local/transfer/index.ts";
import type { CarriedRun, RunMirror } from "../../../../src/store/copies/index.ts";
import { carriedRun } from "../../../../src/store/copies/index.ts";
import { openStore, StoreError } from "../../../../src/store/index.ts";
import { ProjectHere } from "../../../support/chunks-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("perform-chunk");
const trials = 6;
let base: string;
let calls: string;
let file: Uint8Array;

/** Each trial writes two lines outside; those of `slow` samples wait in between. */
async function planned(more = ""): Promise<void> {
  const slow = '(sample.id == "s1" || sample.id == "s4")';
  base = fresh();
  calls = join(base, "calls");
  const project = new ProjectHere(join(base, "home"));
  writeFileSync(
    join(project.folder, "t.harn"),
    `import "std/eval"
eval_pack t {
  dataset: range(0, ${trials}).map({ n -> {id: "s\${n}"} }).to_list()
  solver: { sample, trial ->
    append_file("${calls}", sample.id + " one\\n")
    while ${slow} && !file_exists("${base}/go") { sleep(20) }
    append_file("${calls}", sample.id + " two\\n")
    "yes"
  }
  scorers: [includes("yes")]
  ${more}
}
`,
  );
  await project.evaluate({
    file: "t.harn",
    set: "s",
    run: async ({ set }) => ({ set, state: "stopped", why: null, exitCode: 5 }),
  });
  const files = project.open();
  const store = evalStoreOf(files);
  const [set] = store.sets();
  if (set === undefined) throw new Error("no set");
  const chosen = plannedTrials(store, set);
  file = chunkFile(files, store, {
    set,
    note: {
      name: "s.c",
      set: set.id,
      trials: chosen.map(({ id }) => id),
      as: "solver",
      costUsd: null,
      tokens: null,
      connections: {},
    },
    trials: chosen,
    isBeside: false,
    follow: new Set(),
    roots: {},
    onWarning: () => {},
  });
  files.close();
}

function placed(runs: readonly CarriedRun[] = [], name = "worker"): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  placeChunk({ name: "s.c", file, runs, mayReveal: true }, folder, {});
  return folder;
}

const performed = (folder: string, more: Partial<PerformedChunk> = {}): Promise<number> =>
  performChunk({ folder, flags: {}, roots: {}, ...more });

const lines = (): string[] => readFileSync(calls, "utf8").trim().split("\n").sort();

/** What the database has of it. */
function journalsIn(folder: string): CarriedRun[] {
  const files = openStore(folder);
  const names = files.runs.list({ trials: true }).map(({ name }) => name);
  const runs = names.filter((name) => name.startsWith("s.c.")).map((name) => carriedRun(files, name));
  files.close();
  return runs;
}

const twice = Array.from({ length: trials }, (_, n) => [`s${n} one`, `s${n} two`])
  .flat()
  .sort();
const stateOf = (result: Uint8Array | undefined): string[] =>
  [...new SetArchive(result as Uint8Array).rows("eval_trial")].map(({ state }) => state);

beforeEach(async () => {
  await planned();
});

it("that rests leaves no result: another attempt goes on, here or elsewhere, and does nothing twice", async () => {
  for (const next of ["worker", "other"]) {
    await planned();
    const first = placed();
    const rest = new AbortController();
    const over = performed(first, { rest: rest.signal });
    await expect.poll(() => lines().length).toBe(twice.length - 2);
    rest.abort();
    await expect(over).rejects.toThrow(AttemptOver);
    expect(chunkResult(first)).toBeUndefined();
    const records = chunkRecords(first);
    expect(records).toBeGreaterThan(0);
    writeFileSync(join(base, "go"), "");
    const second = placed(journalsIn(first), next);
    expect(chunkRecords(second)).toBe(records);
    expect(await performed(second)).toBe(0);
    expect(lines()).toEqual(twice);
  }
});

it("with sandboxes: what had ended is not repeated anywhere; what had not goes on in its sandbox, or begins anew without it", async () => {
  for (const next of ["worker", "other"]) {
    await planned("sandbox: true");
    const first = placed();
    const rest = new AbortController();
    const over = performed(first, { rest: rest.signal });
    await expect.poll(() => lines().length).toBe(twice.length - 2);
    rest.abort();
    await expect(over).rejects.toThrow(AttemptOver);
    writeFileSync(join(base, "go"), "");
    const second = placed(journalsIn(first), next);
    expect(await performed(second)).toBe(0);
    expect(stateOf(chunkResult(second))).toEqual(Array.from({ length: trials }, () => "done"));
    const anew = next === "worker" ? [] : ["s1 one", "s4 one"];
    expect(lines()).toEqual([...twice, ...anew].sort());
  }
});

it("that is stopped leaves what it has: trials that ended, and those that go on", async () => {
  const folder = placed();
  const signal = new AbortController();
  const over = performed(folder, { signal: signal.signal });
  await expect.poll(() => lines().length).toBe(twice.length - 2);
  signal.abort({ reason: "cancel", exitCode: 130, atOnce: true });
  expect(await over).toBe(130);
  const result = chunkResult(folder);
  expect(stateOf(result).sort()).toEqual(["done", "done", "done", "done", "running", "running"]);
  expect(new SetArchive(result as Uint8Array).json("chunk.json")).toMatchObject({ state: "stopped" });
});

it("whose copy can't be written ends at once, and is no result: nothing that follows is begun", async () => {
  const folder = placed();
  let writes = 0;
  const away = (): never => {
    throw new StoreError("away" as never, "the database is away");
  };
  const mirror: RunMirror = {
    recordsOf: () => undefined,
    append: () => {
      if (++writes > 4) away();
    },
    settle: () => {},
  };
  await expect(performed(folder, { mirror })).rejects.toThrow(AttemptOver);
  expect(chunkResult(folder)).toBeUndefined();
  expect(lines().length).toBeLessThan(twice.length - 2);
});
