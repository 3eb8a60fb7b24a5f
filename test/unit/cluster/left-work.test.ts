/** What jobs leave on a worker: gone with the job, containers first; or after a week, of all but those at work. */
// suite: slow
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import { chunkFolder, removeChunk, removeLeftWork } from "../../../src/cluster/worker-disk.ts";
import { openStore } from "../../../src/store/index.ts";
import { ProjectHere } from "../../support/chunks-here.ts";
import { beginRun } from "../../support/cluster-journals.ts";
import { projectRoot } from "../../support/project.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const fresh = tempFolders("left-work");
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

it("the containers of a chunk go before its folder", async () => {
  const base = fresh();
  const engine = join(base, "engine");
  for (const part of ["bin", "images/plain"]) mkdirSync(join(engine, part), { recursive: true });
  const docker = join(engine, "bin", "docker");
  symlinkSync(join(projectRoot, "test/support/stand-in-docker.mjs"), docker);
  vi.stubEnv("STAND_IN_DOCKER", engine);
  vi.stubEnv("PATH", `${dirname(docker)}:${process.env.PATH}`);
  const project = new ProjectHere(join(base, "home"));
  writeFileSync(
    join(project.folder, "t.harn"),
    'import "std/eval"\neval_pack t { dataset: [{id: "a"}]\n solver: { _s -> "y" }\n scorers: [includes("y")] }\n',
  );
  await project.evaluate({
    file: "t.harn",
    set: "s",
    run: async ({ set }) => ({ set, state: "stopped", why: null, exitCode: 5 }),
  });
  const files = project.open();
  const { folder } = files;
  files.close();
  const traces = join(folder, "sandboxes");
  mkdirSync(traces, { recursive: true });
  writeFileSync(join(traces, "t.container.json"), JSON.stringify({ name: "box", workdir: "/", began: null }));
  const store = createHash("sha256").update(traces).digest("hex").slice(0, 16);
  const labels = [`harn.set=s`, `harn.store=${store}`].flatMap((label) => ["--label", label]);
  spawnSync(docker, ["run", "-d", "--name", "box", ...labels, "plain"]);
  expect(existsSync(join(engine, "containers", "box"))).toBe(true);
  await removeChunk(folder);
  expect(existsSync(join(engine, "containers", "box"))).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

// Everything is writable to root: somebody else tries it.
it.skipIf(process.getuid?.() !== 0)("a folder in which a trial lets nobody write goes, too", () => {
  const folder = join(fresh(), "chunk");
  const closed = join(folder, "sandboxes/a/closed");
  mkdirSync(closed, { recursive: true });
  writeFileSync(join(closed, "file"), "");
  chmodSync(closed, 0o555);
  for (let at = join(closed, "file"); at !== dirname(dirname(folder)); at = dirname(at))
    chownSync(at, 65534, 65534);
  const module = pathToFileURL(join(projectRoot, "src/cluster/worker-disk.ts")).href;
  // The folders above are root's.
  const program = `process.setuid(65534); await (await import("${module}")).removeChunk("chunk");`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: dirname(folder),
    encoding: "utf8",
  });
  expect([stderr, existsSync(folder)]).toEqual(["", false]);
});

it("what is older than a week goes, but that of jobs at work", async () => {
  const folder = fresh();
  const places = ["old", "busy", "new"].map((job) => chunkFolder(folder, job));
  const weekAgo = Date.now() - 8 * 86_400_000;
  vi.useFakeTimers({ now: weekAgo, toFake: ["Date"] });
  const earlier = openStore(folder);
  for (const run of ["run-old", "run-busy"]) beginRun(earlier, run);
  earlier.close();
  vi.useRealTimers();
  const store = openStore(folder);
  beginRun(store, "run-new");
  for (const place of places) mkdirSync(place, { recursive: true });
  for (const place of places.slice(0, 2)) utimesSync(place, weekAgo / 1000, weekAgo / 1000);
  const lines: string[] = [];
  await removeLeftWork(
    store,
    new Map([
      ["busy", 1],
      ["run-busy", 1],
    ]),
    (line) => lines.push(line),
  );
  expect(
    store.runs
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["run-busy", "run-new"]);
  expect(places.map((place) => existsSync(place))).toEqual([false, true, true]);
  expect(lines).toEqual([]);
  store.close();
});

it("what can't be removed is told, and is in nobody's way", async () => {
  const store = openStore(fresh());
  const weekAgo = (Date.now() - 8 * 86_400_000) / 1000;
  const [broken, sound] = ["broken", "sound"].map((job) => chunkFolder(store.folder, job)) as [
    string,
    string,
  ];
  for (const place of [broken, sound]) mkdirSync(place, { recursive: true });
  writeFileSync(join(broken, "state.db"), "no store");
  for (const place of [broken, sound]) utimesSync(place, weekAgo, weekAgo);
  const lines: string[] = [];
  await removeLeftWork(store, new Map(), (line) => lines.push(line));
  expect(lines).toEqual([
    expect.stringContaining(`${broken}, which a job left here a week ago, can't be removed`),
  ]);
  expect([broken, sound].map((place) => existsSync(place))).toEqual([true, false]);
  store.close();
});
