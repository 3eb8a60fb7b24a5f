/** `harn run`: compiles a program, wires machine, effects, models and terminal to it, runs it, says how it ended. */
import { builtinTable } from "../builtins/index.ts";
import { type Effects, JournalProblem, LiveEffects, RecordingEffects, Secrets } from "../effects/index.ts";
import {
  createNodeHost,
  type Host,
  newRunId,
  nodeDigest,
  nodeInterrupts,
  nodeOutputHash,
  nodePlatform,
  nodeSeed,
} from "../host/index.ts";
import { Runtime } from "../interp/index.ts";
import type { ExecutableProgram } from "../lower/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import { createJournalFile } from "../store/index.ts";
import { canonicalPath, compile, report } from "./compile.ts";
import { endOfRun, guarded, problemText } from "./end-of-run.ts";
import { exitCode } from "./exit-codes.ts";
import type { RunFlags } from "./main.ts";
import { NodeModuleLoader } from "./node-module-loader.ts";
import { ProcessConsole } from "./process-console.ts";
import { readProgram } from "./read-program.ts";
import { colourOnStderr } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

export async function runCommand(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
): Promise<number> {
  const text = readProgram(file, flags.eval);
  const loader = new NotingLoader(new NodeModuleLoader());
  const path = canonicalPath(text);
  const compiled = compile(text.source, path, loader);
  const colour = colourOnStderr();
  if (report(compiled.diagnostics, colour) || compiled.program === undefined) return exitCode.failed;

  const host = createNodeHost();
  const interrupts = nodeInterrupts();
  const options = { atRest: interrupts.atRest, seed: flags.seed ?? nodeSeed() };
  let effects: Effects;
  try {
    effects =
      flags.record === undefined
        ? new LiveEffects(options)
        : recording(flags.record, path, args, flags, host, options, compiled.program, loader);
  } catch (error) {
    if (error instanceof JournalProblem) throw new UsageError(problemText(error), exitCode.failed);
    throw error;
  }
  const console = new ProcessConsole();
  const limits = {
    ...(flags.maxDepth === undefined ? {} : { depth: flags.maxDepth }),
    ...(flags.maxSteps === undefined ? {} : { steps: flags.maxSteps }),
  };
  const runtime = new Runtime({ effects, host, console, builtins: builtinTable(), args, limits });
  if (usesModels(flags, host)) {
    const { wireModels } = await import("./wire-models.ts");
    wireModels(runtime, flags, colour);
  }
  const ended = await guarded(runtime, compiled.program, interrupts);
  console.flush();
  return endOfRun(ended, runtime, { colour, recorded: flags.record });
}

/** Whether anything about models has to be set up before the first call of one; a plain script skips it all. */
function usesModels(flags: RunFlags, host: Host): boolean {
  const asked = [flags.provider, flags.model, flags.baseUrl, flags.tape, flags.llmMock, flags.llmMockRecord];
  if (asked.some((flag) => flag !== undefined) || flags.progress === true) return true;
  return host.terminalWidth !== undefined || process.stderr.isTTY === true;
}

function recording(
  journal: string,
  path: string,
  args: readonly string[],
  flags: RunFlags,
  host: Host,
  options: { readonly atRest: (callback: () => void) => void; readonly seed: string },
  program: ExecutableProgram,
  loader: NotingLoader,
): RecordingEffects {
  const effects = new RecordingEffects({
    ...options,
    writer: createJournalFile(journal),
    digest: nodeDigest,
    secrets: Secrets.ofEnvironment(host.env),
    outputHash: nodeOutputHash(),
    run: {
      run: newRunId(),
      runtime: version,
      platform: nodePlatform(),
      argv: args,
      entry: path,
      cwd: host.cwd,
      options: { max_depth: flags.maxDepth ?? null, max_steps: flags.maxSteps ?? null },
    },
  });
  for (const module of program.resolved.modules) effects.source(module.path, module.source.text);
  for (const { from, specifier, path: name } of loader.found) effects.module(from, specifier, name);
  return effects;
}

/** Remembers which file each import meant, for the journal. */
class NotingLoader implements ModuleLoader {
  readonly found: { readonly from: string; readonly specifier: string; readonly path: string }[] = [];
  private readonly loader: ModuleLoader;

  constructor(loader: ModuleLoader) {
    this.loader = loader;
  }

  resolve(specifier: string, from: string): ReturnType<ModuleLoader["resolve"]> {
    const result = this.loader.resolve(specifier, from);
    if ("path" in result) this.found.push({ from, specifier, path: result.path });
    return result;
  }

  read(path: string): ReturnType<ModuleLoader["read"]> {
    return this.loader.read(path);
  }
}
