/**
 * The sender's side of a run on workers: it is noted as elsewhere, put into the database, handed to the engine, followed, and brought
 * back when it is over. Each step may be done again: whoever finds it half done goes on.
 *
 *     begin or resume here ─▶ noted ─▶ put ─▶ started ─▶ followed ─▶ over ─▶ its journal and questions are here, and no note
 */
import { setTimeout as pause } from "node:timers/promises";
import type { EndRecord, Journal } from "../effects/index.ts";
import { exitCode, typedCommand, UsageError } from "../host/command/index.ts";
import { nodeSeed } from "../host/index.ts";
import { carriedRun, takeCarriedRun } from "../store/copies/index.ts";
import { type KeptQuestion, type Store, StoreError } from "../store/index.ts";
import { isJsonObject, type Json } from "../values/index.ts";
import type { Cluster } from "./open.ts";
import type { JobEnd, OutputPiece } from "./ports.ts";
import { orderJson, type RunOrder } from "./run-order.ts";

/** What the note of a run that is elsewhere says. */
interface ElsewhereNote {
  /** Of this time that it was handed over: who comes late to it leaves the next one alone. */
  readonly id: string;
  /** Up to which piece its output was printed here; null: nobody has asked yet what was printed when it was elsewhere before. */
  readonly seen: number | null;
  /** The engine has it: an end that it tells is that of this time. */
  readonly isSent: boolean;
}

/** Noted before anything is sent: what has begun here goes on there alone. */
export function noteHandedOver(store: Store, run: string): void {
  store.runs.elsewhere.note(run, { id: nodeSeed(), seen: null, isSent: false } satisfies ElsewhereNote);
}

export function handOverNote(store: Store, run: string): ElsewhereNote | undefined {
  const note = store.runs.elsewhere.noteOf(run);
  if (note === undefined) return undefined;
  const { id, seen, isSent } = isJsonObject(note) ? note : {};
  return { id: String(id), seen: typeof seen === "number" ? seen : null, isSent: isSent === true };
}

/** The note as somebody found it; `undefined`: the run was here. */
type FoundNote = ReturnType<typeof handOverNote>;

/** What is noted is still what somebody found: nobody else has brought it back meanwhile. */
const isStillNoted = (store: Store, run: string, note: FoundNote): boolean =>
  note !== undefined && handOverNote(store, run)?.id === note.id;

function changeNote(
  store: Store,
  run: string,
  note: FoundNote,
  changed: Pick<ElsewhereNote, "seen"> | Pick<ElsewhereNote, "isSent">,
): void {
  store.withJournals(() => {
    if (isStillNoted(store, run, note))
      store.runs.elsewhere.note(run, { ...handOverNote(store, run), ...changed } as Json);
  });
}

/** The same when it was half done. */
export async function handOver(
  { engine, journals }: Pick<Cluster, "engine" | "journals">,
  store: Store,
  run: string,
  order: RunOrder,
): Promise<void> {
  const carried = carriedRun(store, run);
  const kept = store.runs.questions.kept(run).filter(({ answer }) => answer !== null);
  const answers = Object.fromEntries(kept.map((one) => [one.place, one as unknown as Json]));
  const job = { kind: "run", name: run, flags: orderJson(order) } as const;
  const note = handOverNote(store, run);
  if (note?.seen === null)
    changeNote(store, run, note, { seen: (await journals.output(run, 0)).at(-1)?.at ?? 0 });
  await journals.put({ ...job, answers, runs: [carried], order: { flags: job.flags } });
  if (!isStillNoted(store, run, note)) {
    // It may go on here by now: nobody is to do it there.
    if (handOverNote(store, run) === undefined) await journals.closeJob(run);
    throw new StoreError("taken", `the run ${run} was taken back while it was handed over`);
  }
  await engine.start(job);
  changeNote(store, run, note, { isSent: true });
}

export interface FollowOptions {
  readonly print: (piece: OutputPiece) => void;
  /** Aborted when nobody wants to see more. */
  readonly signal: AbortSignal;
  /** The database does not answer; it is asked again. */
  readonly away: (error: unknown) => void;
}

const quickLookMs = 50;
const slowLookMs = 500;

/** Prints what the run prints, until it is over; `undefined`: nobody wants to see more. */
export async function follow(
  { engine, journals }: Pick<Cluster, "engine" | "journals">,
  store: Store,
  run: string,
  { print, signal, away }: FollowOptions,
): Promise<JobEnd | undefined> {
  let end: JobEnd | undefined;
  let failure: { readonly error: unknown } | undefined;
  const ended = engine.ended(run, signal).then(
    (found) => {
      end = found;
    },
    (error: unknown) => {
      failure = { error };
    },
  );
  const note = handOverNote(store, run);
  let seen = note?.seen ?? 0;
  for (let wait = quickLookMs; ; wait = Math.min(2 * wait, slowLookMs)) {
    const isLast = end !== undefined;
    const pieces = await unlessUnreachable(() => journals.output(run, seen), away);
    if (signal.aborted) return undefined;
    if (failure !== undefined) throw failure.error;
    for (const piece of pieces ?? []) print(piece);
    const last = pieces?.at(-1);
    if (last !== undefined) {
      seen = last.at;
      changeNote(store, run, note, { seen });
      wait = quickLookMs;
    } else if (isLast && pieces !== undefined) return end;
    if (last === undefined || !isLast)
      await Promise.race([waitUnlessLeft(wait, signal), isLast ? waitUnlessLeft(wait, signal) : ended]);
  }
}

async function unlessUnreachable<T>(
  ask: () => Promise<T>,
  away: (error: unknown) => void,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    away(error);
    return undefined;
  }
}

/** So long, or until nobody wants it any more. */
export const waitUnlessLeft = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => {});

/** A run that is here again. */
export interface BroughtBack {
  readonly exitCode: number;
  /** What it ended with; `undefined`: it was broken off. */
  readonly reason: EndRecord["reason"] | undefined;
  /** What the engine said when it gave up. */
  readonly words?: string | undefined;
}

/**
 * The journal of a job that is over, with the questions that it waits with. `note`: as it was before `end` was known: whoever finds the
 * run here already, or handed over once more, changes nothing.
 */
export async function bringBack(
  cluster: Pick<Cluster, "journals">,
  store: Store,
  run: string,
  { note, end }: { readonly note: FoundNote; readonly end: JobEnd },
): Promise<BroughtBack> {
  await takeRunBack(cluster, store, run, { note, mustBeThere: true });
  const last = lastEndOf(store.runs.read(run));
  if (end.kind === "failed") return { exitCode: exitCode.failed, reason: last?.reason, words: end.words };
  const code = end.kind === "done" ? end.result.exitCode : (last?.code ?? exitCode.terminated);
  return { exitCode: code, reason: last?.reason };
}

/** What it has done there would be done again. */
export const lostRun = (run: string): UsageError =>
  new UsageError(
    `engine and database know nothing of ${run} any more: it ended there long ago, or both were lost\n  \`${typedCommand(`runs stop ${run}`)}\` takes it back as it is here, without what it did there`,
    "HARN-CLU-010",
  );

/**
 * Nobody goes on with it there from now on: what was done is here, and the note goes. Gives whether more was done there than was known
 * here; `undefined`: somebody else has taken it back. `mustBeThere`: without a copy of it the note stays, and that is thrown.
 */
export async function takeRunBack(
  { journals }: Pick<Cluster, "journals">,
  store: Store,
  run: string,
  { note, mustBeThere = false }: { readonly note: FoundNote; readonly mustBeThere?: boolean },
): Promise<boolean | undefined> {
  if (!isStillNoted(store, run, note)) return undefined;
  await journals.closeJob(run);
  const fetched = await journals.fetch(run);
  const [carried] = fetched?.runs ?? [];
  if (carried === undefined && mustBeThere) throw lostRun(run);
  return store.withJournals(() => {
    if (!isStillNoted(store, run, note)) return undefined;
    store.runs.elsewhere.forget(run);
    // It may have gone on here, and not have come there since.
    const known = store.runs.readable(run).journal.records.length;
    const more = carried === undefined ? -1 : carried.journal.records.length - known;
    if (carried !== undefined && more >= 0) takeCarriedRun(store, carried);
    if (fetched?.result !== undefined && (note?.isSent === true || more > 0))
      store.runs.questions.replace(run, questionsIn(fetched.result));
    return more > 0;
  });
}

/** After a hand-over that failed: the run is here again, unless somebody may have it. `note`: the one that was made for it. */
export async function takeBackUnlessOpen(
  cluster: Pick<Cluster, "engine" | "journals">,
  store: Store,
  run: string,
  note: FoundNote,
): Promise<"elsewhere" | "untouched" | "further"> {
  try {
    if (await cluster.engine.isOpen(run)) return "elsewhere";
    const hasMore = await takeRunBack(cluster, store, run, { note });
    return hasMore === undefined ? "elsewhere" : hasMore ? "further" : "untouched";
  } catch {
    return "elsewhere";
  }
}

const questionsIn = (bytes: Uint8Array): KeptQuestion[] =>
  JSON.parse(new TextDecoder().decode(bytes)) as KeptQuestion[];

/** `undefined`: it could go on from where its records end. */
function lastEndOf(journal: Journal): EndRecord | undefined {
  const last = journal.records.at(-1);
  return last?.t === "end" ? last : undefined;
}
