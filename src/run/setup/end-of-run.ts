/** Running a compiled program to whatever end, and what the process says about that end. */
import { encodeError, type JournalProblem, type Json, type ProgramResult } from "../../effects/index.ts";
import { colourOnStderr, exitCode, problemError, typedCommand } from "../../host/command/index.ts";
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
import { Dict, decodeValue, encodeValue, ScriptError, type Value } from "../../values/index.ts";
import { flowParams } from "./flow-of-run.ts";
import type { RunFlags } from "./run-flags.ts";
import { showError } from "./show-error.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Runs under the guard: interrupts, journal problems and the program's own end all come back as data. Of its surroundings it takes
 * where a run that works for a conversation reaches it, which a replay has not, the functions of flows, and whether a program reads
 * of its end, which then is recorded with what it gave.
 */
export async function guarded(
  runtime: Runtime,
  program: ExecutableProgram,
  interrupts: Interrupts,
  { served, params, flow, runName = "" }: Pick<RunFlags, "served" | "params" | "flow" | "runName">,
  surroundings: Partial<Pick<Surroundings, "served" | "flows" | "reader">> = {},
): Promise<GuardedEnd<RunOutcome>> {
  const live = flow === undefined ? undefined : flowParams(flow, runName, surroundings.flows);
  const run =
    served === undefined
      ? () => runProgram(runtime, program, paramsOf(params, live))
      : (await import("./served-run.ts")).servedRun(runtime, program, served, surroundings.served ?? null);
  return await runGuarded(runtime, run, {
    interrupts,
    end: (outcome) => ({
      reason: outcome.error !== undefined || outcome.internal !== undefined ? "error" : "done",
      exitCode: recordedCode(outcome, surroundings.reader),
      notes: unseenLines(runtime.state(unseenEnds), outcome.value),
      waits: runtime.state(waitingWork).lines(),
      outcome: runtime.state(agentOutcome).bad ?? undefined,
      ...(surroundings.reader === "program" ? { result: () => resultForRecord(outcome) } : {}),
    }),
  });
}

/** `undefined`: functions and handles have no stored form. */
function resultForRecord({ value, error }: RunOutcome): ProgramResult | undefined {
  try {
    return error === undefined ? { value: encodeValue(value) } : { error: encodeError(error.error) };
  } catch (thrown) {
    if (thrown instanceof ScriptError) return undefined;
    throw thrown;
  }
}

/** An int that a program returns is a shell's exit code; for a program that reads it, it is a result like any other. */
const recordedCode = (
  { value, error, exitCode: code }: RunOutcome,
  reader: Surroundings["reader"] | undefined,
): number => (reader === "program" && error === undefined && typeof value === "number" ? exitCode.ok : code);

/** The parameter that gets all of a run's input; others get what stands in it under their names. */
export const wholeInput = "input";

/** The names in an input, in its stored form. */
export const inputNames = (given: Json): readonly string[] => {
  const value = decodeValue(given);
  return value instanceof Dict ? [...value.keys()] : [];
};

/** Those that the journal holds, and those that it can't. */
function paramsOf(
  given: Json | undefined,
  live: ReadonlyMap<string, Value> | undefined,
): { readonly params?: ReadonlyMap<string, Value> } {
  if (given === undefined && live === undefined) return {};
  const params = new Map(live);
  if (given === undefined) return { params };
  const input = decodeValue(given);
  if (input instanceof Dict) for (const [name, value] of input.entries()) params.set(name, value);
  return { params: params.set(wholeInput, input) };
}

/** What was written while it ran: a run in the store, or a journal file. */
export interface RunOutputs {
  readonly run?: string | undefined;
  readonly file?: string | undefined;
  /** It was a replay of this run or file. */
  readonly replayed?: string | undefined;
  /** Who reads of its end, where that is nobody with a command line. */
  readonly reader?: Surroundings["reader"] | undefined;
}

/** Says how it ended, on standard error, and gives the exit code. */
export function endOfRun(ended: GuardedEnd<RunOutcome>, runtime: Runtime, written: RunOutputs): number {
  switch (ended.kind) {
    case "problem":
      if (isPrintedHere(written)) notifyPerson(runtime, `harn: ${problemError(ended.problem).text}\n`);
      return problemCode(ended.problem);
    case "stopped":
      if (ended.request.reason === "output") return endUnheard(ended.request.exitCode, runtime, written);
      if (isPrintedHere(written)) notifyPerson(runtime, stoppedText(ended.request.reason, written));
      return ended.request.exitCode;
    case "ended":
      return endOfOutput(endOfProgram(ended.outcome, runtime, written), runtime, written);
  }
}

/** A program reads of it by itself, and so does whoever handed the run over, where it lies. */
const isPrintedHere = ({ reader }: RunOutputs): boolean => reader !== "program" && reader !== "sender";

/** Output that could not be written to its end makes a good run a bad one. */
function endOfOutput(code: number, runtime: Runtime, written: RunOutputs): number {
  const { lost } = runtime.console;
  return code === exitCode.ok && lost !== undefined ? endUnheard(lost.exitCode, runtime, written) : code;
}

/** Nobody took its output: a reader that went away knows why, a disk that is full wants to be told what can be done. */
function endUnheard(code: number, runtime: Runtime, { run, replayed, reader }: RunOutputs): number {
  if (code !== exitCode.readerGone && run !== undefined && replayed === undefined && reader === undefined)
    notifyPerson(runtime, `harn: \`${typedCommand(`run --resume ${run}`)}\` goes on from there\n`);
  return code;
}

function endOfProgram(outcome: RunOutcome, runtime: Runtime, { reader }: RunOutputs): number {
  if (outcome.internal !== undefined) throw outcome.internal;
  if (outcome.error !== undefined && reader !== "program")
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

function stoppedText(reason: string, { run, file, replayed, reader }: RunOutputs): string {
  if (replayed !== undefined) {
    return `harn: here the run ${stoppedThen(reason)}; \`${typedCommand(`run --resume ${replayed}`)}\` goes on from there\n`;
  }
  if (reader === "server") return `harn: ${servedStop(reason)}\n`;
  if (reason === "parked" && run !== undefined) {
    return `harn: waiting for a person; \`${typedCommand("hitl list")}\` shows the question, \`${typedCommand(`hitl answer ${run} ANSWER`)}\` answers it, \`${typedCommand(`run --resume ${run}`)}\` goes on\n`;
  }
  const what = stopNames[reason] ?? "cancelled";
  const look =
    run !== undefined
      ? `\`${typedCommand(`run --resume ${run}`)}\` goes on from here`
      : file !== undefined
        ? `what ran was recorded: \`${typedCommand(`replay ${file}`)}\` shows it again`
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
