/**
 * A run from its beginning: compiles a program, wires machine, effects, models and terminal to it, runs it, says how it ended.
 *
 * This file and what it imports is what every run pays for: a journal, models and the view of agents at work are loaded
 * for the runs that have them.
 */
import { builtinTable, type CapabilityLists } from "../builtins/index.ts";
import {
  type CoreOptions,
  type Effects,
  JournalledEffects,
  type Json,
  LiveEffects,
} from "../effects/index.ts";
import { exitCode, explained, UsageError } from "../host/command/index.ts";
import { createNodeHost, nodeInterrupts, nodeSeed } from "../host/index.ts";
import { canonicalPath, checked, NodeModuleLoader, NotingLoader, readProgram } from "../program/index.ts";
import { launch } from "./launch.ts";
import type { RunOutputs } from "./setup/end-of-run.ts";
import { granted, grantedLimitsOf } from "./setup/granted.ts";
import {
  EarlyOutput,
  journalInFile,
  journalInStore,
  type RunJournal,
  type RunToRecord,
} from "./setup/recorded-run.ts";
import type { RunFlags } from "./setup/run-flags.ts";
import { askingOptions, type Surroundings } from "./setup/surroundings.ts";

export async function beginRecordedRun(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
  surroundings?: Surroundings,
): Promise<number> {
  if (flags.input !== undefined) throw new UsageError("--input goes with --resume of a worker");
  const text = readProgram(file, flags.eval);
  const loader = new NotingLoader(new NodeModuleLoader());
  const path = canonicalPath(text);
  const program = await checked(text.source, path, loader);
  if (program === undefined) return exitCode.failed;
  const limited = grantedLimitsOf(flags);
  const machine = createNodeHost();
  const { host, builtins } =
    limited === undefined ? { host: machine, builtins: builtinTable() } : granted(limited, machine);
  const interrupts = nodeInterrupts();
  const core = { atRest: interrupts.atRest, seed: flags.seed ?? nodeSeed() };
  const options = optionsOf(flags, limited);
  const recorded = { name: flags.runName, program, modules: loader.found, path, args, host, options };
  const { effects, written } = runEffectsOf(flags, core, recorded, surroundings);
  const launched = { program, args, host, builtins, interrupts, effects, written, flags };
  return await launch(surroundings === undefined ? launched : { ...launched, surroundings });
}

interface WithJournal {
  readonly effects: Effects;
  /** What was written, once there was something to write. */
  readonly written: () => RunOutputs;
}

function runEffectsOf(
  flags: RunFlags,
  core: CoreOptions,
  run: RunToRecord,
  surroundings: Surroundings | undefined,
): WithJournal {
  const { record } = flags;
  if (record === false) return { effects: new LiveEffects(core), written: () => ({}) };
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
  return { effects, written: () => ({ run: journal?.run, file: record }) };
}

/** What a resume has to know of the flags. */
function optionsOf(flags: RunFlags, limits: CapabilityLists | undefined): { [name: string]: Json } {
  const options: { [name: string]: Json } = {
    max_depth: flags.maxDepth ?? null,
    max_steps: flags.maxSteps ?? null,
  };
  if (limits !== undefined)
    Object.assign(options, { allow: limits.allow ?? null, deny: limits.deny ?? null });
  const { provider, model, baseUrl, tape, llmMock, onApproval, served } = flags;
  const kept = {
    provider,
    model,
    base_url: baseUrl,
    tape,
    llm_mock: llmMock,
    on_approval: onApproval,
    served: served as unknown as Json | undefined,
  };
  for (const [name, value] of Object.entries(kept)) if (value !== undefined) options[name] = value;
  return options;
}
