/** Results of promptfoo (version 3): a sample for each test, a variant for each provider and prompt, epochs by repetition. */
import { isJsonObject, type Json, type JsonObject } from "../../values/index.ts";
import {
  bareTrial,
  type ImportedScore,
  type ImportedTrial,
  ImportProblem,
  maxImportedTrials,
} from "./imported-set.ts";

export function trialsOfPromptfoo(json: Json): ImportedTrial[] {
  const results = isJsonObject(json) ? json.results : null;
  if (!isJsonObject(results) || results.version !== 3 || !Array.isArray(results.results))
    throw new ImportProblem("expected the results of promptfoo, `{results: {version: 3, results: […]}}`");
  const rows = results.results as readonly Json[];
  if (rows.length === 0) throw new ImportProblem("it has no results");
  if (rows.length > maxImportedTrials) throw new ImportProblem(`it has more than ${maxImportedTrials} rows`);
  const epochs = new Map<string, number>();
  return rows.map((row, at) => {
    if (!isJsonObject(row)) throw new ImportProblem(`result ${at + 1} is not an object`);
    if (typeof row.success !== "boolean")
      throw new ImportProblem(`result ${at + 1}: \`success\`: expected true or false`);
    const sample = `t${String(row.testIdx ?? at)}`;
    const variant = promptfooVariant(row);
    const key = JSON.stringify([sample, variant]);
    const epoch = (epochs.get(key) ?? 0) + 1;
    epochs.set(key, epoch);
    return trialOfResult(row, sample, variant, epoch);
  });
}

function promptfooVariant(row: JsonObject): string {
  const provider = isJsonObject(row.provider) ? row.provider.label || row.provider.id : row.provider;
  const prompt = row.promptIdx === undefined ? "" : `,prompt=${String(row.promptIdx)}`;
  return `provider=${typeof provider === "string" ? provider : "unknown"}${prompt}`;
}

/** An error of the provider. */
const failedByError = 2;

function trialOfResult(row: JsonObject, sample: string, variant: string, epoch: number): ImportedTrial {
  const response = isJsonObject(row.response) ? row.response : {};
  const usage = isJsonObject(response.tokenUsage) ? response.tokenUsage : {};
  const vars = isJsonObject(row.vars) ? row.vars : {};
  const isErrored = row.failureReason === failedByError;
  return {
    ...bareTrial(sample, epoch, variant),
    body: { input: vars },
    text: typeof response.output === "string" ? response.output : JSON.stringify(response.output ?? ""),
    error: isErrored ? String(row.error ?? "it errored") : null,
    inputTokens: amountOrZero(usage.prompt),
    outputTokens: amountOrZero(usage.completion),
    costUsd: amountOrZero(row.cost),
    workingMs: amountOrZero(row.latencyMs),
    scores: isErrored ? [] : gradedScores(row),
  };
}

const amountOrZero = (value: Json | undefined): number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;

function gradedScores(row: JsonObject): ImportedScore[] {
  const grading = isJsonObject(row.gradingResult) ? row.gradingResult : {};
  const reason = typeof grading.reason === "string" ? grading.reason : null;
  const isGraderError = isJsonObject(grading.metadata) && grading.metadata.graderError === true;
  const success: ImportedScore =
    isGraderError || typeof row.success !== "boolean"
      ? { scorer: "success", value: null, pass: null, label: null, why: reason }
      : { scorer: "success", value: Number(row.success), pass: row.success, label: null, why: reason };
  const score =
    typeof row.score === "number"
      ? [{ ...success, scorer: "score", value: isGraderError ? null : row.score, why: null }]
      : [];
  const named = isJsonObject(row.namedScores) ? Object.entries(row.namedScores) : [];
  const components = Array.isArray(grading.componentResults)
    ? (grading.componentResults as readonly Json[])
    : [];
  return [
    success,
    ...score,
    ...named.flatMap(([name, value]) =>
      typeof value === "number" ? { scorer: name, value, pass: value >= 1, label: null, why: null } : [],
    ),
    ...components.flatMap((part, at): ImportedScore[] => {
      if (!isJsonObject(part) || typeof part.score !== "number") return [];
      const assertion =
        isJsonObject(part.assertion) && typeof part.assertion.type === "string"
          ? part.assertion.type
          : "assert";
      const why = typeof part.reason === "string" ? part.reason : null;
      return [
        { scorer: `${assertion}_${at + 1}`, value: part.score, pass: part.pass === true, label: null, why },
      ];
    }),
  ];
}
