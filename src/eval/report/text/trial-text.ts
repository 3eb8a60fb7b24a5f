/** A trial for a person: how it ended, what scorers say, the conversation. */
import { showOneLine, showText } from "../../../diagnostics/index.ts";
import type { Json } from "../../../values/index.ts";
import { trialAddress } from "../../plan/index.ts";
import { isHelped } from "../../users/index.ts";
import { shownMessages } from "../page/conversations.ts";
import type { RecordedTask, RecordedTrial } from "../recorded-set.ts";
import { successOf } from "../trial-facts.ts";
import { columnLines } from "./columns.ts";
import { countedText, dollarText, timeText, valueText } from "./figure-text.ts";

export interface TrialTextOptions {
  readonly set: string;
  readonly task: RecordedTask;
  readonly trial: RecordedTrial;
  /** Its messages, the system text among them where it is known; null when there are none. */
  readonly conversation: Json;
  /** Messages and reasons whole, not cut. */
  readonly full: boolean;
}

const maxText = 2000;

export function trialText({ set, task, trial, conversation, full }: TrialTextOptions): string {
  const cut = (text: string): string =>
    full || text.length <= maxText
      ? text
      : `${text.slice(0, maxText)}… (${countedText(text.length - maxText, "character")} more; --full has them)`;
  const success = successOf(trial, task.spec);
  const word =
    trial.state !== "done"
      ? trial.state
      : success === undefined
        ? "unscored"
        : success === 1
          ? isHelped(success, trial.faults)
            ? "success, helped by the user"
            : "success"
          : "failure";
  const facts = [
    word,
    ...(trial.blame === null ? [] : [`blame ${trial.blame}`]),
    ...(trial.limit === null ? [] : [`ended by its limit of ${trial.limit}`]),
    ...(trial.stopReason === null ? [] : [trial.stopReason]),
    countedText(trial.turns, "turn"),
    `${countedText(trial.inputTokens, "token")} in, ${trial.outputTokens.toLocaleString("en-US")} out`,
    dollarText(trial.costUsd),
    timeText(trial.workingMs),
    ...(trial.attempts > 1 ? [`${trial.attempts} attempts`] : []),
  ];
  const lines = [
    showOneLine(trialAddress(set, { task: task.spec.name, ...placeOf(trial) })),
    showOneLine(facts.join(" · ")),
    ...(trial.error === null
      ? []
      : [`error (${trial.error.category}): ${showText(cut(trial.error.message))}`]),
    ...trial.faults.map(({ kind, severity, evidence }) =>
      showOneLine(`fault of the user: ${kind} (${severity}): ${cut(evidence)}`),
    ),
    ...scoreLines(trial, cut),
    ...conversationLines(conversation, cut),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const placeOf = ({ sample, variant, epoch }: RecordedTrial) => ({ sample, variant, epoch });

function scoreLines(trial: RecordedTrial, cut: (text: string) => string): string[] {
  if (trial.scores.length === 0) return [];
  const rows = trial.scores.map((score) => [
    "  ",
    score.draw > 1 || trial.scores.some((other) => other.scorer === score.scorer && other.draw > 1)
      ? `${score.scorer} (draw ${score.draw})`
      : score.scorer,
    score.pass === null ? "unscored" : score.pass ? "pass" : "FAIL",
    score.label ?? (score.value === null ? "-" : valueText(score.value, "number")),
    cut(score.error?.message ?? score.why ?? ""),
  ]);
  return ["", ...columnLines(rows, [0, 2])];
}

function conversationLines(conversation: Json, cut: (text: string) => string): string[] {
  return shownMessages(conversation).flatMap(([role, name, text]) => [
    "",
    showOneLine(name === null ? `── ${role}` : `── ${role} ${name}`),
    ...(text === "" ? [] : [showText(cut(text))]),
  ]);
}
