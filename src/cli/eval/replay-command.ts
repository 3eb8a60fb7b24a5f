/** `harn eval replay`: a set again from its journals, with no network, key, model or program, and compared. */
import { showOneLine } from "../../diagnostics/index.ts";
import { replayEvaluation, replayTrialNamed } from "../../eval/local/index.ts";
import { countedText } from "../../eval/report/index.ts";
import { exitCode, print, reportFigures, UsageError } from "../../host/command/index.ts";

/** Characters of both sides of a difference that are shown. */
const maxSide = 2000;

export async function replaySetCommand(name: string, flags: { readonly json?: boolean }): Promise<number> {
  const done = name.includes(":") ? await oneTrial(name) : await replayEvaluation(name);
  const { set, receipt, stored, trials, notReplayable, differs, broken } = done;
  if (flags.json === true) reportFigures(done);
  else {
    const rest = notReplayable === 0 ? "" : `, ${countedText(notReplayable, "trial")} can't be replayed`;
    print(`${showOneLine(set)}  ${countedText(trials, "trial")} replayed${rest}\n`);
    if (broken !== null) print(`${showOneLine(`${broken.path}: ${broken.message}`)}\n`);
    if (differs !== null) {
      print(
        [
          `${differs.path} came out otherwise`,
          `  recorded  ${differs.stored.slice(0, maxSide)}`,
          `  replayed  ${differs.replayed.slice(0, maxSide)}`,
        ]
          .map((line) => `${showOneLine(line)}\n`)
          .join(""),
      );
    }
    print(receipt === stored ? `receipt ${receipt}\n` : `receipt ${receipt}, recorded ${stored}\n`);
  }
  if (broken !== null) return broken.isEarly ? exitCode.endedEarly : exitCode.mismatch;
  return differs === null && receipt === stored ? exitCode.ok : exitCode.mismatch;
}

/** One trial; what is not done has nothing that its replay could be compared with. */
async function oneTrial(address: string): ReturnType<typeof replayEvaluation> {
  const { trial, state, replayed } = await replayTrialNamed(address);
  if (state !== "done")
    throw new UsageError(
      `${trial} is ${state}, so nothing is kept that a replay could be compared with; \`harn trace ${trial}\` shows what it did`,
    );
  return { ...replayed, set: trial };
}
