/** Trials of a set that go elsewhere as a file and come back as one: all of it or nothing, once, and nothing that contradicts the set. */
// suite: slow
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { placeChunk } from "../../../../src/cluster/chunks/place-chunk.ts";
import { chunkFile } from "../../../../src/cluster/chunks/write-chunk.ts";
import { plannedTrials } from "../../../../src/eval/engine/index.ts";
import { evalStoreOf } from "../../../../src/eval/local/index.ts";
import { placeCarried, SetArchive, takeIntoSet } from "../../../../src/eval/local/transfer/index.ts";
import { sealedText } from "../../../../src/eval/local/transfer/layout.ts";
import { placeSources } from "../../../../src/eval/local/transfer/sources.ts";
import { membersOfZip, ZipWriter } from "../../../../src/eval/local/transfer/zip-file.ts";
import type { CarriedRun } from "../../../../src/store/copies/index.ts";
import { openStore, sealOf } from "../../../../src/store/index.ts";
import { ChunksHere, chunkDone, chunkIds, ProjectHere } from "../../../support/chunks-here.ts";
import { tempFolder, tempFolders } from "../../../support/temp-folder.ts";

const root = tempFolder("take-in");
const fresh = tempFolders("take-in");

/** Journals, files that were left, scores, kept answers: something of everything. */
const script = `import "std/eval"
llm_mock({match: "*", text: "It is Paris."})
eval_pack t {
  dataset: [{id: "ä/1"}, {id: "b 2"}, {id: "__proto__"}]
  solver: { sample, trial ->
    write_file("left.txt", sample.id)
    llm_call("q " + sample.id).text + to_string(random_int(0, 1000))
  }
  scorers: [includes("Paris"), named("len", { o, _s -> {value: len(o.text), why: "counted"} })]
  sandbox: true
  cache: true
  roles: {agent: {provider: "mock"}}
}
`;

/** Resealed, as somebody would do it who can write to the database. */
function changedFile(bytes: Uint8Array, change: (name: string, text: string) => string): Uint8Array {
  const path = join(root, "changed.zip");
  const zip = new ZipWriter(path);
  const members = membersOfZip(Buffer.from(bytes))
    .slice(0, -1)
    .map(({ name, read }) => {
      const bytes = read();
      const text = change(name, bytes.toString());
      // What is no text stays as it is.
      return [name, text === bytes.toString() ? bytes : Buffer.from(text)] as const;
    });
  const digests = members.map(
    ([name, content]) => [name, createHash("sha256").update(content).digest("hex")] as const,
  );
  for (const [name, content] of members) zip.add(name, content);
  zip.add("seal.json", JSON.stringify(sealOf(sealedText(digests))));
  zip.close();
  return new Uint8Array(readFileSync(path));
}

/** Everything that the store has of sets and runs. */
function contentOf(project: ProjectHere): unknown {
  const files = project.open();
  const store = evalStoreOf(files);
  const [set] = store.sets();
  const trials = store.trials(set?.id ?? 0);
  const content = {
    set,
    trials,
    scores: store.scores(set?.id ?? 0),
    attempts: trials.map(({ id }) => store.attempts(id)),
    draws: store.draws(),
    runs: files.runs
      .list({ trials: true })
      .map(({ name, state, records, parent }) => ({ name, state, records, parent })),
  };
  files.close();
  return content;
}

let project: ProjectHere;
let result: Uint8Array;
let order: Uint8Array;
let trials: ReadonlySet<number>;

beforeAll(async () => {
  project = new ProjectHere(join(root, "home"));
  writeFileSync(join(project.folder, "t.harn"), script);
  // Planned, and nothing of it run.
  await project.evaluate({
    file: "t.harn",
    set: "s",
    flags: { seed: "a" },
    run: async ({ set }) => ({ set, state: "stopped", why: null, exitCode: 5 }),
  });
  order = orderOf("s.c", [1, 2, 3]);
  trials = new Set([1, 2, 3]);
  const end = await chunkDone(join(root, "worker"), "s.c", order);
  if (end.kind === "done") result = end.result;
});

function orderOf(name: string, chosen: readonly number[]): Uint8Array {
  const files = project.open();
  const store = evalStoreOf(files);
  const [set] = store.sets();
  if (set === undefined) throw new Error("no set");
  const file = chunkFile(files, store, {
    set,
    note: { name, set: set.id, trials: chosen, as: "solver", costUsd: null, tokens: null, connections: {} },
    trials: plannedTrials(store, set).filter(({ id }) => chosen.includes(id)),
    isBeside: false,
    follow: new Set(),
    roots: { project: project.folder },
    onWarning: () => {},
  });
  files.close();
  return file;
}

const taken = (bytes: Uint8Array, of?: ReadonlySet<number>) => {
  const files = project.open();
  try {
    const store = evalStoreOf(files);
    const set = store.set("s");
    if (set === undefined) throw new Error("no set");
    return takeIntoSet(files, store, set, {
      archive: new SetArchive(bytes),
      trials: of ?? trials,
      moves: [],
    });
  } finally {
    files.close();
  }
};

describe("a result", () => {
  it("is refused where it contradicts the set, and then nothing of it is taken", () => {
    const before = contentOf(project);
    const ofTable = (table: string, from: string | RegExp, to: string) =>
      changedFile(result, (name, text) => (name.startsWith(table) ? text.replace(from, to) : text));
    const zeros = "0".repeat(64);
    for (const [bytes, words] of [
      [ofTable("set.json", /"program":"[0-9a-f]{64}"/, `"program":"${zeros}"`), "another program"],
      [ofTable("set.json", /"seed":"a"/, '"seed":"b"'), "another seed"],
      [ofTable("eval_sample", /"digest":"[0-9a-f]+"/, `"digest":"${zeros}"`), "the sample"],
      [ofTable("eval_trial", /"digest":"[0-9a-f]+"/, `"digest":"${zeros}"`), "made of something else"],
      [ofTable("eval_trial", /"epoch":1/, '"epoch":2'), "is another one in the set"],
      [ofTable("eval_trial", /"id":\d+/, '"id":77'), "was not handed out"],
      [ofTable("eval_score", /"trial":\d+/, '"trial":77'), "which is not in it"],
      [ofTable("journals", /"k":"[a-z._]+"/, '"k":7'), "journals-0001"],
    ] as const)
      expect(() => taken(bytes), words).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(
            new RegExp(`^what was done on workers contradicts the set s: .*${words}.*\\(HARN-EVL-023\\)$`),
          ),
        }),
      );
    expect(() => taken(result, new Set([1]))).toThrow("was not handed out");
    expect(contentOf(project)).toEqual(before);
  });

  it("is taken once: the same once more changes nothing", () => {
    expect(taken(result)).toEqual({ taken: [1, 2, 3], known: [] });
    const first = contentOf(project);
    expect(first).toMatchObject({ trials: [{ state: "done" }, { state: "done" }, { state: "done" }] });
    expect(taken(result)).toEqual({ taken: [], known: [1, 2, 3] });
    expect(contentOf(project)).toEqual(first);
  });

  it("of a trial that has ended otherwise since is refused", () => {
    const before = contentOf(project);
    const other = changedFile(result, (name, text) =>
      name.startsWith("eval_trial") ? text.replace(/"ended":\d+/, '"ended":1') : text,
    );
    expect(() => taken(other)).toThrow("has ended otherwise");
    const score = changedFile(result, (name, text) =>
      name.startsWith("eval_score") ? text.replace(/"value":\d+/, '"value":99') : text,
    );
    expect(() => taken(score)).toThrow("has said something else of the trial");
    expect(contentOf(project)).toEqual(before);
  });

  it("older than what the set has is passed over", () => {
    const before = contentOf(project);
    const older = changedFile(result, (name, text) =>
      name.startsWith("eval_trial") ? text.replaceAll('"attempts":1', '"attempts":0') : text,
    );
    expect(taken(older)).toEqual({ taken: [], known: [1, 2, 3] });
    expect(contentOf(project)).toEqual(before);
  });

  it("can be replayed, and names runs and addresses as if they had been made here", async () => {
    const files = project.open();
    const names = files.runs.list({ trials: true }).map(({ name }) => name);
    expect(names.filter((name) => /^s\.\d+$/.test(name)).sort()).toEqual(["s.1", "s.2", "s.3"]);
    expect(names.some((name) => name.startsWith("s.c"))).toBe(false);
    const { header } = files.runs.read("s.1");
    expect(header).toMatchObject({ run: "s.1", options: { trial: expect.stringMatching(/^s:t\//) } });
    expect(header.entry).toBe((header.options as { trial: string }).trial);
    files.close();
    const { replayEvaluation } = await import("../../../../src/eval/local/index.ts");
    const replayed = await project.here(() => replayEvaluation("s"));
    expect(replayed).toMatchObject({ trials: 3, differs: null, broken: null });
  });
});

it("an empty choice is a file, and done and taken in it is nothing", async () => {
  const before = contentOf(project);
  const end = await chunkDone(join(root, "worker"), "s.empty", orderOf("s.empty", []));
  expect(end.kind).toBe("done");
  expect(taken((end as { result: Uint8Array }).result)).toEqual({ taken: [], known: [] });
  expect(contentOf(project)).toEqual(before);
});

it("what sandboxes are made of travels: modes, links, bytes, empty folders, and secrets by name", async () => {
  const base = fresh();
  const secret = "hush-4711-hush";
  const home = new ProjectHere(join(base, "home"), { SHOP_TOKEN: secret });
  const repo = join(home.folder, "repo");
  mkdirSync(join(repo, "empty"), { recursive: true });
  writeFileSync(join(repo, "run.sh"), "#!/bin/sh\necho ran\n");
  chmodSync(join(repo, "run.sh"), 0o755);
  writeFileSync(join(repo, "bytes.bin"), Buffer.from([0, 255, 254, 10]));
  writeFileSync(join(repo, "token.txt"), `token ${secret}`);
  symlinkSync("run.sh", join(repo, "link"));
  writeFileSync(join(home.folder, "one.txt"), "of the sample");
  writeFileSync(
    join(home.folder, "t.harn"),
    `import "std/eval"
eval_pack t {
  dataset: [{id: "a", files: {"in/one.txt": {from: "one.txt"}}}]
  solver: { sample, trial -> read_file("token.txt") + "|" + read_file("in/one.txt") + "|" + exec("./run.sh").stdout }
  scorers: [includes("ran")]
  sandbox: {copy: "repo"}
}
`,
  );
  const runner = new ChunksHere({
    folder: join(base, "worker"),
    begin: async (name, file) => {
      // It lies on this machine alone.
      rmSync(repo, { recursive: true });
      rmSync(join(home.folder, "one.txt"));
      for (const member of membersOfZip(Buffer.from(file)))
        expect(member.read().includes(secret), member.name).toBe(false);
      const end = await home.here(() => chunkDone(join(base, "worker"), name, file));
      return end;
    },
  });
  const ended = await home.evaluate({
    file: "t.harn",
    set: "s",
    run: home.inChunks({ runner, newId: chunkIds("c") }),
  });
  const files = home.open();
  const store = evalStoreOf(files);
  const [trial] = store.trials(1);
  expect(trial).toMatchObject({ error: null });
  expect(ended).toMatchObject({ end: { state: "done" } });
  const outcome = JSON.parse(store.piece(trial?.outcome ?? null) ?? "{}") as { text: string };
  expect(outcome.text).toBe("token {{secret:SHOP_TOKEN}}|of the sample|ran\n");
  expect(trial).toMatchObject({ state: "done" });
  files.close();
  const [file] = [...runner.files.values()];
  const there = join(base, "there");
  const places = home.here(() => placeSources(new SetArchive(file as Uint8Array), there, true));
  const copy = places.get(repo) ?? "";
  expect(statSync(join(copy, "run.sh")).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(copy, "link"))).toBe("run.sh");
  expect(readFileSync(join(copy, "bytes.bin"))).toEqual(Buffer.from([0, 255, 254, 10]));
  expect(statSync(join(copy, "empty")).isDirectory()).toBe(true);
  expect(readFileSync(join(copy, "token.txt"), "utf8")).toBe(`token ${secret}`);
  // A worker that keeps its environment to itself.
  const kept = home.here(() => placeSources(new SetArchive(file as Uint8Array), join(base, "kept"), false));
  expect(readFileSync(join(kept.get(repo) ?? "", "token.txt"), "utf8")).toBe("token {{secret:SHOP_TOKEN}}");
  // Who can write to the database writes to no other folder.
  for (const path of ["../out.txt", "/out.txt", "a/../../out.txt", ""]) {
    const evil = changedFile(file as Uint8Array, (name, text) =>
      name === "sources.json" ? text.replace('"path":"run.sh"', `"path":${JSON.stringify(path)}`) : text,
    );
    if (path !== "")
      expect(() => placeSources(new SetArchive(evil), join(base, "evil"), true)).toThrow("is no path");
  }
  expect(existsSync(join(base, "out.txt"))).toBe(false);
  const leading = changedFile(file as Uint8Array, (name, text) =>
    name === "sources.json" ? text.replace('"path":"","mode"', '"path":"","link":"/etc","mode"') : text,
  );
  expect(() => placeSources(new SetArchive(leading), join(base, "evil"), true)).toThrow(`${repo} is a link`);
  // And reads none of the worker's by it, whatever the worker allows.
  const own = join(base, "own-of-worker");
  mkdirSync(own);
  writeFileSync(join(own, "token.txt"), "the worker's");
  const asking = changedFile(file as Uint8Array, (name, text) =>
    name === "set.json" ? text.replace(String.raw`\"copy\":\"repo\"`, String.raw`\"copy\":\"${own}\"`) : text,
  );
  const name = runner.names[0] ?? "";
  const refused = await home.here(() => chunkDone(join(base, "again"), name, asking));
  const [row] = [...new SetArchive((refused as { result: Uint8Array }).result).rows("eval_trial")];
  expect(row).toMatchObject({
    state: "errored",
    category: "environment",
    error: `the sandbox can't be made: ${own} did not travel with the trial`,
  });
});

it("journals of a chunk without a result go under their trials, and say which attempt is in progress", () => {
  const chunk = join(fresh(), "chunk");
  placeChunk({ name: "s.c", file: order, runs: [], mayReveal: true }, chunk, {});
  const files = openStore(chunk);
  const store = evalStoreOf(files);
  const [set] = store.sets();
  const { plan } = JSON.parse(set?.spec ?? "{}") as { plan: string };
  const address = "s:t/default/x.1";
  const header = { ...files.runs.read(plan).header, entry: address, options: { trial: address } };
  const carried = (run: string, parent?: string): CarriedRun => ({
    journal: { header: { ...header, run }, records: [] },
    pieces: new Map(),
    parent,
    isEnded: false,
  });
  const runs = [
    carried("s.c.1"),
    carried("s.c.1~2", "s.c.1"),
    carried("s.c.2.score"),
    carried("s.c.33"),
    carried("other.3"),
  ];
  placeCarried(files, store, runs, { set: "s", from: "s.c", to: "home", trials: new Set([1, 2, 3]) });
  expect(files.runs.ofTrial(1)).toEqual(["home.1", "home.1~2"]);
  expect(files.runs.find("home.1~2")?.parent).toBe("home.1");
  expect(files.runs.ofTrial(3)).toEqual([]);
  expect([1, 2, 3].map((id) => store.trial(id))).toMatchObject([
    { state: "running", attempts: 2, faults: null },
    { state: "pending", attempts: 0 },
    { state: "pending", attempts: 0 },
  ]);
  files.close();
});

it("a chunk of another name or version is refused before anything of it is done", () => {
  const folder = join(fresh(), "chunk");
  const placed = (name: string, bytes: Uint8Array) =>
    placeChunk({ name, file: bytes, runs: [], mayReveal: true }, folder, {});
  expect(() => placed("other", order)).toThrow("the chunk other holds the chunk s.c");
  const newer = changedFile(order, (name, text) =>
    name === "chunk.json" ? text.replace('"format":1', '"format":2') : text,
  );
  expect(() => placed("s.c", newer)).toThrow("(format 2): it was sent by a newer version of harn than");
  expect(() => placed("s.c", new Uint8Array([1, 2, 3]))).toThrow(
    "the file of the chunk: this is no zip archive",
  );
});
