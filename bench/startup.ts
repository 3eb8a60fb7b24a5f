/**
 * Start-up of the whole process: `harn run hello.harn` against bare `node -e 0`, the same Node, in pairs taken in turn
 * so that both see the same machine. First run: an empty cache folder each time. Second: the cached AST.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Benchmark, median, printRows, type Row } from "./rows.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const launcher = join(root, "bin/harn.cjs");
const PAIRS = 15;

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-"));
  try {
    const script = join(folder, "hello.harn");
    writeFileSync(script, 'println("hello")\n');
    const first: number[] = [];
    const second: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const cache = join(folder, `cache-${pair}`);
      const bare = time(process.execPath, ["-e", "0"], cache);
      first.push(time(launcher, ["run", script], cache) - bare);
      second.push(time(launcher, ["run", script], cache) - time(process.execPath, ["-e", "0"], cache));
    }
    const rows: Row[] = [
      {
        name: "hello.harn, first run, beyond bare node",
        value: median(first),
        unit: "ms",
        target: "<= 80 ms",
      },
      {
        name: "hello.harn, second run, beyond bare node",
        value: median(second),
        unit: "ms",
        target: "<= 40 ms",
      },
    ];
    const peak = peakMemory(script);
    if (peak !== undefined)
      rows.push({ name: "hello.harn, peak memory", value: peak, unit: "MB", target: "< 90 MB" });
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function time(program: string, args: readonly string[], cache: string): number {
  const start = process.hrtime.bigint();
  const done = spawnSync(program, args, { env: environment(cache), encoding: "utf8" });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${done.stderr}`);
  return ms;
}

function environment(cache: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    XDG_CACHE_HOME: cache,
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
  };
}

/** Peak resident memory in MB as the kernel counted it; `undefined` without python3. */
function peakMemory(script: string): number | undefined {
  const done = spawnSync(
    "python3",
    [
      "-c",
      "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,check=True);print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024)",
      launcher,
      "run",
      script,
    ],
    { encoding: "utf8", env: environment(join(tmpdir(), "harn-bench-memory")) },
  );
  return done.status === 0 ? Number(done.stdout) : undefined;
}

if (import.meta.main) printRows("start-up", await run());
