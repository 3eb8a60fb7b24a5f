/**
 * A run from its beginning: compiles a program, wires machine, effects, models and terminal to it, runs it, says how it ended.
 *
 * This file and what it imports is what every run pays for: a journal, models and the view of agents at work are loaded
 * for the runs that have them.
 */
import { builtinTable, type CapabilityLists } from "../builtins/index.ts";
import { nearest } from "../diagnostics/index.ts";
import {
  type CoreOptions,
  type Effects,
  JournalledEffects,
  type Json,
  LiveEffects,
} from "../effects/index.ts";
import { exitCode, explained, UsageError } from "../host/command/index.ts";
import { createNodeHost, nodeInterrupts, nodeSeed } from "../host/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import {
  checked,
  NotingLoader,
  type ProgramText,
  type ProgramToRun,
  programOfText,
} from "../program/index.ts";
import type { Store } from "../store/index.ts";
import type { BuiltinTable } from "../table/index.ts";
import { launch } from "./launch.ts";
import { inputNames, type RunOutputs, wholeInput } from "./setup/end-of-run.ts";
import { granted, grantedLimitsOf } from "./setup/granted.ts";
import {
  EarlyOutput,
  journalInFile,
  journalInStore,
  type RunJournal,
  type RunToRecord,
} from "./setup/recorded-run.ts";
import type { RunFlags } from "./setup/run-flags.ts";
import { askingOptions, machineOf, type Surroundings } from "./setup/surroundings.ts";

export const beginRecordedRun = (
  text: ProgramText,
  args: readonly string[],
  flags: RunFlags,
  surroundings?: Surroundings,
): Promise<number> => beginProgram(programOfText(text), args, flags, surroundings);

export async function beginProgram(
  start: ProgramToRun,
  args: readonly string[],
  flags: RunFlags,
  surroundings?: Surroundings,
): Promise<number> {
  const prepared = await preparedRun(start, args, flags, surroundings);
  if (prepared === undefined) return exitCode.failed;
  const { recorded, builtins, seed } = prepared;
  const { program, host } = recorded;
  const interrupts = surroundings?.interrupts ?? nodeInterrupts();
  const core = { atRest: interrupts.atRest, seed };
  const { effects, written, close } = runEffectsOf(flags, core, recorded, surroundings);
  const launched = { program, args, host, builtins, interrupts, effects, written, flags };
  try {
    return await launch(surroundings === undefined ? launched : { ...launched, surroundings });
  } finally {
    // Of a process that ends with its run all is left to the system: closing would write the store's log back into its file.
    if (surroundings !== undefined) close();
  }
}

export interface BeginForOthers {
  /** Awaited when the program is judged, before anything of the run is there. */
  readonly ready: () => Promise<void>;
  /** Written together with the run. */
  readonly beginning: (store: Store, run: string) => void;
}

/**
 * The same without running anything of it: a run in the store that goes on elsewhere. Gives its name; `undefined` when the program does
 * not compile, which has been reported.
 */
export async function beginForOthers(
  start: ProgramToRun,
  args: readonly string[],
  flags: RunFlags,
  { ready, beginning }: BeginForOthers,
): Promise<string | undefined> {
  const prepared = await preparedRun(start, args, flags, undefined);
  if (prepared === undefined) return undefined;
  await ready();
  const { recorder, run, close } = journalInStore(
    { ...prepared.recorded, beginning },
    prepared.seed,
    undefined,
  );
  try {
    recorder.writer.flush(true);
  } finally {
    close();
  }
  return run;
}

interface PreparedRun {
  readonly recorded: RunToRecord;
  readonly builtins: BuiltinTable;
  readonly seed: string;
}

/** Compiled and judged; `undefined` when what is wrong with it has been reported. */
async function preparedRun(
  start: ProgramToRun,
  args: readonly string[],
  flags: RunFlags,
  surroundings: Surroundings | undefined,
): Promise<PreparedRun | undefined> {
  if (flags.input !== undefined) throw new UsageError("--input goes with --resume of a worker");
  const { source, path, isChecked } = start;
  const loader = new NotingLoader(start.loader);
  const program = await checked(source, path, loader, surroundings?.diagnosed, isChecked);
  if (program === undefined) return undefined;
  mustTake(program, flags.params);
  if (surroundings?.reader === "program" && args.length === 0) mustHave(program, flags.params);
  const limited = grantedLimitsOf(flags);
  const machine = machineOf(createNodeHost(), surroundings);
  const { host, builtins } =
    limited === undefined ? { host: machine, builtins: builtinTable() } : granted(limited, machine);
  const options = optionsOf(flags, limited);
  const { reader, writer } = surroundings ?? {};
  const recorded = {
    name: flags.runName,
    program,
    modules: loader.found,
    path,
    args,
    host,
    options,
    reader,
    writer,
  };
  return { recorded, builtins, seed: flags.seed ?? nodeSeed() };
}

/** What is given under a name that no parameter of the program has would be dropped. */
function mustTake({ resolved: { entry } }: ExecutableProgram, given: Json | undefined): void {
  if (given === undefined) return;
  const taken = (entry.entry?.params ?? []).map(({ name }) => name);
  if (taken.includes(wholeInput)) return;
  const [first] = inputNames(given).filter((name) => !taken.includes(name));
  if (taken.length > 0 && first === undefined) return;
  const near = first === undefined ? undefined : nearest(first, taken);
  const without = "name one `input` to take all of it: `pipeline main(input) { … }`";
  throw new UsageError(
    taken.length === 0
      ? `${entry.source.name} takes no input: it has no pipeline with parameters; ${without}`
      : `${entry.source.name} has no parameter \`${first ?? wholeInput}\` (it takes ${taken.join(", ")})${near === undefined ? `; ${without}` : `: did you mean \`${near}\`?`}`,
    "HARN-LIB-001",
  );
}

/** In a program, what was not given has no place on a command line to be given at: said before anything is done. */
function mustHave({ resolved: { entry } }: ExecutableProgram, given: Json | undefined): void {
  const { entry: pipeline } = entry;
  if (pipeline === undefined) return;
  const has = given === undefined ? [] : [wholeInput, ...inputNames(given)];
  // A parameter that nothing reads may stay away.
  const used = new Set<unknown>([...entry.refs.values()]);
  const lacking = pipeline.params.filter((param) => used.has(param) && !has.includes(param.name));
  if (lacking.length === 0) return;
  const names = lacking.map(({ name }) => `\`${name}\``).join(", ");
  const why = given === undefined ? "there is no input" : "the input has no such name";
  throw new UsageError(`\`${pipeline.decl.name.text}\` needs ${names}, and ${why}`, "HARN-LIB-001");
}

interface WithJournal {
  readonly effects: Effects;
  /** What was written, once there was something to write. */
  readonly written: () => RunOutputs;
  readonly close: () => void;
}

function runEffectsOf(
  flags: RunFlags,
  core: CoreOptions,
  run: RunToRecord,
  surroundings: Surroundings | undefined,
): WithJournal {
  const { record } = flags;
  if (record === false) return { effects: new LiveEffects(core), written: () => ({}), close: () => {} };
  let journal: RunJournal | undefined;
  let early: EarlyOutput | undefined;
  const open = (): RunJournal =>
    record === undefined ? journalInStore(run, core.seed, early) : journalInFile(record, run, core.seed);
  const begin = (): RunJournal => {
    journal ??= open();
    return journal;
  };
  const effects = new JournalledEffects({
    ...core,
    open: () => begin().recorder,
    now: Date.now,
    spill: (texts) => {
      early ??= new EarlyOutput(run.host);
      early.take(texts);
    },
    attended: () => run.host.isTty("stdin") || journal?.run === undefined,
    onQuestion: (place, question) => journal?.question(place, question),
    ...(surroundings === undefined ? {} : askingOptions(surroundings, () => journal?.owned)),
  });
  // A recording that was asked for is begun with the run, whatever the run does.
  if (record !== undefined) explained(() => effects.begin());
  return {
    effects,
    written: () => ({ run: journal?.run, file: record }),
    close: () => journal?.close(),
  };
}

/** What a resume has to know of the flags. */
function optionsOf(flags: RunFlags, limits: CapabilityLists | undefined): { [name: string]: Json } {
  const options: { [name: string]: Json } = {
    max_depth: flags.maxDepth ?? null,
    max_steps: flags.maxSteps ?? null,
  };
  if (limits !== undefined)
    Object.assign(options, { allow: limits.allow ?? null, deny: limits.deny ?? null });
  const { provider, model, baseUrl, tape, llmMock, onApproval, served, params, offers, flow } = flags;
  const kept = {
    provider,
    model,
    base_url: baseUrl,
    tape,
    llm_mock: llmMock,
    on_approval: onApproval,
    served: served as unknown as Json | undefined,
    params,
    offers: offers?.length === 0 ? undefined : offers,
    flow,
  };
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) options[name] = value;
  return options;
}
