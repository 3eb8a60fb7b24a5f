/**
 * A record of a journal as its column keeps it. The commonest ones are lists of their values, because names of fields were half of
 * what a short run took: a set of evaluations has a run for each of its trials. All others, and those that versions before this one
 * wrote, are JSON objects; what is read is the same record, its fields in the same order.
 */
import type { JournalRecord, Json } from "../../effects/index.ts";

/** The digest of nothing: what a run that printed nothing has for its output (SHA-256). */
const ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

type RecordFields = { readonly [name: string]: Json };

interface RecordForm {
  /** Names of its fields, in the order in which they are written and kept. */
  readonly fields: readonly string[];
  /** Fields that are kept for having just this value: they are not written. */
  readonly same: RecordFields;
}

/** A form's number is the first value of a list: append new ones. */
const forms: readonly RecordForm[] = [
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

/** By a record's kind: the forms that it may have, and which of its values they keep. */
const formsOf = Map.groupBy(
  forms.map(({ fields, same }, number) => ({
    number,
    fields,
    kept: fields.filter((name) => !Object.hasOwn(same, name)),
    same: Object.entries(same),
  })),
  ({ number }) => forms[number]?.same.t,
);

/** Whether a record has these fields, in this order, and no others. Every effect asks: nothing is made to find it out. */
function hasFields(record: RecordFields, names: readonly string[]): boolean {
  let at = 0;
  for (const name in record) if (name !== names[at++]) return false;
  return at === names.length;
}

/** The text of a record for its column. */
export function keptRecord(record: JournalRecord): string {
  const fields = record as unknown as RecordFields;
  const found = formsOf
    .get(record.t)
    ?.find(
      (form) => hasFields(fields, form.fields) && form.same.every(([name, value]) => fields[name] === value),
    );
  if (found === undefined) return JSON.stringify(record);
  const list: Json[] = [found.number];
  for (const name of found.kept) {
    const value = fields[name];
    // A field without a value is no field of an object, and would be null in a list.
    if (value === undefined) return JSON.stringify(record);
    list.push(value);
  }
  return JSON.stringify(list);
}

/** The record of a column that has been parsed; whether it is one is for the caller to see. */
export function recordOfKept(kept: Json): Json {
  if (!Array.isArray(kept)) return kept;
  const values = kept as readonly Json[];
  const form = typeof values[0] === "number" ? forms[values[0]] : undefined;
  if (form === undefined) return kept;
  const record: { [name: string]: Json } = {};
  let at = 1;
  for (const name of form.fields)
    record[name] = (Object.hasOwn(form.same, name) ? form.same[name] : values[at++]) as Json;
  return at === values.length ? record : kept;
}

/** What the kept texts of intents and results begin with, as patterns of SQL. */
export const intentsAndResults: readonly string[] = [
  '{"t":"intent"%',
  '{"t":"result"%',
  ...forms.flatMap(({ same: { t } }, number) => (t === "intent" || t === "result" ? [`[${number},%`] : [])),
];
