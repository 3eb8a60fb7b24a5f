/** One run of one compiled test, in a Runtime of its own; everything that it did comes back as data. */

import { builtinTable } from "../../builtins/index.ts";
import {
  type Effects,
  LiveEffects,
  MemoryJournal,
  RecordingEffects,
  Secrets,
  type StopRequest,
} from "../../effects/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  Interruption,
  type InterruptListener,
  type Interrupts,
  Runtime,
  runGuarded,
  unseenEnds,
  unseenLines,
} from "../../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../../lower/index.ts";
import {
  configureModels,
  fixtureLine,
  loadFixtures,
  type ModelClient,
  type ModelConfig,
  type WarnOfFile,
} from "../../model/index.ts";
import { variable } from "../../process/environment.ts";
import type { TestBench, TestMachine } from "./bench.ts";
import type { TestOptions } from "./contract.ts";
import {
  type FixtureStore,
  fixtureFolder,
  keyVariables,
  recordingClient,
  replayingClient,
  replayKeys,
} from "./model-fixtures.ts";

/** Kept of what a test prints; a test that prints for ever must not fill the memory. */
const maxOutput = 16 * 1024 * 1024;

export interface AttemptPlan {
  readonly program: ExecutableProgram;
  /** Canonical path of the file. */
  readonly file: string;
  readonly seed: string;
  readonly options: TestOptions;
  /** A program with an expectation beside it, which has to behave as under `harn run`. */
  readonly expectation: boolean;
}

/** Runs it to its end or its limit. Rejects only with a broken fixture file or a bug of ours. */
export async function attemptTest(bench: TestBench, plan: AttemptPlan): Promise<Attempt> {
  const folder = folderOf(plan.file);
  const store: FixtureStore = {
    files: bench.host.files,
    folder: `${folder}/${fixtureFolder}`,
    digest: bench.digest,
  };
  const machine = bench.machine(
    folder,
    testEnvironment(plan.options, store, variable(bench.host.env, "HARN_LLM_CALLS_DISABLED")),
    {
      hermetic: plan.options.hermetic === true,
      stateInFolder: plan.expectation,
    },
  );
  try {
    return await run(bench, plan, machine, store);
  } finally {
    machine.release();
  }
}

async function run(bench: TestBench, plan: AttemptPlan, machine: TestMachine, store: FixtureStore) {
  const { options } = plan;
  const journal = new MemoryJournal();
  const output = new OutputCapture();
  const runtime = new Runtime({
    effects: effectsFor(bench, plan, journal, machine),
    host: machine.host,
    console: output,
    builtins: builtinTable(),
  });
  const answers: string[] = [];
  configureModels(runtime, {
    ...modelConfig(plan, machine, store, answers),
    ...fixturesFor(bench, plan, (warning) => output.writeError(warning)),
  });
  // On a hermetic machine time passes by waiting: a limit on it would be over at the first pause.
  const { clock } = options.hermetic === true ? bench.host : machine.host;
  const limit = new TimeLimit(clock, options.timeoutMs);
  const began = clock.monotonic();
  const ended = await runGuarded(runtime, () => runProgram(runtime, plan.program), {
    interrupts: limit,
    end: ({ error, exitCode }) => ({ reason: error === undefined ? "done" : "error", exitCode }),
  });
  const outcome = ended.kind === "problem" ? undefined : ended.outcome;
  const timedOut = ended.kind === "stopped" || outcome?.interruption !== undefined;
  return {
    stdout: output.stdout,
    stderr: output.stderr,
    durationMs: clock.monotonic() - began,
    /** Absent when the time limit ended it. */
    outcome,
    /** A line for each task that failed and that nobody awaited. */
    lostTasks: lostTasks(runtime, outcome),
    problem: ended.kind === "problem" ? ended.problem : undefined,
    timedOut,
    /** Every model answer, as a fixture line. */
    answers,
    /** Effects by path and number (`--determinism` only). */
    effects: effectsOf(journal),
  };
}

export type Attempt = Readonly<Awaited<ReturnType<typeof run>>>;

function lostTasks(runtime: Runtime, outcome: RunOutcome | undefined): readonly string[] {
  const tasks = [...runtime.state(unseenEnds)].filter(({ what }) => what === "task");
  return unseenLines(new Set(tasks), outcome?.value ?? null);
}

export const folderOf = (file: string): string => file.slice(0, Math.max(file.lastIndexOf("/"), 1));

/** The mock, and no key: a test never costs money unless `--record` asked for it. */
function testEnvironment(
  options: TestOptions,
  store: FixtureStore,
  text: string | undefined,
): Map<string, string | undefined> {
  if (options.models === "record") return new Map();
  if (options.models === "replay") return replayKeys(store);
  const env = new Map<string, string | undefined>(keyVariables().map((name) => [name, undefined]));
  env.set("HARN_LLM_PROVIDER", "mock").set("HARN_LLM_MODEL", undefined);
  // A test that names another provider must not reach it either; `HARN_LLM_CALLS_DISABLED=0` lets it.
  return text === undefined ? env.set("HARN_LLM_CALLS_DISABLED", "1") : env;
}

function effectsFor(
  bench: TestBench,
  plan: AttemptPlan,
  journal: MemoryJournal,
  machine: TestMachine,
): Effects {
  const core = { atRest: bench.atRest(), seed: plan.seed };
  if (!plan.options.determinism) return new LiveEffects(core);
  return new RecordingEffects({
    ...core,
    writer: journal,
    digest: bench.digest,
    secrets: Secrets.ofEnvironment(machine.host.env),
    outputHash: bench.outputHash(),
    run: {
      run: "test",
      runtime: "test",
      platform: {},
      argv: [],
      entry: plan.file,
      cwd: machine.host.cwd,
      options: null,
    },
  });
}

function modelConfig(
  plan: AttemptPlan,
  machine: TestMachine,
  store: FixtureStore,
  answers: string[],
): ModelConfig {
  const noting = (client: ModelClient): ModelClient => ({
    async stream(request, options) {
      const outcome = await client.stream(request, options);
      answers.push(fixtureLine(outcome));
      return outcome;
    },
  });
  const { models } = plan.options;
  return {
    layers: [],
    wrap: (client) => {
      if (models === "record") return noting(recordingClient(client, store, machine.host.env));
      return noting(models === "replay" ? replayingClient(client, store) : client);
    },
  };
}

/** The written answers of `--llm-mock`, else those of the file beside the test. */
function fixturesFor(bench: TestBench, plan: AttemptPlan, warn: WarnOfFile): Pick<ModelConfig, "fixtures"> {
  const beside = plan.file.replace(/\.harn$/, ".llm-mock.jsonl");
  const isBeside = bench.host.files.stat(beside)?.kind === "file";
  const file = plan.options.llmMock ?? (isBeside ? beside : undefined);
  return file === undefined ? {} : { fixtures: loadFixtures(file, warn) };
}

/** What was done outside, in an order that does not depend on who was faster. */
function effectsOf(journal: MemoryJournal): string[] {
  const found = new Set<string>();
  for (const record of journal.lines) {
    if (record.t !== "intent" && record.t !== "result") continue;
    if (record.k !== undefined) found.add(`${record.p} #${record.n} ${record.k}`);
  }
  return [...found].sort();
}

class OutputCapture {
  private readonly out: string[] = [];
  private readonly error: string[] = [];
  private room = maxOutput;

  write(text: string): void {
    this.keep(this.out, text);
  }
  writeError(text: string): void {
    this.keep(this.error, text);
  }
  get stdout(): string {
    return this.out.join("");
  }
  get stderr(): string {
    return this.error.join("");
  }

  private keep(into: string[], text: string): void {
    if (this.room <= 0) return;
    this.room -= text.length;
    into.push(this.room > 0 ? text : `${text.slice(0, this.room)}\n… output beyond 16 MB was dropped\n`);
  }
}

/**
 * The time limit of one test. It has to end a test that waits as well as one that computes for ever: the first is asked
 * to stop by a timer, the second finds out at its next checkpoint, where an `Interruption` is raised that no script can
 * catch. Both unwind through `finally` and `defer`, where a computation is interrupted again.
 */
const request: StopRequest = { reason: "cancel", exitCode: 124 };

class TimeLimit implements Interrupts {
  passed = false;
  private readonly clock: Clock;
  private readonly limitMs: number;
  private readonly due: number;

  constructor(clock: Clock, limitMs: number) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.due = clock.monotonic() + limitMs;
  }

  listen(listener: InterruptListener): () => void {
    const over = new AbortController();
    this.clock.sleep(this.limitMs, over.signal).then(
      () => {
        this.passed = true;
        listener.stop(request);
      },
      () => {},
    );
    return () => over.abort(new Error("the test has ended"));
  }

  stretch(work: () => void): void {
    work();
  }

  busy(): void {
    if (this.clock.monotonic() < this.due) return;
    this.passed = true;
    throw new Interruption("stopped", request);
  }
}
