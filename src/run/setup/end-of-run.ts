/** Running a compiled program to whatever end, and what the process says about that end. */
import type { JournalProblem } from "../../effects/index.ts";
import { colourOnStderr, exitCode, problemError } from "../../host/command/index.ts";
import {
  agentOutcome,
  type GuardedEnd,
  type Interrupts,
  notifyPerson,
  type Runtime,
  runGuarded,
  unseenEnds,
  unseenLines,
  waitingWork,
} from "../../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../../lower/index.ts";
import type { ServedPorts } from "../../threads/index.ts";
import type { RunFlags } from "./run-flags.ts";
import { showError } from "./show-error.ts";

/**
 * Runs under the guard: interrupts, journal problems and the program's own end all come back as data. `ports`: where a run that
 * works for a conversation reaches it; a replay has none.
 */
export async function guarded(
  runtime: Runtime,
  program: ExecutableProgram,
  interrupts: Interrupts,
  { served }: Pick<RunFlags, "served">,
  ports: ServedPorts | null = null,
): Promise<GuardedEnd<RunOutcome>> {
  const run =
    served === undefined
      ? () => runProgram(runtime, program)
      : (await import("./served-run.ts")).servedRun(runtime, program, served, ports);
  return await runGuarded(runtime, run, {
    interrupts,
    end: (outcome) => ({
      reason: outcome.error !== undefined || outcome.internal !== undefined ? "error" : "done",
      exitCode: outcome.exitCode,
      notes: unseenLines(runtime.state(unseenEnds), outcome.value),
      waits: runtime.state(waitingWork).lines(),
      outcome: runtime.state(agentOutcome).bad ?? undefined,
    }),
  });
}

/** What was written while it ran: a run in the store, or a journal file. */
export interface RunOutputs {
  readonly run?: string | undefined;
  readonly file?: string | undefined;
  /** It was a replay of this run or file. */
  readonly replayed?: string | undefined;
  /** It works for a conversation of a server: whoever reads of its end has the page or the API, and no command line. */
  readonly served?: boolean;
}

/** Says how it ended, on standard error, and gives the exit code. */
export function endOfRun(ended: GuardedEnd<RunOutcome>, runtime: Runtime, written: RunOutputs): number {
  switch (ended.kind) {
    case "problem":
      notifyPerson(runtime, `harn: ${problemError(ended.problem).text}\n`);
      return problemCode(ended.problem);
    case "stopped":
      if (ended.request.reason === "output") return endUnheard(ended.request.exitCode, runtime, written);
      notifyPerson(runtime, stoppedText(ended.request.reason, written));
      return ended.request.exitCode;
    case "ended":
      return endOfOutput(endOfProgram(ended.outcome, runtime), runtime, written);
  }
}

/** Output that could not be written to its end makes a good run a bad one. */
function endOfOutput(code: number, runtime: Runtime, written: RunOutputs): number {
  const { lost } = runtime.console;
  return code === exitCode.ok && lost !== undefined ? endUnheard(lost.exitCode, runtime, written) : code;
}

/** Nobody took its output: a reader that went away knows why, a disk that is full wants to be told what can be done. */
function endUnheard(code: number, runtime: Runtime, { run, replayed, served }: RunOutputs): number {
  if (code !== exitCode.readerGone && run !== undefined && replayed === undefined && served !== true)
    notifyPerson(runtime, `harn: \`harn run --resume ${run}\` goes on from there\n`);
  return code;
}

function endOfProgram(outcome: RunOutcome, runtime: Runtime): number {
  if (outcome.internal !== undefined) throw outcome.internal;
  if (outcome.error !== undefined)
    runtime.console.writeError(showError(outcome.error.error, colourOnStderr()));
  for (const line of unseenLines(runtime.state(unseenEnds), outcome.value))
    notifyPerson(
      runtime,
      `warning: ${line}
`,
    );
  for (const line of runtime.state(waitingWork).lines()) notifyPerson(runtime, `harn: ${line}\n`);
  return outcome.exitCode;
}

function stoppedText(reason: string, { run, file, replayed, served }: RunOutputs): string {
  if (replayed !== undefined) {
    return `harn: here the run ${stoppedThen(reason)}; \`harn run --resume ${replayed}\` goes on from there\n`;
  }
  if (served === true) return `harn: ${servedStop(reason)}\n`;
  if (reason === "parked" && run !== undefined) {
    return `harn: waiting for a person; \`harn hitl list\` shows the question, \`harn hitl answer ${run} ANSWER\` answers it, \`harn run --resume ${run}\` goes on\n`;
  }
  const what = stopNames[reason] ?? "cancelled";
  const look =
    run !== undefined
      ? `\`harn run --resume ${run}\` goes on from here`
      : file !== undefined
        ? `what ran was recorded: \`harn replay ${file}\` shows it again`
        : "nothing was recorded";
  return `harn: ${what}; ${look}\n`;
}

const servedStop = (reason: string): string =>
  reason === "parked"
    ? "waiting for a person; it goes on with the answer, in the page or by `POST /api/questions/{question}/answer`"
    : `${stopNames[reason] ?? "cancelled"}; the conversation goes on with its next message, or by \`POST /api/conversations/{id}/resume\``;

const stopNames: Readonly<Record<string, string>> = {
  interrupt: "interrupted",
  terminate: "terminated",
  hangup: "the terminal was closed",
};

const stoppedThen = (reason: string): string =>
  reason === "parked"
    ? "waits for a person"
    : reason === "hangup"
      ? "was ended with its terminal"
      : `was ${stopNames[reason] ?? "cancelled"}`;

function problemCode(problem: JournalProblem): number {
  if (problem.kind === "mismatch") return exitCode.mismatch;
  return problem.kind === "ended-early" ? exitCode.endedEarly : exitCode.failed;
}
