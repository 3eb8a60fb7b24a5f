/**
 * `harn bench FILE`: how long a script takes from its first statement to its end, in this process. It is compiled once and
 * runs some times before it is measured, so neither the start of the process nor a cold engine is in the figures. Nothing
 * is recorded, and what it prints is dropped.
 */

import { builtinTable } from "../../builtins/index.ts";
import { LiveEffects } from "../../effects/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  print,
  reportAsJson,
  reportError,
  reportFailure,
  UsageError,
} from "../../host/command/index.ts";
import { createNodeHost, nodeAtRest, nodeSeed } from "../../host/index.ts";
import { Runtime, runGuarded } from "../../interp/index.ts";
import { type ExecutableProgram, runProgram } from "../../lower/index.ts";
import { checkedFile } from "../../program/index.ts";
import { endOfRun } from "../../run/setup/index.ts";
import type { benchFlags } from "../flags/checking.ts";

export type BenchFlags = FlagsOf<typeof benchFlags>;

interface BenchProgram {
  readonly file: string;
  readonly program: ExecutableProgram;
  readonly times: number[];
}

/** Runs before the first that counts: so many, and as many more as fit in the time. */
const fewestWarmups = 3;
const warmupMs = 300;

export async function benchCommand(
  file: string,
  args: readonly string[],
  flags: BenchFlags,
): Promise<number> {
  const runs = flags.n ?? 20;
  const subjects: BenchProgram[] = [];
  for (const name of [file, ...(flags.compare === undefined ? [] : [flags.compare])]) {
    const program = await checkedFile(name);
    if (program === undefined) return exitCode.failed;
    subjects.push({ file: name, program, times: [] });
  }
  const began = performance.now();
  for (let round = 0; round < fewestWarmups || performance.now() - began < warmupMs; round++)
    for (const subject of subjects) {
      const code = await timedRun(subject, args, flags);
      if (code !== exitCode.ok) return code;
      subject.times.pop();
    }
  // In turn, so that what disturbs the machine meanwhile disturbs both.
  for (let run = 0; run < runs; run++)
    for (const subject of subjects) {
      const code = await timedRun(subject, args, flags);
      if (code !== exitCode.ok) return code;
    }
  showFigures(
    subjects.map((subject) => ({ file: subject.file, ...benchFigures(subject.times) })),
    flags.json === true,
  );
  return exitCode.ok;
}

/** One run, noted in the subject's times; gives how it ended. Only a run that ends well is measured. */
async function timedRun(subject: BenchProgram, args: readonly string[], flags: BenchFlags): Promise<number> {
  const console = { write: (): void => {}, writeError: reportError };
  const effects = new LiveEffects({ atRest: nodeAtRest(), seed: nodeSeed() });
  const runtime = new Runtime({ effects, host: createNodeHost(), console, builtins: builtinTable(), args });
  if (flags.tape !== undefined || flags.llmMock !== undefined) {
    const { wireModels } = await import("../../run/setup/wire-models.ts");
    wireModels(runtime, flags);
  }
  const began = performance.now();
  // Ctrl-C ends the process at once: nothing of a measurement has to be kept.
  const ended = await runGuarded(runtime, () => runProgram(runtime, subject.program), {
    end: ({ exitCode: code }) => ({ reason: code === exitCode.ok ? "done" : "error", exitCode: code }),
  });
  const took = performance.now() - began;
  const code = endOfRun(ended, runtime, {});
  if (code === exitCode.ok) subject.times.push(took);
  else
    reportFailure(
      new UsageError(`${subject.file} ended with ${code}: only what ends well is measured`, "HARN-CLI-008"),
    );
  return code;
}

function showFigures(measured: readonly ({ readonly file: string } & RunTimes)[], json: boolean): void {
  const [first, other] = measured as [RunTimes & { file: string }, (RunTimes & { file: string })?];
  const ratio =
    other === undefined ? undefined : Math.round((other.median_ms / first.median_ms) * 1000) / 1000;
  if (json) {
    reportAsJson({ ...first, ...(other === undefined ? {} : { compare: other, ratio }) });
    return;
  }
  const width = Math.max(...measured.map(({ file }) => file.length));
  for (const { file, runs, min_ms, median_ms, spread_ms } of measured)
    print(
      `${file.padEnd(width)}  min ${benchTimeText(min_ms)}  median ${benchTimeText(median_ms)}  spread ${benchTimeText(spread_ms)}  (${runs} runs)\n`,
    );
  if (other !== undefined && ratio !== undefined)
    print(`${other.file} takes ${ratio.toFixed(2)} times as long as ${first.file}\n`);
}

interface RunTimes {
  readonly runs: number;
  readonly min_ms: number;
  readonly median_ms: number;
  /** From the first to the third quartile: half of the runs lie within. */
  readonly spread_ms: number;
}

export function benchFigures(times: readonly number[]): RunTimes {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    runs: sorted.length,
    min_ms: toMicroseconds(sorted[0]!),
    median_ms: toMicroseconds(sortedQuantile(sorted, 0.5)),
    spread_ms: toMicroseconds(sortedQuantile(sorted, 0.75) - sortedQuantile(sorted, 0.25)),
  };
}

/** Between two measurements it lies on the line from one to the other. */
function sortedQuantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)]!;
  const above = sorted[Math.ceil(at)]!;
  return below + (above - below) * (at - Math.floor(at));
}

/** To a microsecond: what a clock of a process tells. */
const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Three digits that mean something. */
export function benchTimeText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  if (ms >= 100) return `${Math.round(ms)} ms`;
  return `${ms < 0.01 ? ms.toFixed(3) : ms.toPrecision(3)} ms`;
}
