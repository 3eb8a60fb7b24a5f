/**
 * Memory of what programs hold many of, as a difference of the heap after a full collection (`node --expose-gc`):
 * a list of a million ints, and 100,000 tasks that all wait on a channel.
 */
import { compileText, runOnce } from "./kernels.ts";
import { type Benchmark, printRows } from "./rows.ts";

const TASKS = 100_000;

const million = `pipeline default() {
  var xs = []
  println("before")
  for i in 0 to 1000000 exclusive { xs = xs + [i] }
  println("after")
  return len(xs)
}`;

/** The last task's message arrives when all the others wait already. */
const parked = `pipeline default() {
  let jobs = channel("jobs", 1)
  let ready = channel("ready", 1)
  var handles = []
  println("before")
  for i in 0 to ${TASKS} exclusive {
    handles = handles + [spawn { receive(jobs) }]
  }
  spawn { send(ready, true) }
  receive(ready)
  println("after")
  close_channel(jobs)
  for handle in handles { await(handle) }
  return len(handles)
}`;

function heapUsed(): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error("memory needs node --expose-gc");
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Bytes of heap that the program holds at `println("after")` and did not at `println("before")`. */
async function heldBetween(name: string, text: string): Promise<number> {
  let before = 0;
  let after = 0;
  await runOnce(compileText(name, text), (line) => {
    if (line.startsWith("before")) before = heapUsed();
    if (line.startsWith("after")) after = heapUsed();
  });
  if (before === 0 || after === 0) throw new Error(`${name} was not measured`);
  return after - before;
}

export const run: Benchmark = async () => [
  {
    name: "a list of a million ints",
    value: (await heldBetween("million.harn", million)) / 1e6,
    unit: "MB",
    target: "< 40 MB",
  },
  {
    name: "100,000 parked tasks, each",
    value: (await heldBetween("parked.harn", parked)) / TASKS,
    unit: "B",
    target: "< 4096 B",
  },
];

if (import.meta.main) printRows("memory", await run());
