/** `harn eval score`: finished trials are scored again, without asking the agent. */

import { scoreEvaluation } from "../../eval/local/index.ts";
import { exitCode } from "../../host/command/index.ts";
import { type SetFlags, setOptions, whole } from "./run-options.ts";
import { workOnSet } from "./set-command.ts";

export interface ScoreFlags extends SetFlags {
  readonly script?: string;
  readonly scorer?: readonly string[];
  readonly draws?: string;
}

export function scoreSetCommand(name: string, args: readonly string[], flags: ScoreFlags): Promise<number> {
  return workOnSet(flags, async (work) => {
    const done = await scoreEvaluation({
      set: name,
      script: flags.script,
      args,
      scorers: flags.scorer ?? null,
      draws: whole("--draws", flags.draws),
      flags,
      options: setOptions(flags),
      ...work,
    });
    return done ?? exitCode.failed;
  });
}
