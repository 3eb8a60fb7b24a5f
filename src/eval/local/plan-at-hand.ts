/** The plan of a set: what is asked for, what came of it, and one that was recorded, ready for trials. */

import { builtinTable } from "../../builtins/index.ts";
import { recordedSources, resumePoint } from "../../effects/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { createNodeHost, type Host, nodeDigest } from "../../host/index.ts";
import type { ExecutableProgram } from "../../lower/index.ts";
import { compileToRun, NodeModuleLoader, report } from "../../program/index.ts";
import { flagsOf, granted, grantedLimitsOf, type RunFlags, recordedModules } from "../../run/setup/index.ts";
import { SourceFile } from "../../source/index.ts";
import type { Store } from "../../store/index.ts";
import type { PlanChoice, PlannedTask } from "../engine/index.ts";
import type { EvalNotes } from "../index.ts";
import type { PlanAtHand } from "./trial-runs.ts";

export interface PlanRunRequest {
  /** The script. */
  readonly file: string;
  readonly args: readonly string[];
  readonly flags: RunFlags;
  /** `--param NAME=VALUE` */
  readonly params: Readonly<Record<string, string>>;
  readonly choice: PlanChoice;
}

export interface MadePlan {
  /** Name of its run in the store. */
  readonly run: string;
  readonly program: ExecutableProgram;
  readonly tasks: readonly PlannedTask[];
  /** Digest of the program's modules, those of the library left out. */
  readonly digest: string;
  readonly modules: Readonly<Record<string, string>>;
  /** What it judged and measured itself, as programs without tasks do. */
  readonly notes: EvalNotes;
  /** `path#number` of the effect at which the set begins; absent: the end of the program. */
  readonly at?: string | null;
  /** Parameters that were given and that nothing in the program asks for, and those that it did ask for. */
  readonly unasked?: { readonly passed: readonly string[]; readonly known: readonly string[] };
  /** How the program ended: of one that failed there is no plan. */
  readonly exitCode: number;
}

/** Digests of the modules by path, and one over all: of the library only the version counts, which is the runtime's. */
export function programDigest(program: ExecutableProgram): {
  readonly digest: string;
  readonly modules: Readonly<Record<string, string>>;
} {
  const library = new NodeModuleLoader();
  const own = program.resolved.modules.filter(({ path }) => !library.isStandard(path));
  const modules = own.map(({ path, source }) => [path, nodeDigest(source.text)] as const).sort();
  const names = modules.map(([path, digest]) => `${path.replace(/^.*\//, "")} ${digest}`).sort();
  return { digest: nodeDigest(names.join("\n")), modules: Object.fromEntries(modules) };
}

/** A plan as it was recorded, ready for trials to go through it; no file of it is needed. */
export async function planAtHand(
  store: Store,
  run: string,
  more: Pick<PlanAtHand, "at" | "params" | "onDoubt" | "processes" | "travelled" | "onUnwritable"> & {
    readonly flags?: RunFlags;
    readonly program?: ExecutableProgram;
    /** The machine as its owner lends it. */
    readonly lent?: (machine: Host) => Host;
  },
): Promise<PlanAtHand> {
  const journal = store.runs.wholeJournal(run);
  const program = more.program ?? (await recordedProgram(run, journal));
  const flags = flagsOf(journal.header, more.flags ?? {});
  // What the plan may not do, its trials may not either.
  const machine: Host = (more.lent ?? unchanged)(createNodeHost({ cwd: journal.header.cwd }));
  const limits = grantedLimitsOf(flags);
  const { host, builtins } =
    limits === undefined ? { host: machine, builtins: builtinTable() } : granted(limits, machine);
  return {
    run,
    program,
    history: resumePoint(journal).history,
    host,
    builtins,
    args: journal.header.argv,
    flags,
    at: more.at,
    params: more.params,
    onDoubt: more.onDoubt,
    processes: more.processes ?? null,
    travelled: more.travelled,
    onUnwritable: more.onUnwritable,
  };
}

const unchanged = <T>(one: T): T => one;

async function recordedProgram(
  run: string,
  journal: Parameters<typeof recordedSources>[0],
): Promise<ExecutableProgram> {
  const recorded = recordedSources(journal);
  const { entry } = journal.header;
  const text = recorded.texts.get(entry);
  if (text === undefined) throw new UsageError(`the plan ${run} does not hold its script`, "HARN-CLI-008");
  const { program, diagnostics } = await compileToRun(
    new SourceFile(entry, text),
    entry,
    recordedModules(recorded),
  );
  if (program === undefined || report(diagnostics))
    throw new UsageError(`the script of the plan ${run} does not compile any more`, "HARN-CLI-006");
  return program;
}

/** The texts of a program's modules. */
export const sourcesOf = (program: MadePlan["program"]): string[] =>
  program.resolved.modules.map(({ source }) => source.text);
