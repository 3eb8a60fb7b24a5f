/**
 * A record of a journal as its column keeps it. The commonest ones are lists of their values, because names of fields were half of
 * what a short run took: a set of evaluations has a run for each of its trials. All others, and those that versions before this one
 * wrote, are JSON objects; what is read is the same record, its fields in the same order.
 */
import type { JournalRecord, Json } from "../../effects/index.ts";

/** The digest of nothing: what a run that printed nothing has for its output (SHA-256). */
const ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

type Fields = { readonly [name: string]: Json };

interface Form {
  /** Names of its fields, in the order in which they are written and kept. */
  readonly fields: readonly string[];
  /** Fields that are kept for having just this value: they are not written. */
  readonly same: Fields;
}

/** A form's number is the first value of a list: append new ones. */
const forms: readonly Form[] = [
  { fields: ["t", "p", "n", "c", "k", "h", "a", "v"], same: { t: "result" } },
  { fields: ["t", "p", "n", "c", "k", "h", "a", "v", "w"], same: { t: "result" } },
  { fields: ["t", "p", "n", "c", "k", "h", "a"], same: { t: "intent" } },
  { fields: ["t", "p", "n", "c", "k", "h", "a", "w"], same: { t: "intent" } },
  { fields: ["t", "p", "n", "o", "v"], same: { t: "result" } },
  { fields: ["t", "p", "n", "o", "v", "w"], same: { t: "result" } },
  { fields: ["t", "reason", "code", "w", "output"], same: { t: "end", output: ofNothing } },
  // The header of a trial.
  {
    fields: [
      "t",
      "journal",
      "format",
      "run",
      "runtime",
      "platform",
      "argv",
      "entry",
      "cwd",
      "options",
      "seed",
    ],
    same: { t: "run", journal: "harn", cwd: "" },
  },
];

const formsOf = Map.groupBy(
  forms.map((form, number) => ({ form, number })),
  ({ form }) => form.fields.join(),
);

/** The text of a record for its column. */
export function keptRecord(record: JournalRecord): string {
  const fields = record as unknown as Fields;
  const keys = Object.keys(fields);
  const found = formsOf
    .get(keys.join())
    ?.find(({ form: { same } }) => Object.keys(same).every((name) => fields[name] === same[name]));
  // A field without a value is no field of an object, and null in a list.
  if (found === undefined || keys.some((name) => fields[name] === undefined)) return JSON.stringify(record);
  const { fields: names, same } = found.form;
  const values = names.filter((name) => !Object.hasOwn(same, name)).map((name) => fields[name] as Json);
  return JSON.stringify([found.number, ...values]);
}

/** The record of a column that has been parsed; whether it is one is for the caller to see. */
export function recordOfKept(kept: Json): Json {
  if (!Array.isArray(kept)) return kept;
  const [number, ...values] = kept as readonly Json[];
  const form = typeof number === "number" ? forms[number] : undefined;
  if (form === undefined) return kept;
  let at = 0;
  const entries = form.fields.map((name): [string, Json] => {
    const isSame = Object.hasOwn(form.same, name);
    return [name, (isSame ? form.same[name] : values[at++]) as Json];
  });
  return at === values.length ? Object.fromEntries(entries) : kept;
}

/** What the kept texts of intents and results begin with, as patterns of SQL. */
export const intentsAndResults: readonly string[] = [
  '{"t":"intent"%',
  '{"t":"result"%',
  ...forms.flatMap(({ same: { t } }, number) => (t === "intent" || t === "result" ? [`[${number},%`] : [])),
];
