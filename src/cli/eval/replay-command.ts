/** `harn eval replay`: a set again from its journals, and whether it came out the same. */
import { exitCode } from "../exit-codes.ts";
import { reportAsJson, reportError, tell } from "../report.ts";
import { replayEvaluation } from "./sets/evaluate.ts";

export async function replaySetCommand(name: string, flags: { readonly json?: boolean }): Promise<number> {
  const { set, receipt, stored, trials, notReplayable, differs, broken } = await replayEvaluation(name);
  const isSame = receipt === stored && differs === null && broken === null;
  if (flags.json === true)
    reportAsJson({
      set,
      same: isSame,
      receipt,
      stored,
      trials,
      not_replayable: notReplayable,
      differs,
      broken,
    });
  else if (isSame) tell(`${set}: ${trials} trials, receipt ${receipt}, the same\n`);
  if (isSame) return exitCode.ok;
  if (differs !== null)
    reportError(
      `${set}:${differs.path} came out otherwise\n  then: ${differs.stored}\n  now:  ${differs.replayed}\n`,
    );
  if (broken !== null) reportError(`${set}:${broken.path} can't be followed: ${broken.message}\n`);
  if (differs === null && broken === null)
    reportError(`${set} has the receipt ${stored}; its trials give ${receipt}\n`);
  return differs === null && broken?.isEarly === true ? exitCode.endedEarly : exitCode.mismatch;
}
