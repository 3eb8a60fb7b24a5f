/** A run that writes a journal (`harn run --record`): its effects, with the run, its sources and its modules noted. */
import type { CapabilityLists } from "../builtins/index.ts";
import { type CoreOptions, RecordingEffects, Secrets } from "../effects/index.ts";
import { type Host, newRunId, nodeDigest, nodeOutputHash, nodePlatform } from "../host/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import { createJournalFile } from "../store/index.ts";
import { version } from "./version.ts";

/** What an import in a file meant. */
export interface FoundModule {
  readonly from: string;
  readonly specifier: string;
  readonly path: string;
}

/** What the journal says about a run. */
export interface Recorded {
  readonly program: ExecutableProgram;
  readonly modules: readonly FoundModule[];
  readonly path: string;
  readonly args: readonly string[];
  readonly host: Host;
  readonly maxDepth: number | undefined;
  readonly maxSteps: number | undefined;
  readonly limits: CapabilityLists | undefined;
}

/** Only for runs that have limits: other journals stay as they are. */
function limitOptions(limits: CapabilityLists | undefined): { [key: string]: readonly string[] | null } {
  return limits === undefined ? {} : { allow: limits.allow ?? null, deny: limits.deny ?? null };
}

/** Throws a `JournalProblem` when the file cannot be written. */
export function recordingEffects(journal: string, run: Recorded, options: CoreOptions): RecordingEffects {
  const effects = new RecordingEffects({
    ...options,
    digest: nodeDigest,
    secrets: Secrets.ofEnvironment(run.host.env),
    outputHash: nodeOutputHash(),
    run: {
      run: newRunId(),
      runtime: version,
      platform: nodePlatform(),
      argv: run.args,
      entry: run.path,
      cwd: run.host.cwd,
      options: {
        max_depth: run.maxDepth ?? null,
        max_steps: run.maxSteps ?? null,
        ...limitOptions(run.limits),
      },
    },
    // Last: what comes before takes its time, and a run that is killed meanwhile should leave no empty journal.
    writer: createJournalFile(journal),
  });
  for (const module of run.program.resolved.modules) effects.source(module.path, module.source.text);
  for (const { from, specifier, path } of run.modules) effects.module(from, specifier, path);
  // A run that is killed before it ever waits leaves a journal that says so.
  effects.flush();
  return effects;
}
