/** Logs of Inspect AI as one JSON value: samples, answers, scores. They have no journals, so nothing of them is replayed. */
import { isJsonObject, type Json, type JsonObject } from "../../values/index.ts";
import {
  bareTrial,
  type ImportedScore,
  type ImportedSet,
  type ImportedTrial,
  ImportProblem,
  maxImportedTrials,
} from "./imported-set.ts";

/** JSON in which the bare words `NaN` and `Infinity` stand for numbers; they become null, which is unscored. */
export function parseInspectJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Texts in quotes are passed over, so that only bare words change.
    const plain = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gsu, (found) =>
      found.startsWith('"') ? found : "null",
    );
    try {
      return JSON.parse(plain) as Json;
    } catch {
      throw new ImportProblem("it is not JSON");
    }
  }
}

/** From the header (`eval`) and the samples, whichever file they came from. */
export function importedInspectLog(header: Json, samples: readonly Json[]): ImportedSet {
  if (samples.length > maxImportedTrials)
    throw new ImportProblem(`it has more than ${maxImportedTrials} samples`);
  const facts = isJsonObject(header) && isJsonObject(header.eval) ? header.eval : {};
  const variant = typeof facts.model === "string" ? `model=${facts.model}` : "default";
  const rows = samples.map((sample, at) => {
    if (!isJsonObject(sample) || (typeof sample.id !== "string" && typeof sample.id !== "number"))
      throw new ImportProblem(`sample ${at + 1} has no id`);
    return trialOfSample(sample, String(sample.id), variant);
  });
  if (rows.length === 0) throw new ImportProblem("it has no samples");
  return { task: typeof facts.task === "string" ? facts.task.replace(/[^\w.-]+/gu, "_") : "inspect", rows };
}

function trialOfSample(sample: JsonObject, id: string, variant: string): ImportedTrial {
  const attachments = isJsonObject(sample.attachments) ? sample.attachments : {};
  const whole = (value: Json | undefined): Json => withAttachments(value ?? null, attachments);
  const output = isJsonObject(sample.output) ? sample.output : {};
  const usage = isJsonObject(sample.model_usage) ? Object.values(sample.model_usage) : [];
  const tokens = (name: string): number =>
    usage.reduce<number>(
      (sum, one) => sum + (isJsonObject(one) && typeof one[name] === "number" ? (one[name] as number) : 0),
      0,
    );
  const error = isJsonObject(sample.error) ? String(sample.error.message ?? "it errored") : null;
  const text = whole(output.completion);
  return {
    ...bareTrial(id, typeof sample.epoch === "number" && sample.epoch >= 1 ? sample.epoch : 1, variant),
    body: { input: whole(sample.input), target: whole(sample.target) },
    text: typeof text === "string" ? text : "",
    messages: whole(sample.messages),
    error,
    inputTokens: tokens("input_tokens"),
    outputTokens: tokens("output_tokens"),
    workingMs: typeof sample.working_time === "number" ? sample.working_time * 1000 : 0,
    scores:
      error === null && isJsonObject(sample.scores)
        ? Object.entries(sample.scores).flatMap(inspectScore)
        : [],
  };
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

const letters: ReadonlyMap<Json, number> = new Map([
  ["C", 1],
  ["I", 0],
  ["P", 0.5],
  ["N", 0],
]);

function inspectScore([scorer, score]: [string, Json]): ImportedScore[] {
  if (!isJsonObject(score)) return [];
  const why = typeof score.explanation === "string" ? score.explanation : null;
  const { value } = score;
  if (isJsonObject(value))
    return Object.entries(value).map(([part, one]) => ({
      ...inspectValue(one),
      scorer: `${scorer}.${part}`,
      why,
    }));
  return [{ ...inspectValue(value ?? null), scorer, why }];
}

function inspectValue(value: Json): Pick<ImportedScore, "value" | "pass" | "label"> {
  const number =
    typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : letters.get(value);
  if (number !== undefined) return { value: number, pass: number >= 1, label: null };
  return { value: null, pass: null, label: typeof value === "string" ? value : null };
}
