/** A recorded run, ready to be played again from its journal alone: `harn replay` shows it, `harn trace` looks at it. */
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { type Journal, ReplayEffects, recordedSources, revealedHeader, Secrets } from "../effects/index.ts";
import { readJsonFile } from "../eval/local/index.ts";
import {
  explained,
  missingRun,
  ownStateFolder,
  problemError,
  runNamed,
  UsageError,
  version,
} from "../host/command/index.ts";
import {
  createNodeHost,
  HostError,
  type NodeInterrupts,
  nodeDigest,
  nodeInterrupts,
  nodeOutputHash,
  nodePlatform,
} from "../host/index.ts";
import { type Console, type GuardedEnd, Runtime, type RuntimeOptions } from "../interp/index.ts";
import type { ExecutableProgram, RunOutcome } from "../lower/index.ts";
import type { DiagnosticsReport } from "../manifest/index.ts";
import { callerWords, ownPath } from "../process/index.ts";
import { compileToRun, readProgram, report } from "../program/index.ts";
import { SourceFile } from "../source/index.ts";
import { existingStore, readSnapshot, StoreError } from "../store/index.ts";
import { Dict, presentFields } from "../values/index.ts";
import { field } from "../work/index.ts";
import { flowOfRecord } from "./flow-of-record.ts";
import { guarded } from "./setup/end-of-run.ts";
import { type FlowFunctions, refuseOtherScript } from "./setup/flow-of-run.ts";
import { grantedThen } from "./setup/granted.ts";
import { flagsOf } from "./setup/recorded-flags.ts";
import { recordedModules, recordedScript } from "./setup/recorded-modules.ts";
import { runLimits } from "./setup/run-flags.ts";
import { ownRoots } from "./snapshots.ts";
import { noOtherScript, trialMeant } from "./trial-set.ts";

export interface Replay {
  readonly journal: Journal;
  readonly runtime: Runtime;
  /** A text of the replay with the names of its secrets. */
  shown(text: string): string;
  /** Once: nothing more can be read of the journal's pieces afterwards. */
  play(): Promise<GuardedEnd<RunOutcome>>;
  /** Whether it came to where the recorded run was stopped. */
  reachedStop(): boolean;
  /** What the recorded run ended with although it was through: nobody took its output. */
  endedUnnoticed(): number | undefined;
}

export interface RunReplayOptions {
  /** Replays against this file instead of the recorded text. */
  readonly script?: string | undefined;
  /** What a name of a run means; the command line's names unless given. */
  readonly named?: typeof runNamed;
  readonly console: Console;
  readonly wirings?: RuntimeOptions["wirings"];
  /** As for a run that lives (`Surroundings`). */
  readonly interrupts?: NodeInterrupts | undefined;
  readonly diagnosed?: DiagnosticsReport | undefined;
  readonly flows?: ((run: string) => FlowFunctions) | undefined;
  /** Only what its agents do is looked at: of a flow they work again without its function. */
  readonly looks?: boolean;
  /** Called where the run went on that had ended or died. */
  readonly onResumed?: ReplayEffectsOptions["onResumed"] | undefined;
  /** `ReplayOptions.tries` of the effects. */
  readonly tries?: ReplayEffectsOptions["tries"] | undefined;
}

/** A run of the store or a file, compiled; `undefined` when its script does not compile, which has been reported. */
export async function recordedReplay(which: string, options: RunReplayOptions): Promise<Replay | undefined> {
  const { journal, close } = journalToReplay(which, options.named);
  try {
    const replay = await playableReplay(which, journal, options);
    if (replay === undefined) close();
    return replay === undefined ? undefined : { ...replay, play: () => replay.play().finally(close) };
  } catch (error) {
    close();
    throw error;
  }
}

async function playableReplay(
  which: string,
  journal: Journal,
  options: RunReplayOptions,
): Promise<Replay | undefined> {
  const { flow } = flagsOf(journal.header, {});
  refuseOtherScript(flow, options.script);
  const program = await compiled(which, journal, options);
  if (program === undefined) return undefined;
  // Paths mean what they meant where it was recorded, wherever somebody looks at it.
  const host = createNodeHost({ cwd: journal.header.cwd });
  const interrupts = options.interrupts ?? nodeInterrupts();
  const secrets = Secrets.ofEnvironment(host.env);
  const shown = (text: string): string => secrets.shown(text);
  options.console.shownAs = shown;
  const looked = options.looks === true && flow !== undefined ? flowOfRecord(journal) : undefined;
  const flows = looked === undefined ? options.flows?.(journal.header.run) : () => looked.body;
  const effects = replayEffects(journal, secrets, interrupts, { ...options, unasked: looked?.unasked });
  const header = revealedHeader(journal.header, secrets);
  const flags = flagsOf(header, {});
  const runtime = new Runtime({
    effects,
    host,
    console: options.console,
    builtins: grantedThen(header.options, header.cwd),
    args: header.argv,
    limits: runLimits(flags),
    ...(options.wirings === undefined ? {} : { wirings: options.wirings }),
  });
  return {
    journal,
    runtime,
    shown,
    // What it gives is compared where the record holds what it gave.
    play: () =>
      guarded(runtime, program, interrupts, flags, { ...presentFields({ flows }), reader: "program" }),
    reachedStop: () => effects.reachedStop,
    endedUnnoticed: () => (effects.recordedEnd?.reason === "output" ? effects.recordedEnd.code : undefined),
  };
}

async function compiled(
  which: string,
  journal: Journal,
  { script, diagnosed = report }: RunReplayOptions,
): Promise<ExecutableProgram | undefined> {
  const { entry } = journal.header;
  const recorded = explained(() => recordedSources(journal));
  const text = script === undefined ? recorded.texts.get(entry) : readProgram(script, undefined).source.text;
  if (text === undefined) {
    throw new UsageError(
      `${which} does not hold the script that was run; name it with ${callerWords().flag("--script", "FILE")}`,
      "HARN-CLI-008",
    );
  }
  const { program, diagnostics } = await compileToRun(
    script === undefined ? recordedScript(journal.header, text) : new SourceFile(entry, text),
    entry,
    recordedModules(recorded),
  );
  return diagnosed(diagnostics) ? undefined : program;
}

type ReplayEffectsOptions = ConstructorParameters<typeof ReplayEffects>[0];

function replayEffects(
  journal: Journal,
  secrets: Secrets,
  { atRest }: NodeInterrupts,
  {
    onResumed,
    tries,
    unasked,
  }: Pick<RunReplayOptions, "onResumed" | "tries"> & Pick<ReplayEffectsOptions, "unasked">,
): ReplayEffects {
  return new ReplayEffects({
    atRest,
    onResumed,
    tries,
    unasked,
    journal,
    digest: nodeDigest,
    secrets,
    outputHash: nodeOutputHash(),
    hostError: (code, message) => new HostError(code, message),
    versions: { runtime: version, ...nodePlatform() },
  });
}

interface OpenJournal {
  readonly journal: Journal;
  /** Of what stands in the store long values are read where the replay comes to them. */
  readonly close: () => void;
}

/** A run of the store, or a file. */
function journalToReplay(which: string, meant = runNamed): OpenJournal {
  return explained(() => {
    const named = existsSync(ownPath(which)) ? runOfRecord(which) : which;
    if (named === undefined) return { journal: readSnapshot(which, ownRoots()), close: () => {} };
    const folder = ownStateFolder();
    const store = existingStore(folder);
    if (store === undefined) {
      if (meant !== runNamed) throw missingRun(named);
      throw new StoreError("missing", `${named} is no file, and there is no store in ${folder}`);
    }
    try {
      return { journal: store.runs.wholeJournal(meant(store, named)), close: () => store.close() };
    } catch (error) {
      store.close();
      throw error;
    }
  });
}

/** The run's name; `undefined` when the file is no run record. */
export function runOfRecord(path: string): string | undefined {
  if (!/"_type":\s*"run_record"/.test(recordHeadOf(path))) return undefined;
  const record = readJsonFile(path);
  const metadata = record instanceof Dict ? field(record, "metadata") : null;
  const name = metadata instanceof Dict ? field(metadata, "recorded_as") : null;
  if (typeof name === "string") return name;
  throw new UsageError(
    `${path} names no recorded run: what it is of was not recorded, or into a file, or it was made by hand`,
    "HARN-CLI-005",
  );
}

/** Keys of a record are sorted, so its type stands near the top; a journal may be far too big to look through. */
const headBytes = 4096;

/** "" for what can't be read: whoever reads it next says so. */
function recordHeadOf(path: string): string {
  try {
    const file = openSync(ownPath(path), "r");
    try {
      const head = Buffer.alloc(headBytes);
      return head.toString("utf8", 0, readSync(file, head, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/**
 * Plays a recorded run again for those who look at what its agents did: unseen, and with nothing outside touched. A run of its
 * own, or a trial of an evaluation.
 */
interface ReplayedRecord {
  /** A text with the names of secrets. */
  readonly shown: (text: string) => string;
  /** Why it could not be replayed to its end. */
  readonly problem: UsageError | undefined;
  /** The record ends before the run does. */
  readonly cut: boolean;
}

/** What the run printed is not shown again. */
const silent: Console = { write: () => {}, writeError: () => {} };

/** `wirings` are those of the runtime that it is played in. `undefined`: its script does not compile, which has been reported. */
export async function replayRecord(
  which: string,
  wirings: RuntimeOptions["wirings"],
  { script, onResumed }: Pick<RunReplayOptions, "script" | "onResumed"> = {},
): Promise<ReplayedRecord | undefined> {
  const trial = trialMeant(which);
  if (trial !== undefined) return await replayTrialRecord(trial, wirings, script);
  const replay = await recordedReplay(which, { console: silent, wirings, script, onResumed, looks: true });
  return replay === undefined
    ? undefined
    : { shown: (text) => replay.shown(text), ...(await outcome(replay)) };
}

/** A trial of an evaluation; its judges have runs of their own, which are not replayed. */
async function replayTrialRecord(
  address: string,
  wirings: RuntimeOptions["wirings"],
  script: string | undefined,
): Promise<ReplayedRecord> {
  if (script !== undefined) throw new UsageError(noOtherScript);
  const { replayTrialNamed } = await import("../eval/local/index.ts");
  const { state, replayed } = await replayTrialNamed(address, wirings);
  const secrets = Secrets.ofEnvironment(createNodeHost().env);
  // One that errored or was stopped ends so again.
  const { broken } = replayed;
  const problem =
    state === "done" && broken != null ? new UsageError(broken.message, "HARN-CLI-030") : undefined;
  return { shown: (text) => secrets.shown(text), problem, cut: broken !== undefined };
}

/** Why the run could not be replayed to where it ended; how it ended itself is no matter. */
async function outcome(replay: Replay): Promise<Pick<ReplayedRecord, "problem" | "cut">> {
  const ended = await replay.play();
  if (ended.kind !== "problem") return { problem: undefined, cut: false };
  const cut = ended.problem.kind === "ended-early";
  return { problem: cut ? undefined : problemError(ended.problem), cut };
}
