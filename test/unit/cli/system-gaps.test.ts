/** A system that lacks what docs/security.md promises says so to the first run that needs it, and never again. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Gap, gaps } from "../../../src/host/node/system-gaps.ts";
import { harn } from "../../support/run-cli.ts";
import { startServing } from "../../support/serving.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("gaps");
const elsewhere = join(folder, "elsewhere.cjs");
writeFileSync(
  elsewhere,
  `Object.defineProperty(process, "platform", { value: "darwin" });
const fs = require("node:fs");
const read = fs.readFileSync;
fs.readFileSync = (path, ...more) => read(String(path).startsWith("/proc/") ? "/no/proc" : path, ...more);
`,
);
writeFileSync(join(folder, "reads.harn"), 'println(read_file("reads.harn").contains("read_file"))\n');
writeFileSync(join(folder, "starts.harn"), 'println(exec("echo", "hi").stdout)\n');
writeFileSync(
  join(folder, "walls.harn"),
  'import { sandbox } from "std/research/code"\nprintln(sandbox().kind)\n',
);
writeFileSync(join(folder, "waits.harn"), "pipeline main(task) { sleep(1h) }\n");

const onDarwin = { NODE_OPTIONS: `--require=${elsewhere}` };

const run = (cache: string, env: Readonly<Record<string, string>>, ...args: string[]): string => {
  const { stderr, status } = harn(["run", ...args], {
    cwd: folder,
    env: { XDG_CACHE_HOME: join(folder, cache), ...env },
  });
  expect(status, stderr).toBe(0);
  return stderr;
};

/** What needs it, for the first time and once more. */
const needing: Readonly<Record<Gap, () => void | Promise<void>>> = {
  // Rules about folders.
  paths: () => {
    const args = ["--allow", "fs.read=.", "reads.harn"];
    expect(run("paths", onDarwin, ...args)).toMatch(
      /^warning: on this system \(darwin\) folders are allowed and denied by their names: .*\(HARN-RUN-011\)\n$/,
    );
    expect(run("paths", onDarwin, ...args)).toBe("");
    expect(run("linux", {}, ...args)).toBe("");
  },

  // Programs that a run starts.
  descendants: () => {
    expect(run("programs", onDarwin, "starts.harn")).toContain("process group goes on");
    expect(run("programs", onDarwin, "starts.harn")).toBe("");
  },

  // The memory of served runs.
  memory: async () => {
    const server = await startServing(["waits.harn"], {
      cwd: folder,
      env: { XDG_CACHE_HOME: join(folder, "memory"), ...onDarwin },
    });
    try {
      const token = readFileSync(join(folder, ".harn/serve.token"), "utf8");
      const { status } = await fetch(`${server.base}/api/conversations`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ agent: "waits", message: { text: "Wait." } }),
      });
      expect(status).toBe(201);
      await expect.poll(server.said).toContain(gaps.memory);
    } finally {
      await server.end("SIGKILL");
    }
  },

  // Code that agents write.
  walls: () => {
    // Without a folder of programs in which one could be called so.
    const only = join(folder, "only-node");
    mkdirSync(only);
    symlinkSync(process.execPath, join(only, "node"));
    const walls = (): string => run("walls", { PATH: only }, "walls.harn");
    expect(walls()).toMatch(
      /^warning: on this system \(linux\) there is no bubblewrap: .*\(HARN-RUN-011\)\n$/,
    );
    expect(walls()).toBe("");
  },
};

it.each(Object.entries(needing))("%s is told", (_gap, needs) => needs());

it("nothing is said to a run that needs none of it", () => {
  expect(run("none", onDarwin, "reads.harn")).toBe("");
});
