/**
 * Sets of evaluations as a user has them: the real command line, the mock model, a process for each command. Times are those of the
 * processor, because a machine is seldom alone. `HARN_BENCH_SAMPLES` says how many samples (1,000) of 5 epochs are run, and
 * `HARN_BENCH_SCORES` how many scores (50,000) are imported for commands that only read.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Governor } from "../src/eval/engine/index.ts";
import { components } from "../src/eval/stats/index.ts";
import { findChromium, startChromium } from "../test/support/chromium.ts";
import { type Benchmark, printRows, type Row } from "./rows.ts";

const SAMPLES = Number(process.env.HARN_BENCH_SAMPLES ?? 1000);
const SCORES = Number(process.env.HARN_BENCH_SCORES ?? 50_000);
const EPOCHS = 5;
/** Of a trial whose replay is nearly nothing but them: the trials around them are not taken off. */
const EFFECTS = 10_000;
const launcher = join(dirname(fileURLToPath(import.meta.url)), "../bin/harn.cjs");

const solvers = {
  call: `{ sample, _trial -> llm_call(sample.input, "Answer.", {provider: "mock"}).text }`,
  agent: `{ sample, _trial -> agent_loop(sample.input, "Answer.", {provider: "mock", tools: [look], tool_format: "native"}) }`,
  reads: `{ _sample, _trial -> for n in 0 to ${EFFECTS} { file_exists("f\${n}") } }`,
  mark: `{ sample, _trial -> write_file("first", sample.id) }`,
};

const program = (solver: keyof typeof solvers, epochs: number, mocks = ""): string => `import "std/eval"
tool look(id: string) -> string {
  description "Looks a number up."
  "\${id} is 5"
}
${mocks}
eval_task({name: "b", dataset: "rows.jsonl", solver: ${solvers[solver]}, scorers: [includes()], epochs: ${epochs}})
`;

/** The agent of every trial calls its tool, then answers. */
const agentMocks = `llm_mock({match: "*result of look*", text: "It is a question of 5."})
llm_mock({match: "*question*", tool_calls: [{name: "look", arguments: {id: "a"}}]})
`;

/** Inside a command: what it has used when it ends, and when the file `first` has come to be. */
const probe = `import { existsSync, writeFileSync } from "node:fs";
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let first = null;
const look = setInterval(() => { if (existsSync("first")) { first = cpu(); clearInterval(look); } }, 5);
look.unref();
process.on("exit", () => writeFileSync(process.env.HARN_BENCH_USED, JSON.stringify({ cpu: cpu(), first, mb: process.resourceUsage().maxRSS / 1024 })));
`;

interface Used {
  /** Milliseconds of the processor, all of it and to the first trial; of the clock; MB at most. */
  readonly cpu: number;
  readonly first: number | null;
  readonly wall: number;
  readonly mb: number;
}

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-evals-"));
  const used = join(folder, "used.json");
  writeFileSync(join(folder, "probe.mjs"), probe);
  const state = join(folder, "state");
  const harn = (...args: string[]): Used => {
    const began = performance.now();
    const { status } = spawnSync(launcher, ["eval", ...args], {
      cwd: folder,
      stdio: "ignore",
      env: {
        ...process.env,
        HARN_STATE_DIR: state,
        HARN_BENCH_USED: used,
        NODE_OPTIONS: `--import=${pathToFileURL(join(folder, "probe.mjs")).href}`,
      },
    });
    // 5: it was told to end before it was complete.
    if (status !== 0 && status !== 5) throw new Error(`harn eval ${args.join(" ")} ended with ${status}`);
    const wall = performance.now() - began;
    return { ...(JSON.parse(readFileSync(used, "utf8")) as Omit<Used, "wall">), wall };
  };
  const dataset = (count: number): void => {
    const rows = Array.from({ length: count }, (_, n) =>
      JSON.stringify({ id: `r${n}`, input: `question ${n}`, target: "question" }),
    );
    writeFileSync(join(folder, "rows.jsonl"), `${rows.join("\n")}\n`);
  };
  const script = (...of: Parameters<typeof program>): void =>
    writeFileSync(join(folder, "b.eval.harn"), program(...of));
  const storeBytes = (): number => statSync(join(state, "state.db")).size;
  const trials = SAMPLES * EPOCHS;
  const rows: Row[] = [];
  const row = (name: string, value: number, unit: string, target?: string): void =>
    void rows.push({ name, value, unit, ...(target === undefined ? {} : { target }) });
  try {
    dataset(1);
    script("call", 1);
    const one = harn("run", "b.eval.harn", "--set", "one", "--quiet");
    row("a set of one trial, CPU", one.cpu, "ms");

    dataset(SAMPLES);
    script("call", EPOCHS);
    const before = storeBytes();
    const calls = harn("run", "b.eval.harn", "--set", "calls", "--quiet");
    row(`a trial of ${trials}: llm_call and includes(), CPU`, (calls.cpu - one.cpu) / trials, "ms", "1.5 ms");
    row("all of it, by the clock", calls.wall / 1000, "s", "90 s for 50,000");
    row("memory of it", calls.mb, "MB", "350 MB");
    row("the store, a trial", (storeBytes() - before) / trials / 1024, "kB", "2 kB");

    const replayed = harn("replay", "calls");
    row("replay, a trial, CPU", (replayed.cpu - one.cpu) / trials, "ms", "1 ms");
    script("mark", EPOCHS);
    harn("run", "b.eval.harn", "--set", "marks", "--quiet");
    rmSync(join(folder, "first"));
    const resumed = harn(
      "run",
      "b.eval.harn",
      "--set",
      "marks",
      "--redo",
      "all",
      "--sample",
      "r0,r1",
      "--quiet",
    );
    row(
      `resume of ${trials} of which 10 are missing, to the first, CPU`,
      resumed.first ?? Number.NaN,
      "ms",
      "2 s at 50,000",
    );
    for (const command of ["list", "show", "status"]) {
      const { cpu } = harn(command, ...(command === "list" ? [] : ["calls"]));
      row(`${command}, ${trials} trials, CPU`, cpu, "ms", "0.3 s");
    }

    script("agent", EPOCHS, agentMocks);
    const agents = harn("run", "b.eval.harn", "--set", "agents", "--quiet");
    row("a trial with agent_loop and a tool call, CPU", (agents.cpu - one.cpu) / trials, "ms", "3 ms");

    dataset(20);
    script("reads", 1);
    harn("run", "b.eval.harn", "--set", "reads", "--quiet");
    const effects = harn("replay", "reads");
    row("effects replayed in a second of CPU", (20 * EFFECTS) / (effects.cpu / 1000), "", "50,000");

    dataset(10_000);
    script("mark", 1);
    rmSync(join(folder, "first"));
    const start = harn("run", "b.eval.harn", "--set", "start", "--quiet", "--time", "2s");
    row("from start to first trial, 10,000 rows, CPU", start.first ?? Number.NaN, "ms", "1 s");

    const scores = (shift: number): string =>
      Array.from({ length: SCORES }, (_, n) =>
        JSON.stringify({
          sample: `s${n >> 1}`,
          epoch: (n % 2) + 1,
          right: Number((n * 7 + shift) % 5 !== 0),
        }),
      ).join("\n");
    for (const [at, name] of ["a", "b"].entries()) {
      // The file names the task, which both sets must have.
      writeFileSync(join(folder, "scores.jsonl"), scores(at));
      harn("import", "scores.jsonl", "--set", name);
    }
    const compared = harn("compare", "a", "b");
    row(`compare of 2 × ${SCORES} scores, CPU`, compared.cpu, "ms", "1 s");
    row("memory of it", compared.mb, "MB", "250 MB");
    for (const command of ["list", "show", "status"]) {
      const { cpu } = harn(command, ...(command === "list" ? [] : ["a"]));
      row(`${command}, ${SCORES} scores, CPU`, cpu, "ms", "0.3 s");
    }
    const page = harn("report", "a", "--html", "page.html", "--transcripts", "none");
    row(`page of ${SCORES} scores, CPU`, page.cpu, "ms", "5 s");
    row("its size", statSync(join(folder, "page.html")).size / 1e6, "MB", "15 MB");
    rows.push(...(await opened(join(folder, "page.html"))));
    return [...rows, ...pureRows()];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

async function opened(path: string): Promise<Row[]> {
  const found = findChromium();
  if (!("path" in found)) return [];
  const browser = await startChromium(found.path);
  try {
    const page = await browser.newPage();
    const began = performance.now();
    await page.goto(pathToFileURL(path).href);
    await page.waitForSelector("html[data-ready=yes]", { timeout: 120_000 });
    return [
      {
        name: "opened in Chromium, by the clock",
        value: performance.now() - began,
        unit: "ms",
        target: "2 s",
      },
    ];
  } finally {
    await browser.close();
  }
}

/** What needs no process. */
function pureRows(): Row[] {
  const table = Array.from({ length: 1000 }, (_, s) =>
    [0, 1].map((a) => [0, 1].map((u) => [[0, 1].map((j) => ((s * 31 + a * 7 + u * 3 + j) % 11) / 10)])),
  );
  components(table);
  const first = process.cpuUsage();
  for (let n = 0; n < 10; n++) components(table);
  const made = process.cpuUsage(first);
  const governor = new Governor({ min: 2, start: 10, max: 200 }, 0);
  const decisions = 200_000;
  const second = process.cpuUsage();
  for (let n = 0; n < decisions / 2; n++) {
    const permit = governor.begin(n);
    if (permit !== undefined) governor.succeeded(permit, n);
  }
  const governed = process.cpuUsage(second);
  return [
    {
      name: "components of 1,000 × 8, CPU",
      value: (made.user + made.system) / 1000 / 10,
      unit: "ms",
      target: "50 ms",
    },
    {
      name: "a decision of the governor, CPU",
      value: (governed.user + governed.system) / decisions,
      unit: "µs",
      target: "5 µs",
    },
  ];
}

if (import.meta.main) printRows("evals", await run());
