/**
 * `harn run`: compiles a program, wires machine, effects, models and terminal to it, runs it, says how it ended.
 *
 * This file and what it imports is what every run pays for: a journal, models and the view of agents at work are loaded
 * for the runs that have them.
 */
import { builtinTable } from "../builtins/index.ts";
import { type CoreOptions, type Effects, JournalProblem, LiveEffects } from "../effects/index.ts";
import { createNodeHost, nodeInterrupts, nodeSeed } from "../host/index.ts";
import { Runtime } from "../interp/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import { checkTypes } from "./check-types.ts";
import { canonicalPath, compile, report } from "./compile.ts";
import { endOfRun, guarded, problemText } from "./end-of-run.ts";
import { exitCode } from "./exit-codes.ts";
import { granted, limitsOf } from "./granted.ts";
import { viewOfAgents } from "./live-view.ts";
import { NodeModuleLoader } from "./node-module-loader.ts";
import { ProcessConsole } from "./process-console.ts";
import { readProgram } from "./read-program.ts";
import type { FoundModule, Recorded } from "./recorded-run.ts";
import type { RunFlags } from "./run-flags.ts";
import { UsageError } from "./usage-error.ts";

export async function runCommand(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
): Promise<number> {
  const text = readProgram(file, flags.eval);
  const loader = new NotingLoader(new NodeModuleLoader());
  const path = canonicalPath(text);
  const compiled = await compile(text.source, path, loader);
  const { program, diagnostics } = await checkTypes(compiled, false);
  if (report(diagnostics) || program === undefined) return exitCode.failed;

  const limited = limitsOf(flags);
  const machine = createNodeHost();
  const { host, builtins } =
    limited === undefined ? { host: machine, builtins: builtinTable() } : granted(limited, machine);
  const interrupts = nodeInterrupts();
  const options = { atRest: interrupts.atRest, seed: flags.seed ?? nodeSeed() };
  const effects =
    flags.record === undefined
      ? new LiveEffects(options)
      : await recording(flags.record, {
          options,
          program,
          modules: loader.found,
          path,
          args,
          host,
          maxDepth: flags.maxDepth,
          maxSteps: flags.maxSteps,
          limits: limited,
        });
  const console = new ProcessConsole();
  const limits = {
    ...(flags.maxDepth === undefined ? {} : { depth: flags.maxDepth }),
    ...(flags.maxSteps === undefined ? {} : { steps: flags.maxSteps }),
  };
  const created = viewOfAgents(flags, console);
  const runtime = new Runtime({ effects, host, console, builtins, args, limits, created });
  if (speaksOfModels(flags)) {
    const { wireModels } = await import("./wire-models.ts");
    wireModels(runtime, flags);
  }
  if (flags.skillDir !== undefined) {
    const { wireSkills } = await import("./wire-skills.ts");
    wireSkills(runtime, flags.skillDir);
  }
  const ended = await guarded(runtime, program, interrupts);
  console.flush();
  return endOfRun(ended, runtime, flags.record);
}

/** Whether models have to be set up before the program starts, and mistakes about them be told. */
function speaksOfModels(flags: RunFlags): boolean {
  const { provider, model, baseUrl, tape, llmMock, llmMockRecord } = flags;
  return [provider, model, baseUrl, tape, llmMock, llmMockRecord].some((flag) => flag !== undefined);
}

async function recording(journal: string, run: Recorded & { options: CoreOptions }): Promise<Effects> {
  const { recordingEffects } = await import("./recorded-run.ts");
  try {
    return recordingEffects(journal, run, run.options);
  } catch (error) {
    if (error instanceof JournalProblem) throw new UsageError(problemText(error), exitCode.failed);
    throw error;
  }
}

/** Remembers which file each import meant, for the journal; asked again, it knows. */
class NotingLoader implements ModuleLoader {
  private readonly loader: ModuleLoader;
  private readonly known = new Map<string, FoundModule>();

  constructor(loader: ModuleLoader) {
    this.loader = loader;
  }

  get found(): FoundModule[] {
    return [...this.known.values()];
  }

  resolve(specifier: string, from: string): ReturnType<ModuleLoader["resolve"]> {
    const key = `${from}\0${specifier}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const result = this.loader.resolve(specifier, from);
    if ("path" in result) this.known.set(key, { from, specifier, path: result.path });
    return result;
  }

  read(path: string): ReturnType<ModuleLoader["read"]> {
    return this.loader.read(path);
  }
}
