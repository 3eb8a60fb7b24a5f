/** `harn run --workers` where nothing comes to workers: mistakes are told here, and nothing is begun or sent. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../../../src/store/index.ts";
import { beginRun } from "../../../support/cluster-journals.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("hand-over");
let folder: string;

/** Nobody listens at port 1. */
const manifest = '[cluster]\nengine = "temporal://127.0.0.1:1"\njournals = "postgres://u@127.0.0.1:1/d"\n';

beforeEach(() => {
  folder = freshFolder();
  writeFileSync(join(folder, "harn.toml"), manifest);
  writeFileSync(join(folder, "main.harn"), 'write_file("done", "x")\n');
});

const run = (...args: string[]) => harnHere(["run", ...args], { cwd: folder });

describe("refuses", () => {
  it.each<[string[], string]>([
    [["--record", "j"], "--record does not go with --workers: a run on workers is kept in the store"],
    [["--no-record"], "--no-record does not go with --workers"],
    [
      ["--llm-mock-record", "f"],
      "--llm-mock-record does not go with --workers: the file would lie on the worker",
    ],
    [["--accept-changes"], "--accept-changes does not go with --workers"],
    [["--input", "x"], "--input does not go with --workers"],
    [["--sign", "no-such-key"], "no-such-key cannot be read"],
    [["--deny", "proces"], "--deny: 'proces' is neither a builtin nor a capability"],
    [["--worker"], "unknown option '--worker'"],
  ])("%j", async (flags, words) => {
    const { status, stderr } = await run("main.harn", "--workers", ...flags);
    expect(stderr).toContain(words);
    expect(status).not.toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["harn.toml", "main.harn"]);
  });

  it("--sign without --workers", async () => {
    const { status, stderr } = await run("main.harn", "--sign", "key");
    expect(stderr).toContain("--sign goes with --workers");
    expect(status).toBe(2);
  });
});

it("a program that does not parse is told here", async () => {
  writeFileSync(join(folder, "main.harn"), "let x =\n");
  const { status, stderr } = await run("main.harn", "--workers");
  expect(stderr).toContain("HARN-PAR-002");
  expect(stderr).toContain("main.harn:1:8");
  expect(status).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(["harn.toml", "main.harn"]);
});

it("a program that does not check is told here", async () => {
  writeFileSync(join(folder, "main.harn"), 'let x: int = "a"\n');
  const { status, stderr } = await run("main.harn", "--workers");
  expect(stderr).toContain("HARN-TYP-");
  expect(status).toBe(1);
});

it("without [cluster] it says what to write", async () => {
  writeFileSync(join(folder, "harn.toml"), '[package]\nname = "p"\n');
  const { status, stderr } = await run("main.harn", "--workers");
  expect(stderr).toContain("HARN-CLU-002");
  expect(stderr).toContain("[cluster]");
  expect(status).toBe(2);
});

it("a database that is away: nothing was begun", async () => {
  const { status, stderr } = await run("main.harn", "--workers");
  expect(stderr).toContain("HARN-CLU-011");
  expect(stderr).toContain("127.0.0.1:1");
  expect(status).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(["harn.toml", "main.harn"]);
});

it("a worker without its database does not start", async () => {
  const { status, stderr } = await harnHere(["worker"], { cwd: folder });
  expect(stderr).toContain("HARN-CLU-011");
  expect(status).toBe(1);
});

it.each<[string[], string]>([
  [["--jobs", "0"], "--jobs: expected a whole number from 1 to 256, got 0"],
  [["--queue", "a b"], '--queue: expected 1 to 64 letters, digits, ".", "_" or "-", got "a b"'],
  [["--signed-by", "none.pem"], "none.pem cannot be read"],
  [["--job", "2"], "unknown option '--job'"],
])("harn worker %j", async (flags, words) => {
  const { status, stderr } = await harnHere(["worker", ...flags], { cwd: folder });
  expect(stderr).toContain(words);
  expect(status).not.toBe(0);
});

describe("a run that is noted as on workers", () => {
  beforeEach(() => {
    const store = openStore(join(folder, ".harn"));
    beginRun(store, "run-x", folder);
    store.runs.elsewhere.note("run-x", { seen: null, isSent: true });
    store.close();
  });

  const harn = (...args: string[]) => harnHere(args, { cwd: folder });

  it("does not go on here, and says what to do", async () => {
    const { status, stderr } = await run("--resume", "last");
    expect(stderr).toMatch(/the run run-x is on workers, and goes on there; this one leaves it alone/);
    expect(stderr).toMatch(/`harn run --resume run-x --workers` follows it, `harn runs stop run-x` stops it/);
    expect(stderr).toContain("HARN-CLI-026");
    expect(status).toBe(75);
  });

  it("is listed as such", async () => {
    expect((await harn("runs", "list")).stdout).toMatch(/ {2}on workers {6}/);
    expect((await harn("runs", "show", "last")).stdout).toContain("on workers");
    const [line = ""] = (await harn("runs", "list", "--json")).stdout.split("\n");
    expect(JSON.parse(line)).toMatchObject({ on_workers: true });
    expect((await harn("view", "last", "--json")).stderr).toMatch(
      /is on workers: this is what it has done so far/,
    );
  });

  it("is neither deleted nor pruned", async () => {
    expect((await harn("runs", "delete", "last")).stderr).toContain("is on workers");
    expect((await harn("runs", "prune", "--keep", "0")).stdout).toBe("removed 0 runs\n");
  });

  it("stays noted while the database is away", async () => {
    expect((await run("--resume", "last", "--workers")).stderr).toContain("HARN-CLU-011");
    expect((await harn("runs", "stop", "last")).stderr).toContain("HARN-CLU-011");
    expect((await harn("runs", "list")).stdout).toContain("on workers");
  });

  it(`with --resume it takes neither script nor arguments`, async () => {
    for (const [args, words] of [
      [["main.harn"], "main.harn does not go with --resume and --workers"],
      [["--seed", "s"], "--seed does not go with --resume and --workers"],
      [["--", "x"], "a resumed run keeps its arguments"],
    ] as const)
      expect((await run("--resume", "last", "--workers", ...args)).stderr).toContain(words);
  });
});

it("a run that has ended is not handed over again", async () => {
  await run("main.harn");
  const { status, stderr } = await run("--resume", "last", "--workers");
  expect(stderr).toContain("has ended (exit code 0): there is nothing to go on with");
  expect(status).toBe(1);
});
