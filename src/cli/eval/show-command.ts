/** `harn eval show`: the summary of a set, or a trial with its scores and its conversation. */

import {
  inEvalStore,
  recordedConversation,
  storedReport,
  storedSet,
  trialNamed,
} from "../../eval/local/index.ts";
import { setAsJson, summaryText, trialText } from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, inStore, print, reportAsJson } from "../../host/command/index.ts";
import type { evalShowFlags } from "../flags/eval.ts";

export type EvalShowFlags = FlagsOf<typeof evalShowFlags>;

export function showSetCommand(named: string, flags: EvalShowFlags): number {
  return named.includes(":") ? showTrial(named, flags) : showSet(named, flags);
}

function showSet(name: string, flags: EvalShowFlags): number {
  inEvalStore((store) => {
    const set = storedSet(store, name);
    const report = storedReport(store, set, flags);
    if (flags.json === true) reportAsJson(setAsJson(report, flags.strict === true));
    else print(summaryText(report, { setName: name === "last" ? "last" : set.name }));
  });
  return exitCode.ok;
}

function showTrial(address: string, flags: EvalShowFlags): number {
  inEvalStore((store) => {
    const { set, task, trial } = trialNamed(store, address);
    if (flags.json === true) {
      const { row, scores, outcome } = trial;
      reportAsJson({
        set: set.name,
        task: task.spec.name,
        variant: trial.variant,
        sample: trial.sample,
        epoch: trial.epoch,
        state: trial.state,
        blame: trial.blame,
        error: trial.error,
        attempts: row.attempts,
        outcome,
        scores: scores.map(({ scorer, draw, value, pass, label, why, parts, error }) => ({
          scorer,
          draw,
          value,
          pass,
          label,
          why,
          parts,
          error,
        })),
      });
    } else {
      const conversation = inStore((files) => recordedConversation(files, task, trial));
      print(trialText({ set: set.name, task, trial, conversation, full: flags.full === true }));
    }
  });
  return exitCode.ok;
}
