/** `harn eval replay`: a set again from its journals, with no network, key, model or program, and compared. */
import { showOneLine } from "../../diagnostics/index.ts";
import { countedText } from "../../eval/report/index.ts";
import { exitCode } from "../exit-codes.ts";
import { reportAsJson, tell } from "../report.ts";
import { replayEvaluation } from "./sets/evaluate.ts";

/** Characters of both sides of a difference that are shown. */
const maxSide = 2000;

export async function replaySetCommand(name: string, flags: { readonly json?: boolean }): Promise<number> {
  const done = await replayEvaluation(name);
  const { set, receipt, stored, trials, notReplayable, differs, broken } = done;
  if (flags.json === true) reportAsJson(done);
  else {
    const rest = notReplayable === 0 ? "" : `, ${countedText(notReplayable, "trial")} can't be replayed`;
    tell(`${showOneLine(set)}  ${countedText(trials, "trial")} replayed${rest}\n`);
    if (broken !== null) tell(`${showOneLine(`${broken.path}: ${broken.message}`)}\n`);
    if (differs !== null) {
      tell(
        [
          `${differs.path} came out otherwise`,
          `  recorded  ${differs.stored.slice(0, maxSide)}`,
          `  replayed  ${differs.replayed.slice(0, maxSide)}`,
        ]
          .map((line) => `${showOneLine(line)}\n`)
          .join(""),
      );
    }
    tell(receipt === stored ? `receipt ${receipt}\n` : `receipt ${receipt}, recorded ${stored}\n`);
  }
  if (broken !== null) return broken.isEarly ? exitCode.endedEarly : exitCode.mismatch;
  return differs === null && receipt === stored ? exitCode.ok : exitCode.mismatch;
}
