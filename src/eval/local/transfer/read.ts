/** Takes a set from a file into this store, all of it or nothing. The file may come from anybody. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { pathText, schemaWords } from "../../../diagnostics/index.ts";
import type { EvalTables } from "../../../durable/index.ts";
import {
  type Journal,
  JournalProblem,
  type JournalRecord,
  journalFormat,
  oldestFormat,
  type RunHeader,
  recordProblem,
} from "../../../effects/index.ts";
import { nodeDigest } from "../../../host/index.ts";
import { isSealed, type Store } from "../../../store/index.ts";
import {
  isJsonObject,
  type Json,
  jsonNestsTooDeep,
  maxJsonDepth,
  wellFormedJson,
} from "../../../values/index.ts";
import { type EvalStore, type NewRow, Pieces, type SetSpec, usualOptions } from "../../engine/index.ts";
import { ImportProblem, mustBeDistinct, reportOf, storedSetOf, summaryText } from "../../report/index.ts";
import {
  archiveFormat,
  headShape,
  journalShape,
  type LargeTable,
  pieceShape,
  rowShapes,
  sealedText,
  sealShape,
} from "./layout.ts";
import { membersOfZip, type ZipMember } from "./zip-file.ts";

/** Rows that are written at once. */
const batch = 1000;

/** Gives the name of the set, and how many trials it has. Throws an `ImportProblem`. */
export function importSetFile(
  files: Store,
  store: EvalStore,
  bytes: Buffer,
  asked: string | undefined,
): { readonly name: string; readonly trials: number } {
  const members = membersOfZip(bytes);
  mustBeSealed(members);
  const archive = new SetArchive(members);
  const head = checked(headShape, archive.json("set.json"), "set.json");
  const name = asked ?? head.set.name;
  if (store.set(name) !== undefined)
    throw new ImportProblem(
      `it holds the set ${name}, and one is called so already; --set names it otherwise`,
    );
  return store.together(() => {
    const taken = new TakenSet(files, store, archive, head, name);
    const trials = taken.take();
    mustBeShown(store, name);
    return { name, trials };
  });
}

function mustBeSealed(members: readonly ZipMember[]): void {
  const last = members.at(-1);
  if (last?.name !== "seal.json")
    throw new ImportProblem("it has no seal: it is not a set, or not all of it");
  const seal = checked(sealShape, parsed(last.read().toString("utf8"), last.name), last.name);
  const digests = members
    .slice(0, -1)
    .map((member) => [member.name, createHash("sha256").update(member.read()).digest("hex")] as const);
  if (!isSealed(sealedText(digests), seal))
    throw new ImportProblem(
      "it was changed after it was written: its seal does not match; export the set once more",
    );
}

/** Rows may fit one by one and make no set: what can't be shown is not taken in. */
function mustBeShown(store: EvalStore, name: string): void {
  try {
    const row = store.set(name);
    if (row !== undefined) summaryText(reportOf(storedSetOf(store, row)), { setName: name });
  } catch {
    throw new ImportProblem("what it says of its tasks makes no set");
  }
}

function parsed(text: string, place: string): Json {
  if (jsonNestsTooDeep(text)) throw new ImportProblem(`${place} nests deeper than ${maxJsonDepth}`);
  try {
    return JSON.parse(wellFormedJson(text)) as Json;
  } catch {
    throw new ImportProblem(`${place} is not JSON`);
  }
}

function checked<T extends z.ZodType>(shape: T, value: Json, place: string): z.infer<T> {
  const found = shape.safeParse(value, { error: schemaWords });
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  if (isJsonObject(value) && typeof value.format === "number" && value.format > archiveFormat)
    throw new ImportProblem(
      `it has format ${value.format}, this version of harn reads up to ${archiveFormat}`,
    );
  const path = pathText("", issue?.path ?? []);
  throw new ImportProblem(`${place}: ${path === "" ? "it" : path} ${issue?.message ?? "does not fit"}`);
}

class SetArchive {
  private readonly members: readonly ZipMember[];

  constructor(members: readonly ZipMember[]) {
    this.members = members;
  }

  json(name: string): Json {
    const member = this.members.find((one) => one.name === name);
    if (member === undefined) throw new ImportProblem(`it has no member ${name}`);
    return parsed(member.read().toString("utf8"), name);
  }

  /** Lines of all parts, with where each stands. */
  *lines(what: string): Generator<{ readonly json: Json; readonly place: string }> {
    for (const member of this.members) {
      if (!member.name.startsWith(`${what}-`)) continue;
      for (const [at, line] of member.read().toString("utf8").split("\n").entries()) {
        const place = `${member.name}, line ${at + 1}`;
        if (line !== "") yield { json: parsed(line, place), place };
      }
    }
  }
}

class TakenSet {
  private readonly files: Store;
  private readonly store: EvalStore;
  private readonly archive: SetArchive;
  private readonly head: z.infer<typeof headShape>;
  private readonly name: string;
  private readonly texts = new Map<string, string>();
  private readonly runs = new Map<string, string>();
  private set = 0;
  private tasks: ReadonlyMap<number, number> = new Map();
  private variants: ReadonlyMap<number, number> = new Map();
  private samples: ReadonlyMap<number, number> = new Map();
  private trials: ReadonlyMap<number, number> = new Map();

  constructor(
    files: Store,
    store: EvalStore,
    archive: SetArchive,
    head: z.infer<typeof headShape>,
    name: string,
  ) {
    this.files = files;
    this.store = store;
    this.archive = archive;
    this.head = head;
    this.name = name;
  }

  take(): number {
    this.importPieces();
    const { set, tasks, variants } = this.head;
    const spec = this.specOf(set.spec);
    this.set = this.insert("eval_set", [{ ...set, name: this.name, plan: null, spec: "{}" }])[0] as number;
    this.tasks = this.numbered("eval_task", tasks, ({ id: _id, ...row }) => ({ ...row, eval_set: this.set }));
    this.variants = this.numbered("eval_variant", variants, ({ id: _id, ...row }) => ({
      ...row,
      eval_set: this.set,
      task: found(this.tasks, row.task, "task"),
    }));
    this.samples = this.numbered("eval_sample", this.rows("eval_sample"), ({ id: _id, ...row }) => ({
      ...row,
      eval_set: this.set,
      task: found(this.tasks, row.task, "task"),
    }));
    const trials = [...this.rows("eval_trial")];
    mustBeDistinct(
      trials.map(({ sample, variant, epoch, streams, kind }) => [sample, variant, epoch, streams, kind]),
      "rows of eval_trial",
    );
    const placed = (row: (typeof trials)[number], run: string | null): NewRow => ({
      ...row,
      eval_set: this.set,
      sample: found(this.samples, row.sample, "sample"),
      variant: found(this.variants, row.variant, "variant"),
      run,
    });
    this.trials = this.numbered("eval_trial", trials, ({ id: _id, ...row }) =>
      withoutId(placed({ ...row, id: 0 }, null)),
    );
    this.takeJournals();
    this.write("eval_trial", trials, (row) => ({
      ...placed(row, this.run(row.run)),
      id: found(this.trials, row.id, "trial"),
    }));
    for (const table of ["eval_attempt", "eval_score", "eval_label"] as const)
      this.write<NewRow & { readonly trial: number }>(table, this.rows(table) as never, (row) => ({
        ...row,
        trial: found(this.trials, row.trial, "trial"),
        ...(table === "eval_label" ? {} : { run: this.run(row.run as string | null) }),
        ...(table === "eval_score" ? { eval_set: this.set } : {}),
      }));
    const limits = [...this.rows("eval_limit")].map((row) => ({ ...row, eval_set: this.set }));
    this.insert("eval_limit", limits);
    const plan = this.runs.get(spec.plan) ?? "";
    this.store.write([
      {
        table: "eval_set",
        row: {
          ...set,
          id: this.set,
          name: this.name,
          plan: plan === "" ? null : plan,
          spec: JSON.stringify({ ...spec, plan }),
        },
      },
    ]);
    return trials.length;
  }

  /** What a set was asked for; of options that it lacks, and of such as make no sense, the usual ones count. */
  private specOf(text: string): SetSpec {
    const spec = parsed(text, "set.json: set.spec");
    if (!isJsonObject(spec) || typeof spec.plan !== "string" || !isJsonObject(spec.options))
      throw new ImportProblem("set.json: set.spec: it does not say what the set was asked for");
    const options = Object.entries(usualOptions).map(([name, usual]) => {
      const input = (spec.options as { readonly [name: string]: Json })[name];
      const isAlike = usual === null || typeof input === typeof usual;
      return [name, input === undefined || !isAlike ? usual : input];
    });
    return { ...(spec as unknown as SetSpec), options: Object.fromEntries(options) };
  }

  private importPieces(): void {
    for (const { json, place } of this.archive.lines("pieces")) {
      const { hash, text } = checked(pieceShape, json, place);
      if (nodeDigest(text) !== hash) throw new ImportProblem(`${place}: the text is not what its hash says`);
      parsed(text, place);
      this.texts.set(hash, text);
    }
  }

  private *rows<T extends LargeTable>(table: T): Generator<z.infer<(typeof rowShapes)[T]>> {
    for (const { json, place } of this.archive.lines(table))
      yield checked(rowShapes[table], json, place) as never;
  }

  /** Inserts rows; gives their new numbers by the old ones. */
  private numbered<T extends { readonly id: number }>(
    table: keyof EvalTables,
    rows: Iterable<T>,
    row: (of: T) => NewRow,
  ): Map<number, number> {
    const numbers = new Map<number, number>();
    for (const part of batches(rows)) {
      const made = this.insert(table, part.map(row));
      for (const [at, { id }] of part.entries()) numbers.set(id, made[at] as number);
    }
    return numbers;
  }

  private insert(table: keyof EvalTables, rows: readonly NewRow[]): readonly number[] {
    return this.store.insert(table, rows, this.piecesOf(rows));
  }

  private write<T>(table: keyof EvalTables, rows: Iterable<T>, row: (of: T) => NewRow): void {
    for (const part of batches(rows)) {
      const writes = part.map((one) => ({ table, row: row(one) }));
      this.store.write(writes, this.piecesOf(writes.map((one) => one.row)));
    }
  }

  /** The texts that rows refer to. */
  private piecesOf(rows: readonly NewRow[]): Pieces {
    const pieces = new Pieces((text) => nodeDigest(text));
    for (const { body, outcome } of rows)
      for (const hash of [body, outcome])
        if (typeof hash === "string" && this.texts.has(hash)) pieces.keep(this.texts.get(hash) as string);
        else if (typeof hash === "string" && /^[0-9a-f]{64}$/u.test(hash))
          throw new ImportProblem(`the text ${hash.slice(0, 12)}… is missing`);
    return pieces;
  }

  private run(name: string | null): string | null {
    return name === null ? null : (this.runs.get(name) ?? null);
  }

  // ── journals ────────────────────────────────────────────────────────────────────────────────────────────────────

  private takeJournals(): void {
    let open: { readonly about: z.infer<typeof journalShape>; readonly records: JournalRecord[] } | undefined;
    for (const { json, place } of this.archive.lines("journals")) {
      if (isJsonObject(json) && json.t === "journal") {
        if (open !== undefined) this.add(open.about, open.records);
        open = { about: checked(journalShape, json, place), records: [] };
        continue;
      }
      const problem = recordProblem(json as unknown as JournalRecord);
      if (open === undefined || problem !== undefined)
        throw new ImportProblem(`${place}: ${problem ?? "a record of no journal"}`);
      open.records.push(json as unknown as JournalRecord);
    }
    if (open !== undefined) this.add(open.about, open.records);
  }

  /** Under a name that is free here: those of trials begin with that of their set. */
  private add(about: z.infer<typeof journalShape>, [header, ...records]: readonly JournalRecord[]): void {
    const { name, trial, parent, shown } = about;
    if (header?.t !== "run" || !(header.format >= oldestFormat && header.format <= journalFormat))
      throw new ImportProblem(`the journal of ${name} has no header that this version of harn reads`);
    const number = trial === null ? null : found(this.trials, trial, "trial");
    const wanted =
      number === null
        ? name
        : `${this.name}.${number}${/(?:~\d+)?(?:\.(?:pair|min)-[\w-]+)?(?:\.score\d*)?$/u.exec(name)?.[0]}`;
    const own = this.freeName(wanted);
    const options = isJsonObject(header.options ?? null) ? (header.options as { [name: string]: Json }) : {};
    const address =
      typeof options.trial === "string" ? options.trial.replace(/^[^:]*/u, this.name) : undefined;
    const placed: RunHeader = {
      ...header,
      run: own,
      options: {
        ...options,
        ...(address === undefined ? {} : { trial: address }),
        ...(typeof options.plan === "string" ? { plan: this.runs.get(options.plan) ?? options.plan } : {}),
      },
    };
    const journal: Journal = { header: placed, records, shown };
    try {
      this.files.runs.add(journal, {
        ...(parent === null ? {} : { parent: this.runs.get(parent) ?? parent }),
        ...(number === null ? {} : { trial: number }),
      });
    } catch (error) {
      if (error instanceof JournalProblem)
        throw new ImportProblem(`the journal of ${name}: ${error.message}`);
      throw error;
    }
    this.runs.set(name, own);
  }

  private freeName(wanted: string): string {
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}-${n}`;
      if (!this.files.runs.has(name)) return name;
    }
  }
}

function found(numbers: ReadonlyMap<number, number>, id: number, what: string): number {
  const number = numbers.get(id);
  if (number === undefined) throw new ImportProblem(`a row refers to ${what} ${id}, which is not in it`);
  return number;
}

const withoutId = ({ id: _id, ...row }: NewRow): NewRow => row;

function* batches<T>(rows: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < batch) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
