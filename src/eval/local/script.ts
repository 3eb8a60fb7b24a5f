/** A script as an evaluation: what it judges and measures while it runs is its result. Nothing of it is recorded. */
import { builtinTable } from "../../builtins/index.ts";
import { LiveEffects } from "../../effects/index.ts";
import { createNodeHost, nodeInterrupts, nodeSeed } from "../../host/index.ts";
import { Runtime } from "../../interp/index.ts";
import type { ExecutableProgram } from "../../lower/index.ts";
import { ownProcess, ownVariables } from "../../process/index.ts";
import { endOfRun, guarded, type RunFlags } from "../../run/setup/index.ts";
import { wireModels } from "../../run/setup/wire-models.ts";
import { type EvalNotes, evalNotes } from "../index.ts";

export interface ScriptEval extends EvalNotes {
  readonly exitCode: number;
}

export interface ScriptRun {
  readonly program: ExecutableProgram;
  readonly args: readonly string[];
  readonly flags: RunFlags;
  readonly seed: string;
  /** Of all its model calls. */
  readonly experiment: string | null;
}

export const newSeed = (): string => nodeSeed();

/** Runs it; what it prints goes to standard error, which leaves standard output to the report. */
export async function evaluateScript({
  program,
  args,
  flags,
  seed,
  experiment,
}: ScriptRun): Promise<ScriptEval> {
  const interrupts = nodeInterrupts();
  const env = ownVariables();
  if (experiment !== null) env.set("HARN_STRUCTURAL_EXPERIMENT", experiment);
  const toError = (text: string): void => void ownProcess().stderr.write(text);
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: interrupts.atRest, seed }),
    host: createNodeHost({ env }),
    console: { write: toError, writeError: toError },
    builtins: builtinTable(),
    args,
  });
  wireModels(runtime, flags);
  const ended = await guarded(runtime, program, interrupts, {});
  const code = endOfRun(ended, runtime, {});
  await runtime.close();
  return { ...runtime.state(evalNotes), exitCode: code };
}
