/**
 * What Inspect AI and this runtime say of a sample, a row for each thing that both have: the reader and the writer of its logs go
 * through the same rows. What only this runtime says stands in `metadata.harn`, and what Inspect says nothing of is left out.
 */
import { isJsonObject, type Json, type JsonObject } from "../../../values/index.ts";
import {
  bareTrial,
  type ImportedScore,
  type ImportedSet,
  type ImportedTrial,
  ImportProblem,
  maxImportedTrials,
} from "../imported-set.ts";
import { unscored } from "./json.ts";
import { messageOfInspect, messagesForInspect, toolsOf } from "./messages.ts";

/** A trial on its way out, with what the log says of all of them. */
export interface LoggedTrial extends ImportedTrial {
  /** `provider/model` */
  readonly model: string;
}

interface SampleRow {
  /** The field of a sample in the log. */
  readonly field: string;
  readonly read: (value: Json) => Partial<ImportedTrial>;
  /** Undefined: the field is left out. */
  readonly write: (trial: LoggedTrial) => Json | undefined;
}

/** In the order in which logs have them. `metadata` is the first: what stands in it may say more than other fields. */
export const sampleRows: readonly SampleRow[] = [
  { field: "metadata", read: importedMetadata, write: writeMetadata },
  {
    field: "id",
    read: (id) => ({ sample: String(id) }),
    write: ({ sample }) => sample,
  },
  {
    field: "epoch",
    read: (epoch) => ({ epoch: typeof epoch === "number" && epoch >= 1 ? epoch : 1 }),
    write: ({ epoch }) => epoch,
  },
  bodyRow("input", inputForInspect),
  bodyRow("target", targetForInspect),
  {
    field: "choices",
    read: (choices) => (Array.isArray(choices) ? { body: { choices } } : {}),
    write: ({ body }) => (isListOfTexts(body.choices) ? body.choices : undefined),
  },
  {
    field: "messages",
    read: (argument) => {
      if (!Array.isArray(argument)) return { messages: argument };
      const messages = (argument as readonly Json[]).map(messageOfInspect);
      return { messages, tools: toolsOf(messages) };
    },
    write: ({ messages }) => messagesForInspect(messages),
  },
  { field: "output", read: importedOutput, write: writeOutput },
  {
    field: "scores",
    read: (scores) => ({
      scores: isJsonObject(scores) ? Object.entries(scores).flatMap(importedScores) : [],
    }),
    write: ({ scores }) => Object.fromEntries(scores.map((score) => [score.scorer, writeScore(score)])),
  },
  {
    field: "store",
    read: (store) => (isJsonObject(store) && Object.keys(store).length > 0 ? { world: store } : {}),
    write: ({ world }) => (isJsonObject(world) ? world : {}),
  },
  { field: "model_usage", read: usageOfModels, write: writeUsage },
  time("started_at", "began"),
  time("completed_at", "ended"),
  {
    field: "total_time",
    read: (seconds) => (typeof seconds === "number" ? { wallMs: inMilliseconds(seconds) } : {}),
    write: ({ wallMs, workingMs }) => (wallMs ?? workingMs) / 1000,
  },
  {
    field: "working_time",
    read: (seconds) => ({ workingMs: inMilliseconds(seconds) }),
    write: ({ workingMs }) => workingMs / 1000,
  },
  {
    field: "error",
    read: (error) => ({ error: isJsonObject(error) ? String(error.message ?? "it errored") : null }),
    write: ({ error }) =>
      error === null ? undefined : { message: error, traceback: error, traceback_ansi: error },
  },
  {
    field: "limit",
    read: (limit) => {
      const ours = isJsonObject(limit) ? limitNames.get(limit.type ?? null) : undefined;
      return ours === undefined ? {} : { limit: ours };
    },
    write: ({ limit }) => {
      if (limit === null) return undefined;
      const type = [...limitNames].find(([, ours]) => ours === limit)?.[0] ?? "custom";
      return { type, limit: 0 };
    },
  },
];

// ── one thing each ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Limits that mean the same on both sides. */
const limitNames: ReadonlyMap<Json, string> = new Map([
  ["time", "wall"],
  ["working", "time"],
  ["message", "turns"],
  ["token", "tokens"],
]);

const limitsOfOurs: ReadonlySet<Json> = new Set([...limitNames.values(), "tool_calls", "cost_usd"]);

/** Grades that stand for numbers. */
const grades: ReadonlyMap<Json, number> = new Map([
  ["C", 1],
  ["I", 0],
  ["P", 0.5],
  ["N", 0],
]);

/** Why a model stopped, in Inspect's words; everything else is an ordinary end there. */
const stopReasons: ReadonlyMap<string | null, string> = new Map([
  ["max_tokens", "max_tokens"],
  ["context_window", "model_length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

function bodyRow(field: "input" | "target", write: (value: Json) => Json): SampleRow {
  return {
    field,
    read: (value) => ({ body: { [field]: value } }),
    write: ({ body }) => write(body[field] ?? null),
  };
}

function time(field: string, ours: "began" | "ended"): SampleRow {
  return {
    field,
    read: (text) => {
      const at = typeof text === "string" ? Date.parse(text) : Number.NaN;
      return Number.isFinite(at) ? { [ours]: at } : {};
    },
    write: (trial) => (trial[ours] === undefined ? undefined : new Date(trial[ours]).toISOString()),
  };
}

/** Of seconds; what is no time that anybody may have waited is none. */
const inMilliseconds = (seconds: Json): number =>
  typeof seconds === "number" && seconds >= 0 && seconds < 1e9 ? seconds * 1000 : 0;

/** A text, or messages. */
function inputForInspect(input: Json): Json {
  if (typeof input === "string") return input;
  if (Array.isArray(input) && input.every(isJsonObject)) return messagesForInspect(input);
  return JSON.stringify(input ?? "");
}

/** A text or a list of texts; Inspect has no sample without a target. */
function targetForInspect(target: Json): Json {
  if (target === null) return "";
  if (Array.isArray(target))
    return target.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return typeof target === "string" ? target : JSON.stringify(target);
}

const isListOfTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Fields of a sample that Inspect has a place of its own for. */
const ownPlaces: ReadonlySet<string> = new Set(["id", "input", "target", "choices"]);

/** Where this runtime's own facts stand. */
const own = "harn";

function importedMetadata(metadata: Json): Partial<ImportedTrial> {
  if (!isJsonObject(metadata)) return {};
  const { [own]: said, ...rest } = metadata;
  const ours = isJsonObject(said) ? said : {};
  return {
    body: rest,
    ...(typeof ours.sample === "string" ? { sampleText: ours.sample } : {}),
    ...(typeof ours.cluster === "string" ? { cluster: ours.cluster } : {}),
    ...(typeof ours.stop_reason === "string" ? { stopReason: ours.stop_reason } : {}),
    ...(typeof ours.cost_usd === "number" && ours.cost_usd >= 0 ? { costUsd: ours.cost_usd } : {}),
    ...(typeof ours.turns === "number" && ours.turns >= 0 ? { turns: ours.turns } : {}),
    ...(limitsOfOurs.has(ours.limit ?? null) ? { limit: String(ours.limit) } : {}),
  };
}

function writeMetadata(trial: LoggedTrial): Json {
  const { body, sampleText, cluster, stopReason, costUsd, turns, limit } = trial;
  const fields = Object.entries(body).filter(([name]) => !ownPlaces.has(name) && name !== own);
  return {
    ...Object.fromEntries(fields),
    [own]: {
      ...(sampleText === undefined ? {} : { sample: sampleText }),
      ...(cluster === null ? {} : { cluster }),
      ...(stopReason === null ? {} : { stop_reason: stopReason }),
      ...(limit === null ? {} : { limit }),
      cost_usd: costUsd,
      turns,
    },
  };
}

function importedOutput(output: Json): Partial<ImportedTrial> {
  const { completion } = isJsonObject(output) ? output : {};
  return { text: typeof completion === "string" ? completion : "" };
}

function writeOutput({ model, text, stopReason, inputTokens, outputTokens }: LoggedTrial): Json {
  return {
    model,
    choices: [
      {
        message: { role: "assistant", content: text, source: "generate" },
        stop_reason: stopReasons.get(stopReason) ?? "stop",
      },
    ],
    usage: importedUsage(inputTokens, outputTokens),
    completion: text,
  };
}

const importedUsage = (input: number, output: number): JsonObject => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});

function usageOfModels(usage: Json): Partial<ImportedTrial> {
  const models = isJsonObject(usage) ? Object.values(usage) : [];
  const sum = (name: string): number =>
    models.reduce<number>(
      (all, one) => all + (isJsonObject(one) && typeof one[name] === "number" ? (one[name] as number) : 0),
      0,
    );
  return { inputTokens: sum("input_tokens"), outputTokens: sum("output_tokens") };
}

function writeUsage({ model, inputTokens, outputTokens }: LoggedTrial): Json {
  return { [model]: importedUsage(inputTokens, outputTokens) };
}

function importedScores([scorer, score]: [string, Json]): ImportedScore[] {
  if (!isJsonObject(score)) return [];
  const why = typeof score.explanation === "string" ? score.explanation : null;
  const { value } = score;
  if (isJsonObject(value))
    return Object.entries(value).map(([part, one]) => ({
      ...scoreValueOf(one),
      scorer: `${scorer}.${part}`,
      why,
    }));
  const said = isJsonObject(score.metadata) ? score.metadata[own] : undefined;
  const ours = isJsonObject(said) ? said : {};
  return [
    {
      ...scoreValueOf(value ?? null),
      ...(typeof ours.pass === "boolean" ? { pass: ours.pass } : {}),
      ...(typeof ours.label === "string" ? { label: ours.label } : {}),
      scorer,
      why,
    },
  ];
}

function scoreValueOf(value: Json): Pick<ImportedScore, "value" | "pass" | "label"> {
  const number =
    typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : grades.get(value);
  if (number !== undefined) return { value: number, pass: number >= 1, label: null };
  return { value: null, pass: null, label: typeof value === "string" ? value : null };
}

function writeScore({ value, pass, label, why }: ImportedScore): Json {
  const ours = { ...(pass === null ? {} : { pass }), ...(label === null ? {} : { label }) };
  return {
    value: value ?? (label === null || grades.has(label) ? unscored : label),
    answer: null,
    explanation: why,
    ...(Object.keys(ours).length === 0 ? {} : { metadata: { [own]: ours } }),
  };
}

/**
 * A log of Inspect AI: samples, answers, scores, from the header (`eval`) and the samples, whichever file they came from. It has no
 * journals, so nothing of it is replayed.
 */
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
