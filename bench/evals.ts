/**
 * Sets of evaluations as a user has them (the real command line, the mock model): what a trial costs, what it adds to the store,
 * and how long a set takes to be resumed and replayed. `HARN_BENCH_SAMPLES` says how many; the figures are per trial.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Benchmark, printRows } from "./rows.ts";

const SAMPLES = Number(process.env.HARN_BENCH_SAMPLES ?? 2000);
const launcher = join(dirname(fileURLToPath(import.meta.url)), "../bin/harn.cjs");

const program = `import "std/eval"
eval_task({
  name: "b",
  dataset: "rows.jsonl",
  solver: { sample, _trial -> llm_call(sample.input, "Answer.", {provider: "mock"}).text },
  scorers: [includes()],
})
`;

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-evals-"));
  const timed = (...args: string[]): number => {
    const began = performance.now();
    execFileSync(launcher, ["eval", ...args], {
      cwd: folder,
      stdio: "ignore",
      env: { ...process.env, HARN_STATE_DIR: join(folder, "state") },
    });
    return performance.now() - began;
  };
  try {
    writeFileSync(join(folder, "b.eval.harn"), program);
    const rows = Array.from({ length: SAMPLES }, (_, n) =>
      JSON.stringify({ id: `r${n}`, input: `question ${n}`, target: "question" }),
    );
    writeFileSync(join(folder, "rows.jsonl"), `${rows.slice(0, 1).join("\n")}\n`);
    const start = timed("run", "b.eval.harn", "--set", "one", "--quiet");
    writeFileSync(join(folder, "rows.jsonl"), `${rows.join("\n")}\n`);
    const whole = timed("run", "b.eval.harn", "--set", "many", "--quiet");
    const store = statSync(join(folder, "state", "state.db")).size;
    const resumed = timed("resume", "many", "--quiet");
    const replayed = timed("replay", "many");
    return [
      { name: "a set of one trial", value: start, unit: "ms" },
      {
        name: `a trial of ${SAMPLES}: llm_call and includes()`,
        value: (whole - start) / SAMPLES,
        unit: "ms",
        target: "1.5 ms of CPU",
      },
      { name: "the store, a trial", value: store / SAMPLES / 1024, unit: "kB", target: "2 kB" },
      { name: "resume of a set that is done", value: resumed, unit: "ms", target: "2 s at 50,000" },
      { name: "replay, a trial", value: (replayed - start) / SAMPLES, unit: "ms", target: "1 ms" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) printRows("evals", await run());
