/**
 * Daemons as a user has them (the real command line): what a thousand that idle weigh in one process, how late a wake is
 * among them, and how long `harn daemon trigger --wait` takes from end to end. Memory is read from `/proc`: Linux only.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Benchmark, median, printRows, type Row } from "./rows.ts";

const DAEMONS = 1000;
const WAKES = 20;
const INTERVAL = 100;
const TRIGGERS = 7;
const launcher = join(dirname(fileURLToPath(import.meta.url)), "../bin/harn.cjs");

/** Two lines: resident memory with one daemon and with all; then how late each wake of a timer was, turn included. */
const program = `
fn resident() {
  for line in read_file("/proc/self/status").split("\\n") {
    if starts_with(line, "VmRSS") {
      return to_int(regex_captures("([0-9]+)", line)[0].groups[0])
    }
  }
}
fn spawn_one(name) {
  return daemon_spawn({task: "Wait.", provider: "mock", state_dir: path_join(argv[0], name)})
}
spawn_one("first")
let before = resident()
for i in 0 to ${DAEMONS} exclusive {
  spawn_one("d\${i}")
}
let after = resident()
let turns = channel("turns", ${WAKES + 1})
let clock = daemon_spawn({
  task: "Tick.",
  provider: "mock",
  state_dir: path_join(argv[0], "clock"),
  wake_interval_ms: ${INTERVAL},
  max_iterations: ${WAKES + 2},
  context_callback: { _ ->
    send(turns, monotonic_ms())
    return nil
  },
})
var last = receive(turns)
var late = []
for i in 0 to ${WAKES} exclusive {
  let now = receive(turns)
  late = late + [now - last - ${INTERVAL}]
  last = now
}
println(json_stringify({before: before, after: after, late: late}))
`;

interface Measured {
  readonly before: number;
  readonly after: number;
  readonly late: readonly number[];
}

function measure(folder: string, ...flags: string[]): Measured {
  const file = join(folder, "daemons.harn");
  writeFileSync(file, program);
  const state = join(folder, flags.length === 0 ? "recorded" : "plain");
  const env = { ...process.env, HARN_STATE_DIR: join(state, "state") };
  const args = ["run", "--quiet", ...flags, file, "--", join(state, "daemons")];
  return JSON.parse(execFileSync(launcher, args, { encoding: "utf8", env })) as Measured;
}

const background = `pub fn daemon() { return {task: "Wait.", provider: "mock"} }`;

/** Milliseconds from `harn daemon trigger --wait` to its end, the two processes it takes included. */
function roundTrips(folder: string): number[] {
  const file = join(folder, "background.harn");
  writeFileSync(file, background);
  const harn = (...args: string[]): string =>
    execFileSync(launcher, ["daemon", ...args], { cwd: folder, encoding: "utf8" });
  harn("run", file);
  try {
    harn("trigger", "background", "0", "--wait");
    return Array.from({ length: TRIGGERS }, (_, n) => {
      const began = performance.now();
      harn("trigger", "background", String(n), "--wait");
      return performance.now() - began;
    });
  } finally {
    harn("stop", "background");
  }
}

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-daemons-"));
  try {
    const plain = measure(folder, "--no-record");
    const recorded = measure(folder);
    const rows: Row[] = [
      {
        name: `what ${DAEMONS} idle daemons add, not recorded`,
        value: (plain.after - plain.before) / 1024,
        unit: "MB",
        target: "< 100 MB",
      },
      {
        name: "the same, recorded",
        value: (recorded.after - recorded.before) / 1024,
        unit: "MB",
        target: "< 100 MB",
      },
      { name: "the whole process then", value: plain.after / 1024, unit: "MB" },
      { name: "a wake among them, late by (median)", value: median(plain.late), unit: "ms" },
      {
        name: "a wake among them, late by (worst)",
        value: Math.max(...plain.late),
        unit: "ms",
        target: "< 50 ms",
      },
      { name: "harn daemon trigger --wait, median", value: median(roundTrips(folder)), unit: "ms" },
    ];
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) printRows("daemons", await run());
