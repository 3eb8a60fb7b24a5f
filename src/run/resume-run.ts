/**
 * A recorded run goes on: its program, as it is on disk now or as it was recorded, follows its history and then lives, in the
 * same run (`--resume`) or in a new one (`harn fork`, `--accept-changes`).
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { builtinTable } from "../builtins/index.ts";
import {
  type History,
  type InDoubtRule,
  type Journal,
  type JournalRecord,
  type Json,
  type LostPart,
  Recorder,
  ResumingEffects,
  type RunHeader,
  recordedSources,
  revealedHeader,
  Secrets,
  standInMark,
} from "../effects/index.ts";
import { exitCode, reportError, typedCommand, UsageError, version } from "../host/command/index.ts";
import {
  createNodeHost,
  type Host,
  HostError,
  newRunId,
  nodeDigest,
  nodeInterrupts,
  nodeOutputHash,
} from "../host/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import { callerWords, ownProcess, ownVariables } from "../process/index.ts";
import {
  checked,
  type FoundModule,
  NodeModuleLoader,
  NotingLoader,
  ownProgram,
  programIn,
  readProgram,
} from "../program/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import { SourceFile } from "../source/index.ts";
import type { RunWriter, Store } from "../store/index.ts";
import { presentFields } from "../values/index.ts";
import { inDoubtHandling, onDoubtOf } from "./doubts.ts";
import { launch } from "./launch.ts";
import { refuseOtherScript } from "./setup/flow-of-run.ts";
import { granted, grantedLimitsOf } from "./setup/granted.ts";
import { doubtDecisions } from "./setup/human-answers.ts";
import { flagsOf, notOffered } from "./setup/recorded-flags.ts";
import { recordedModules, recordedScript } from "./setup/recorded-modules.ts";
import { infoOf, noteSources } from "./setup/recorded-run.ts";
import type { RunFlags } from "./setup/run-flags.ts";
import { askingOptions, machineOf, type Surroundings } from "./setup/surroundings.ts";

export interface ResumedRun {
  readonly store: Store;
  readonly name: string;
  /** Of the new run, when one is begun. */
  readonly newName?: string;
  /** The run, taken over: it goes on in it. Without one a new run is begun, which prints everything. */
  readonly owned?: RunWriter;
  readonly journal: Journal;
  readonly history: History;
  /** `path#number` of an effect that failed and is to be tried again. */
  readonly failed?: string | undefined;
  /** Pieces of standard output that are not printed again. */
  readonly shown: number;
  /** Records that a damaged store has lost. */
  readonly lost?: LostPart;
  /** Results that the history lacks. */
  readonly answers: ReadonlyMap<string, Json>;
  readonly flags: RunFlags;
  /** Another file than the one that was run. */
  readonly script?: string | undefined;
  /** Arguments of the script that take the place of those it had. */
  readonly args?: readonly string[];
  /** Variables of the environment that are set in addition. */
  readonly env?: ReadonlyMap<string, string>;
  readonly surroundings?: Surroundings;
}

const withoutTools = ({ name, owned }: ResumedRun, lacking: readonly string[]): string => {
  const run = JSON.stringify(name);
  const call =
    owned === undefined
      ? `fork it in such a program: h.fork(${run}, {at, tools: […]})`
      : `go on with it in such a program: h.resume(${run}, {tools: […]})`;
  return `a program in TypeScript gave the run ${name} tools that it is not given now: ${lacking.join(", ")}\n  ${call}; nothing was done`;
};

export async function resumeRun(run: ResumedRun): Promise<number> {
  const { journal, history, shown, owned, surroundings } = run;
  const fork = owned === undefined;
  const secrets = secretsOf(run);
  const header = revealedHeader(journal.header, secrets);
  const lacking = notOffered(header, run.flags);
  if (lacking.length > 0) throw new UsageError(withoutTools(run, lacking), "HARN-CLI-004");
  if (existsSync(header.cwd)) ownProcess().chdir(header.cwd);
  const flags = flagsOf(header, run.flags);
  refuseOtherScript(flags.flow, run.script);
  const onDoubt = await onDoubtOf(flags, ownProcess().cwd());
  const text = await programNow(run);
  if (text === undefined) return exitCode.failed;
  const { program, modules, changed, edited } = text;
  const machine = machineOf(hostOf(run), surroundings);
  const limits = grantedLimitsOf(flags);
  const { host, builtins } =
    limits === undefined ? { host: machine, builtins: builtinTable() } : granted(limits, machine);
  const args = run.args ?? header.argv;
  const outputHash = nodeOutputHash();
  const interrupts = surroundings?.interrupts ?? nodeInterrupts();
  let { name } = run;
  let writer: RunWriter | undefined;
  let printed = shown;
  const noteShown = (pieces: number): void => {
    owned?.shown(pieces);
    printed = pieces;
  };
  const onward = (replayed: readonly JournalRecord[], isOther: boolean): Recorder => {
    const branch = owned === undefined || isOther;
    if (branch) name = run.newName ?? newRunId();
    // A run that goes another way leaves the old one as it was, and free.
    if (branch) owned?.close();
    writer = branch ? run.store.runs.begin(name, { parent: run.name }) : owned;
    const recorder = new Recorder({ writer, digest: nodeDigest, secrets, outputHash, format: header.format });
    if (branch) {
      // Another model holds from here on, also when the new run is resumed.
      const { provider, model } = run.flags;
      const other = {
        ...(provider === undefined ? {} : { provider }),
        ...(model === undefined ? {} : { model }),
      };
      const named = presentFields({ named: flags.flow === undefined ? undefined : flags.runName });
      const options = { ...optionsOf(header), ...(fork ? other : {}), ...named };
      const recorded = { program, modules, path: header.entry, args, host, options };
      recorder.begin(infoOf(recorded, name), header.seed);
      noteSources(recorder, program, modules);
      for (const record of replayed) {
        if (record.t === "source" || record.t === "module") continue;
        writer.append(record);
        recorder.records++;
      }
      if (!fork) writer.shown(printed);
      reportError(`harn: this is ${name}, which goes on from ${run.name}\n`);
    } else {
      const { length: keep } = history.records;
      if (!isOnlyBegun(journal)) recorder.append({ t: "resume", keep, runtime: version });
      else recorder.records = keep;
      writer.shown(printed);
      if (changed) noteSources(recorder, program, modules);
    }
    return recorder;
  };
  const effects = new ResumingEffects({
    atRest: interrupts.atRest,
    seed: header.seed,
    history,
    digest: nodeDigest,
    outputHash,
    hostError: (code, message) => new HostError(code, message),
    now: Date.now,
    shown,
    noteShown,
    acceptChanges: flags.acceptChanges === true || (fork && (changed || isOtherwise(run))),
    ...(fork
      ? { choices: forkChoices }
      : callerWords().has("--accept-changes")
        ? {}
        : { choices: keptChoices }),
    ...(run.lost === undefined ? {} : lostOptions(run, run.lost, edited)),
    ...(run.failed === undefined ? {} : { failed: run.failed }),
    answers: run.answers,
    ...(fork ? { answeredBy: callerWords().flag("--result") } : {}),
    onward,
    attended: () => host.isTty("stdin"),
    onQuestion: (place, question) => writer?.question(place, JSON.stringify(question)),
    ...(surroundings === undefined
      ? {}
      : {
          ...askingOptions(surroundings, () =>
            writer === undefined ? undefined : { store: run.store, writer },
          ),
          peopleDecide: (kind: string, inDoubt?: InDoubtRule) => surroundings.peopleDecide(kind, inDoubt),
        }),
    ...inDoubtHandling(onDoubt, secrets),
    decisions: doubtDecisions(run.store, run.name),
    onDecided: (place) => writer?.settled(place),
  });
  const written = () => ({ run: name });
  return await launch({
    program,
    args,
    host,
    builtins,
    interrupts,
    effects,
    written,
    flags,
    played: countAnsweredCalls(history),
    ...(surroundings === undefined ? {} : { surroundings }),
  });
}

/** What a fork does otherwise may show before its step. */
const isOtherwise = ({ script, flags: { provider, model }, env }: ResumedRun): boolean =>
  script !== undefined || provider !== undefined || model !== undefined || (env?.size ?? 0) > 0;

/** Where nobody can have it go on otherwise. */
const keptChoices =
  "nothing was done, and the run stays as it is; a script that does the same goes on with it";
const forkChoices =
  "a fork does the same up to its step, unless it has another script, model or variable; nothing was done";

function lostOptions({ store, name, journal }: ResumedRun, lost: LostPart, edited: boolean) {
  const isNoted = store.runs.cut(name) !== undefined;
  if (!isNoted && edited) return {};
  const onLost = (): void => {
    if (store.runs.cut(name) === undefined)
      store.runs.noteLost(name, { records: journal.records.length, lost: 0, shown: lost.shown });
  };
  return { lost, onLost };
}

/** It was begun and nothing of it has happened: it does not go on, it begins here. */
const isOnlyBegun = ({ header, records }: Journal): boolean =>
  header.runtime === version && records.every(({ t }) => t === "source" || t === "module" || t === "blob");

const optionsOf = (header: RunHeader): { readonly [name: string]: Json } =>
  (header.options ?? {}) as { readonly [name: string]: Json };

/** Model calls that got their answer. */
function countAnsweredCalls(history: History): number {
  let calls = 0;
  for (const record of history.records) {
    if (record.t === "result" && history.at(record.p, record.n)?.print?.k === "llm.call") calls++;
  }
  return calls;
}

/** Of the whole environment, whatever of it the run may read. */
function secretsOf({ env = new Map(), history }: ResumedRun): Secrets {
  const secrets = Secrets.ofEnvironment(new Map([...ownVariables(), ...env]));
  secrets.follow({ format: history.format, mark: standInMark(history.seed, nodeDigest) });
  return secrets;
}

function hostOf(run: ResumedRun): Host {
  if (run.env === undefined) return createNodeHost();
  const env = new Map([...ownVariables(), ...run.env]);
  return createNodeHost({ env });
}

interface ProgramNow {
  readonly program: ExecutableProgram;
  readonly modules: readonly FoundModule[];
  /** Its text, or that of a module, is not the one that was recorded. */
  readonly changed: boolean;
  /** One that was recorded is another now: how much it prints tells nothing of what it did then. */
  readonly edited: boolean;
}

/** The one of the executable that recorded it; the script as it is on disk; as it was recorded when it is not there (`-e`, standard input, another machine). */
async function programNow(run: ResumedRun): Promise<ProgramNow | undefined> {
  const { header } = run.journal;
  const recorded = recordedSources(run.journal);
  const judged = (program: ExecutableProgram, { found }: NotingLoader): ProgramNow => ({
    program,
    modules: found,
    changed: program.resolved.modules.some(({ path, source }) => recorded.texts.get(path) !== source.text),
    edited: program.resolved.modules.some(
      ({ path, source }) => (recorded.texts.get(path) ?? source.text) !== source.text,
    ),
  });
  const isAsRecorded = run.surroundings?.isAsRecorded === true;
  const built = run.script === undefined && !isAsRecorded ? ownProgram() : undefined;
  if (built !== undefined) {
    const { source, path, loader: inside } = programIn(dirname(header.entry), built);
    if (path === header.entry) {
      const loader = new NotingLoader(inside);
      const program = await checked(source, path, loader, run.surroundings?.diagnosed, true);
      return program === undefined ? undefined : judged(program, loader);
    }
  }
  const file = run.script ?? (existsSync(header.entry) && !isAsRecorded ? header.entry : undefined);
  const then = recorded.texts.get(header.entry);
  const text = file === undefined ? then : readProgram(file, undefined).source.text;
  if (text === undefined) {
    throw new UsageError(
      `the run ${run.name} does not hold its script; \`${typedCommand(`run --resume ${run.name} FILE`)}\` names it`,
      "HARN-CLI-008",
    );
  }
  const loader = new NotingLoader(file === undefined ? recordedModules(recorded) : fileModules(recorded));
  const source = file === undefined ? recordedScript(header, text) : new SourceFile(header.entry, text);
  const program = await checked(source, header.entry, loader, run.surroundings?.diagnosed);
  return program === undefined ? undefined : judged(program, loader);
}

/** From disk; what is not there any more, as it was. */
function fileModules(recorded: ReturnType<typeof recordedSources>): ModuleLoader {
  const files = new NodeModuleLoader();
  const kept = recordedModules(recorded);
  return {
    resolve: (specifier, from) => {
      const found = files.resolve(specifier, from);
      return "path" in found ? found : kept.resolve(specifier, from);
    },
    read: (path) => (existsSync(path) ? files.read(path) : kept.read(path)),
  };
}
