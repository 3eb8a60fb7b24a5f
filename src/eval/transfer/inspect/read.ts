/** Logs of Inspect AI: samples, answers, scores. They have no journals, so nothing of them is replayed. */
import { isJsonObject, type Json, type JsonObject } from "../../../values/index.ts";
import {
  bareTrial,
  type ImportedSet,
  type ImportedTrial,
  ImportProblem,
  maxImportedTrials,
} from "../imported-set.ts";
import { sampleRows } from "./sample-table.ts";

/** From the header (`eval`) and the samples, whichever file they came from. */
export function importedInspectLog(header: Json, samples: readonly Json[]): ImportedSet {
  if (samples.length > maxImportedTrials)
    throw new ImportProblem(`it has more than ${maxImportedTrials} samples`);
  const facts = isJsonObject(header) && isJsonObject(header.eval) ? header.eval : {};
  const ours = isJsonObject(facts.metadata) ? facts.metadata : {};
  const ofModel = typeof facts.model === "string" ? `model=${facts.model}` : "default";
  const variant = typeof ours.harn_variant === "string" ? ours.harn_variant : ofModel;
  const rows = samples.map((sample, at) => {
    if (!isJsonObject(sample) || (typeof sample.id !== "string" && typeof sample.id !== "number"))
      throw new ImportProblem(`sample ${at + 1} has no id`);
    return trialOfSample(sample, String(sample.id), variant);
  });
  if (rows.length === 0) throw new ImportProblem("it has no samples");
  const task = typeof facts.task === "string" ? facts.task.replace(/[^\w.-]+/gu, "_") : "inspect";
  const success = ours.harn_success;
  if (!Array.isArray(success) || !success.every((name) => typeof name === "string")) return { task, rows };
  return { task, rows, success: success as string[] };
}

function trialOfSample(sample: JsonObject, id: string, variant: string): ImportedTrial {
  const attachments = isJsonObject(sample.attachments) ? sample.attachments : {};
  let trial: ImportedTrial = bareTrial(id, 1, variant);
  for (const { field, read } of sampleRows) {
    const said = read(withAttachments(sample[field] ?? null, attachments));
    trial = { ...trial, ...said, body: { ...trial.body, ...said.body } };
  }
  // What an errored sample scored before it did says nothing.
  return trial.error === null ? trial : { ...trial, scores: [] };
}

/** Texts `attachment://HASH` as they were, wherever they stand. */
function withAttachments(value: Json, attachments: JsonObject): Json {
  if (typeof value === "string") {
    const hash = /^attachment:\/\/([0-9a-f]+)$/u.exec(value)?.[1];
    const found = hash !== undefined && Object.hasOwn(attachments, hash) ? attachments[hash] : undefined;
    return typeof found === "string" ? found : value;
  }
  if (Array.isArray(value))
    return (value as readonly Json[]).map((part) => withAttachments(part, attachments));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withAttachments(part, attachments)]),
  );
}
