/** `harn eval score`: finished trials are scored again, without asking the agent. */

import { scoreEvaluation } from "../../eval/local/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode } from "../../host/command/index.ts";
import type { scoreFlags } from "../flags/eval.ts";
import { setOptions } from "./run-options.ts";
import { workOnSet } from "./set-command.ts";

export type ScoreFlags = FlagsOf<typeof scoreFlags>;

export function scoreSetCommand(name: string, args: readonly string[], flags: ScoreFlags): Promise<number> {
  return workOnSet(flags, async (work) => {
    const done = await scoreEvaluation({
      set: name,
      script: flags.script,
      args,
      scorers: flags.scorer ?? null,
      draws: flags.draws,
      flags,
      options: setOptions(flags),
      ...work,
    });
    return done ?? exitCode.failed;
  });
}
