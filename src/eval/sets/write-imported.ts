/** An imported set in the store: samples, outcomes and scores, and no journals. */
import type { EvalSetRow } from "../../durable/index.ts";
import { Dict, fromJson, jsonNestsTooDeep, jsonParse, ScriptError } from "../../values/index.ts";
import { canonicalJson, encodePart, noLimits } from "../plan/index.ts";
import { reportedSpec, withoutJournals } from "../report/recorded-set.ts";
import { type ImportedSet, type ImportedTrial, mustBeDistinct } from "../transfer/imported-set.ts";
import { type EvalStore, type NewRow, Pieces } from "./eval-store.ts";
import { type SetSpec, usualOptions } from "./set-spec.ts";

/** Trials that are written at once. */
const batch = 1000;

export function writeImported(
  store: EvalStore,
  name: string,
  imported: ImportedSet,
  now: number,
): EvalSetRow {
  mustBeDistinct(
    imported.rows.map(({ sample, variant, epoch }) => [sample, variant, epoch]),
    "trials",
  );
  return store.together(() => {
    const spec: SetSpec = { plan: "", at: null, options: usualOptions, modules: {}, params: {}, stale: 0 };
    const [id = 0] = store.insert("eval_set", [
      {
        name,
        plan: null,
        seed: "",
        spec: JSON.stringify(spec),
        state: imported.rows.some(({ error }) => error !== null) ? "incomplete" : "done",
        why: withoutJournals,
        program: "",
        began: now,
        ended: now,
        receipt: null,
      },
    ]);
    const task = taskSpec(imported);
    const text = JSON.stringify(task);
    const [taskId = 0] = store.insert("eval_task", [
      { eval_set: id, name: imported.task, spec: text, digest: store.digest(text) },
    ]);
    const samples = writeSamples(store, id, taskId, imported.rows);
    const variants = writeVariants(store, id, taskId, imported.rows);
    for (let from = 0; from < imported.rows.length; from += batch) {
      writeTrials(store, { id, samples, variants, now, from }, imported.rows.slice(from, from + batch));
    }
    return store.set(name) as EvalSetRow;
  });
}

/** What reports read of a task; every scorer that says whether a trial passes decides, unless one is called `success`. */
function taskSpec({ task, rows, success }: ImportedSet): object {
  const scores = rows.flatMap((row) => row.scores);
  const names = [...new Set(scores.map(({ scorer }) => scorer))];
  const judging = names.filter((name) => scores.some(({ scorer, pass }) => scorer === name && pass !== null));
  return {
    ...reportedSpec(task, {
      scorers: names.map((name) => ({ name, threshold: 1, needs: [] })),
      success: success?.filter((name) => names.includes(name)) ?? decidingOf(judging),
      epochs: rows.reduce((most, { epoch }) => Math.max(most, epoch), 1),
    }),
    tags: [],
    limits: noLimits,
  };
}

const decidingOf = (judging: readonly string[]): readonly string[] =>
  judging.includes("success") ? ["success"] : judging;

/** The canonical JSON of a sample, of which its digest is made. */
function textOfSample({ sample, body, sampleText }: ImportedTrial): string {
  const whole = sampleText === undefined ? undefined : wholeSample(sampleText);
  return canonicalJson(whole?.get("id") === sample ? whole : fromJson({ ...body, id: sample }));
}

/** Undefined for what is no dict: a file may say anything. */
function wholeSample(text: string): Dict | undefined {
  if (jsonNestsTooDeep(text)) return undefined;
  try {
    const value = jsonParse(text);
    return value instanceof Dict ? value : undefined;
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

function writeSamples(
  store: EvalStore,
  set: number,
  task: number,
  rows: readonly ImportedTrial[],
): ReadonlyMap<string, number> {
  const firsts = new Map<string, ImportedTrial>();
  for (const row of rows) if (!firsts.has(row.sample)) firsts.set(row.sample, row);
  const pieces = new Pieces(store.digest);
  const made: NewRow[] = [...firsts.values()].map((trial, ord) => {
    const { sample, cluster } = trial;
    const text = textOfSample(trial);
    const digest = store.digest(text);
    return {
      eval_set: set,
      task,
      key: encodePart(sample),
      digest,
      ord,
      cluster,
      retired: 0,
      body: pieces.keep(text),
    };
  });
  const ids = store.insert("eval_sample", made, pieces);
  return new Map([...firsts.keys()].map((sample, at) => [sample, ids[at] as number]));
}

function writeVariants(
  store: EvalStore,
  set: number,
  task: number,
  rows: readonly ImportedTrial[],
): ReadonlyMap<string, number> {
  const names = [...new Set(rows.map(({ variant }) => variant))];
  const ids = store.insert(
    "eval_variant",
    names.map((name) => {
      const body = canonicalJson(Dict.of({ name, body: new Dict() }));
      return { eval_set: set, task, key: encodePart(name), digest: store.digest(body), body };
    }),
  );
  return new Map(names.map((name, at) => [name, ids[at] as number]));
}

interface ImportPlace {
  readonly id: number;
  readonly samples: ReadonlyMap<string, number>;
  readonly variants: ReadonlyMap<string, number>;
  readonly now: number;
  readonly from: number;
}

function writeTrials(store: EvalStore, place: ImportPlace, rows: readonly ImportedTrial[]): void {
  const pieces = new Pieces(store.digest);
  const ids = store.insert(
    "eval_trial",
    rows.map((row, at): NewRow => {
      const { text, messages, tools, world, turns, limit } = row;
      const known = { tools, world, limit, stop_reason: row.stopReason, turns: turns === 0 ? null : turns };
      const said = Object.entries(known).filter(([, value]) => value !== null);
      const outcome = canonicalJson(fromJson({ text, messages, ...Object.fromEntries(said) }));
      return {
        eval_set: place.id,
        sample: place.samples.get(row.sample) as number,
        variant: place.variants.get(row.variant) as number,
        epoch: row.epoch,
        streams: "{}",
        kind: "epoch",
        ord: place.from + at,
        state: row.error === null ? "done" : "errored",
        digest: "",
        run: null,
        outcome: pieces.keep(outcome),
        error: row.error,
        category: row.error === null ? null : "provider",
        input_tokens: row.inputTokens,
        output_tokens: row.outputTokens,
        cost: row.costUsd,
        working_ms: Math.round(row.workingMs),
        wall_ms: Math.round(row.wallMs ?? row.workingMs),
        turns,
        limit_hit: limit,
        began: row.began ?? place.now,
        ended: row.ended ?? place.now,
        attempts: 1,
      };
    }),
    pieces,
  );
  const said = new Pieces(store.digest);
  const scores = rows.flatMap((row, at) =>
    row.scores.map(({ scorer, value, pass, label, why }) => ({
      table: "eval_score" as const,
      row: {
        eval_set: place.id,
        trial: ids[at] as number,
        scorer,
        version: 1,
        draw: 1,
        value,
        pass: pass === null ? null : Number(pass),
        label,
        body: why === null ? null : said.keep(canonicalJson(Dict.of({ why }))),
        run: null,
        cost: 0,
      },
    })),
  );
  store.write(scores, said);
}
