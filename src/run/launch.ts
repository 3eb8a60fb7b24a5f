/** From a program and its effects to an exit code: console, models, the guard, and what is said at the end. */

import type { approvers } from "../agent/index.ts";
import { showText } from "../diagnostics/index.ts";
import { type Effects, JournalledEffects, JournalProblem } from "../effects/index.ts";
import type { programSets } from "../eval/index.ts";
import { ProcessConsole, UsageError } from "../host/command/index.ts";
import type { Host, NodeInterrupts } from "../host/index.ts";
import { onState, Runtime, type StateWiring } from "../interp/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import { ownProcess } from "../process/index.ts";
import type { BuiltinTable } from "../table/index.ts";
import type { DaemonOwners, daemonOwners } from "../work/index.ts";
import type { SpanExport } from "./otel/exporter.ts";
import { endOfRun, guarded, type RunOutputs } from "./setup/end-of-run.ts";
import { type RunFlags, runLimits } from "./setup/run-flags.ts";
import type { Surroundings } from "./setup/surroundings.ts";
import { viewOfAgents } from "./view/live-view.ts";

export interface Launch {
  readonly program: ExecutableProgram;
  readonly args: readonly string[];
  readonly host: Host;
  readonly builtins: BuiltinTable;
  readonly interrupts: NodeInterrupts;
  readonly effects: Effects;
  /** What was written, for what is said at the end. */
  readonly written: () => RunOutputs;
  readonly flags: RunFlags;
  /** Answers of a tape that were played before: a resumed run goes on after them. */
  readonly played?: number;
  readonly surroundings?: Surroundings;
}

const setsOfRun = (run: Launch) =>
  onState<Sets>(setsName, (sets) => {
    sets.run = async (set) => {
      const { runInProgram } = await import("../eval/local/run-in-program.ts");
      return await runInProgram(
        { program: run.program, flags: run.flags, name: () => run.written().run },
        set,
      );
    };
  });

/** Models and skills, as the command line has them. */
async function wireFlags(runtime: Runtime, { flags, played, surroundings }: Launch): Promise<void> {
  if (speaksOfModels(flags) || surroundings?.models !== undefined) {
    const { wireModels } = await import("./setup/wire-models.ts");
    wireModels(runtime, flags, played, surroundings?.models);
  }
  if (flags.skillDir !== undefined) {
    const { wireSkills } = await import("./agent-flags.ts");
    wireSkills(runtime, flags.skillDir);
  }
}

export async function launch(run: Launch): Promise<number> {
  const { effects, flags, host, builtins, args, surroundings } = run;
  const console = new ProcessConsole(flags.live);
  // Recorded and noted just before it is printed: a resume prints only what was not printed. Noted after it, whoever reads
  // the output could end the process in between, and would read it twice.
  console.onWrite = () => isRecorded(() => effects.shown(effects.printed - console.unwritten));
  console.isQuiet = () => effects.mode === "replay";
  const limits = runLimits(flags);
  const denies = deniesApproval(flags);
  const show = await eventSink(flags, console);
  const spans = await spanExport(run, console);
  const wirings = [
    show,
    ...(spans === undefined ? [] : [spans.wiring]),
    onState<DaemonWiring>(daemonOwnersName, (owners) => wireDaemons(owners, host)),
    setsOfRun(run),
    onState<ApproverState>(approversName, (approvers) => {
      approvers.denies = denies;
    }),
    ...(surroundings?.wirings ?? []),
  ];
  const recordedAs = (): string | undefined => run.written().run;
  const runtime = new Runtime({ effects, host, console, builtins, args, limits, wirings, recordedAs });
  await wireFlags(runtime, run);
  surroundings?.began(runtime, effects instanceof JournalledEffects ? effects : undefined);
  const orders = ownProcess().env.HARN_TORTURE_CHILD;
  const torture = orders === undefined ? undefined : await import("../tools/torture/index.ts");
  const obeyed = torture?.followOrders(runtime, orders as string);
  const ended = await guarded(runtime, run.program, run.interrupts, flags, surroundings);
  obeyed?.();
  console.onWrite = undefined;
  console.isQuiet = undefined;
  console.flush();
  await spans?.close();
  await surroundings?.ended(ended, runtime);
  return endOfRun(ended, runtime, { ...run.written(), reader: surroundings?.reader });
}

/** Who is told what agents do: a person, or a program that reads lines. */
async function eventSink(flags: RunFlags, console: ProcessConsole): Promise<StateWiring> {
  if (flags.events !== true) return viewOfAgents(flags, console);
  const { eventLines } = await import("./agent-flags.ts");
  return eventLines(console);
}

/** The state of `eval/engine/set-start.ts`, which runs without evaluations do not load. */
const setsName = "sets of the program";
type Sets = ReturnType<typeof programSets.create>;

/** The state of `agent/policy/person.ts`, which runs without agents do not load. */
const approversName = "agent.approvers";
type ApproverState = ReturnType<typeof approvers.create>;

function deniesApproval({ onApproval = "ask" }: RunFlags): boolean {
  if (onApproval === "ask" || onApproval === "deny") return onApproval === "deny";
  throw new UsageError(`--on-approval: expected one of ask, deny, got ${onApproval}`, "HARN-CLI-003");
}

/** The state of `work/daemons/owners.ts`, which runs without work do not load. */
const daemonOwnersName = "worker.daemon owners";
type DaemonWiring = ReturnType<typeof daemonOwners.create>;

/** One process at a time runs the daemon of a folder. */
function wireDaemons(wiring: DaemonWiring, host: Host): void {
  let owners: Promise<DaemonOwners> | undefined;
  wiring.load = () => {
    owners ??= import("../work/daemons/daemon-owners.ts").then((module) => module.daemonOwnersOf(host));
    return owners;
  };
}

/** Spans for a collector, when the environment names one. */
async function spanExport({ effects }: Launch, console: ProcessConsole): Promise<SpanExport | undefined> {
  const { env } = ownProcess();
  if (!(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)) return undefined;
  if (env.OTEL_SDK_DISABLED === "true") return undefined;
  const { exportSpans } = await import("./otel/exporter.ts");
  return exportSpans({
    service: env.OTEL_SERVICE_NAME ?? "harn",
    isReplaying: () => effects.mode === "replay",
    warn: (text) => console.writeError(showText(text)),
  });
}

/** A journal that can't be written has told the guard, which ends the run: output is no place to end it once more. */
function isRecorded(note: () => void): boolean {
  try {
    note();
    return true;
  } catch (error) {
    if (!(error instanceof JournalProblem)) throw error;
    return false;
  }
}

/** Whether models have to be set up before the program starts, and mistakes about them be told. */
function speaksOfModels(flags: RunFlags): boolean {
  const { provider, model, baseUrl, tape, llmMock, llmMockRecord, owner } = flags;
  return [provider, model, baseUrl, tape, llmMock, llmMockRecord, owner].some((flag) => flag !== undefined);
}
