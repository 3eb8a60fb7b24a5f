/**
 * Kernels as whole processes: `harn run` beyond bare Node, less 1.3 times what CPython takes beyond its own start. The
 * issue allows 80 ms for it. Best of a few rounds in which all four processes take turns; the cached tree is used, as
 * it is from the second run of a script on.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { kernelFolder, kernels } from "./kernels.ts";
import { type Benchmark, printRows, type Row } from "./rows.ts";

const launcher = join(resolve(dirname(fileURLToPath(import.meta.url)), ".."), "bin/harn.cjs");
const ROUNDS = 5;

const callMain = "import runpy, sys; runpy.run_path(sys.argv[1])['main']()";

export const run: Benchmark = async () => {
  const cache = mkdtempSync(join(tmpdir(), "harn-cold-"));
  const env = {
    ...process.env,
    XDG_CACHE_HOME: cache,
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
  };
  const time = (program: string, args: readonly string[]): number => {
    const begin = performance.now();
    const done = spawnSync(program, args, { env, encoding: "utf8" });
    const ms = performance.now() - begin;
    // An int that a pipeline returns is the exit status; a failure says so on standard error.
    if (done.error !== undefined || done.signal !== null || done.stderr !== "")
      throw new Error(`${program} ${args.join(" ")} failed: ${done.stderr ?? done.error}`);
    return ms;
  };
  try {
    if (spawnSync("python3", ["--version"]).status !== 0) return [];
    const rows: Row[] = [];
    const bare = { node: Number.POSITIVE_INFINITY, python: Number.POSITIVE_INFINITY };
    const measured = kernels.map(([name]) => ({ name, harn: Infinity, python: Infinity }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of measured) {
        bare.node = Math.min(bare.node, time(process.execPath, ["-e", "0"]));
        bare.python = Math.min(bare.python, time("python3", ["-c", "import runpy"]));
        one.harn = Math.min(one.harn, time(launcher, ["run", join(kernelFolder, `${one.name}.harn`)]));
        one.python = Math.min(
          one.python,
          time("python3", ["-c", callMain, join(kernelFolder, `${one.name}.py`)]),
        );
      }
    }
    for (const { name, harn, python } of measured) {
      const value = harn - bare.node - 1.3 * (python - bare.python);
      rows.push({
        name: `${name} (${harn.toFixed(0)} ms; CPython ${python.toFixed(0)} ms)`,
        value,
        unit: "ms",
        target: `<= 80 ms${value > 80 ? " MISSED" : ""}`,
      });
    }
    rows.push({ name: "bare node", value: bare.node, unit: "ms" });
    rows.push({ name: "bare python3", value: bare.python, unit: "ms" });
    return rows;
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
};

if (import.meta.main) printRows("cold", await run());
