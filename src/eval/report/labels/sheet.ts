/** Blind sheets for people who label: address, input and text, nothing of what a judge said. */
import { isJsonObject, type Json, toJson } from "../../../values/index.ts";
import { trialAddress } from "../../plan/index.ts";
import { csvLine } from "../formats/csv.ts";
import type { RecordedSet, RecordedTask, RecordedTrial } from "../recorded-set.ts";
import { combinedScore } from "../trial-facts.ts";

const sheetColumns = ["address", "input", "text", "label", "note"] as const;

interface SheetRow {
  readonly address: string;
  readonly label: string;
  readonly note: string;
}

interface LabelledTrial {
  readonly task: RecordedTask;
  readonly trial: RecordedTrial;
}

/** Trials that a scorer has scored, in the order of digests of seed and address: random, and the same again. */
export function trialsToLabel(
  set: RecordedSet,
  scorer: string,
  n: number,
  shuffled: (address: string) => string,
): LabelledTrial[] {
  return set.tasks
    .flatMap((task) => task.trials.map((trial) => ({ task, trial })))
    .filter(({ trial }) => trial.state === "done" && combinedScore(trial, scorer) !== undefined)
    .map((one) => ({ one, order: shuffled(trialAddress(set.name, keyOf(one))) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, n)
    .map(({ one }) => one);
}

const keyOf = ({ task, trial: { variant, sample, epoch } }: LabelledTrial) => ({
  task: task.spec.name,
  variant,
  sample,
  epoch,
});

/** `outcome` gives what a trial left, as JSON. The address has no name of the variant: who labels must not know it. */
export function labelSheet(
  trials: readonly LabelledTrial[],
  row: (trial: RecordedTrial) => string,
  outcome: (trial: RecordedTrial) => Json,
): string {
  const lines = trials.map(({ task, trial }) => {
    const sample = task.samples.find(({ id }) => id === trial.sample);
    const left = outcome(trial);
    const text = isJsonObject(left) && typeof left.text === "string" ? left.text : "";
    return csvLine([
      row(trial),
      sampleInput(sample === undefined ? null : toJson(sample.body)),
      text,
      "",
      "",
    ]);
  });
  return [csvLine(sheetColumns), ...lines].join("");
}

function sampleInput(sample: Json): string {
  const input = isJsonObject(sample) ? (sample.input ?? sample.scenario ?? null) : null;
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** Rows of a sheet that came back, those without a label left out; a text says what is wrong with it. */
export function sheetRows(rows: readonly (readonly string[])[]): SheetRow[] | string {
  const [head = [], ...body] = rows;
  const places = ["address", "label"].map((name) => head.map((cell) => cell.trim()).indexOf(name));
  const [address = -1, label = -1] = places;
  if (address < 0 || label < 0) return "expected the columns `address` and `label`";
  const note = head.indexOf("note");
  return body
    .map((row) => ({
      address: (row[address] ?? "").trim(),
      label: (row[label] ?? "").trim(),
      note: note < 0 ? "" : (row[note] ?? ""),
    }))
    .filter((row) => row.label !== "");
}

/** What a label says: a number, yes or no as 1 and 0, or a word. */
export function labelValue(text: string): { readonly value: number | null; readonly label: string | null } {
  const word = text.toLowerCase();
  if (["pass", "yes", "true", "y", "good"].includes(word)) return { value: 1, label: null };
  if (["fail", "no", "false", "n", "bad"].includes(word)) return { value: 0, label: null };
  const value = Number(text);
  return Number.isFinite(value) && text !== "" ? { value, label: null } : { value: null, label: text };
}
