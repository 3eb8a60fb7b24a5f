/**
 * The sender's side of a run on workers: it is noted as elsewhere, put into the database, handed to the engine, followed, and brought
 * back when it is over. Each step may be done again: whoever finds it half done goes on.
 *
 *     begin or resume here ─▶ noted ─▶ put ─▶ started ─▶ followed ─▶ over ─▶ its journal and questions are here, and no note
 */
import { setTimeout as pause } from "node:timers/promises";
import type { EndRecord, Journal } from "../effects/index.ts";
import { exitCode } from "../host/command/index.ts";
import { carriedRun, takeCarriedRun } from "../store/copies/index.ts";
import type { KeptQuestion, Store } from "../store/index.ts";
import { isJsonObject, type Json } from "../values/index.ts";
import type { Cluster } from "./open.ts";
import type { JobEnd, OutputPiece } from "./ports.ts";
import { orderJson, type RunOrder } from "./run-order.ts";

/** What the note of a run that is elsewhere says. */
interface ElsewhereNote {
  /** Up to which piece its output was printed here; null: nobody has asked yet what was printed when it was elsewhere before. */
  readonly seen: number | null;
  /** The engine has it: an end that it tells is that of this time. */
  readonly isSent: boolean;
}

/** Noted before anything is sent: what has begun here goes on there alone. */
export function noteHandedOver(store: Store, run: string): void {
  store.runs.elsewhere.note(run, { seen: null, isSent: false } satisfies ElsewhereNote);
}

export function handOverNote(store: Store, run: string): ElsewhereNote | undefined {
  const note = store.runs.elsewhere.noteOf(run);
  if (note === undefined) return undefined;
  const { seen, isSent } = isJsonObject(note) ? note : {};
  return { seen: typeof seen === "number" ? seen : null, isSent: isSent === true };
}

/** Somebody else may have brought it back meanwhile. */
function changeNote(store: Store, run: string, changed: Partial<ElsewhereNote>): void {
  const note = handOverNote(store, run);
  if (note !== undefined) store.runs.elsewhere.renote(run, { ...note, ...changed });
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
  if (handOverNote(store, run)?.seen === null)
    changeNote(store, run, { seen: (await journals.output(run, 0)).at(-1)?.at ?? 0 });
  await journals.put({ ...job, answers, runs: [carried], order: { flags: job.flags } });
  await engine.start(job);
  changeNote(store, run, { isSent: true });
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
  let seen = handOverNote(store, run)?.seen ?? 0;
  for (let wait = quickLookMs; ; wait = Math.min(2 * wait, slowLookMs)) {
    const isLast = end !== undefined;
    const pieces = await unlessUnreachable(() => journals.output(run, seen), away);
    if (signal.aborted) return undefined;
    if (failure !== undefined) throw failure.error;
    for (const piece of pieces ?? []) print(piece);
    const last = pieces?.at(-1);
    if (last !== undefined) {
      seen = last.at;
      changeNote(store, run, { seen });
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

const waitUnlessLeft = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => {});

/** A run that is here again. */
export interface BroughtBack {
  readonly exitCode: number;
  /** What it ended with; `undefined`: it was broken off. */
  readonly reason: EndRecord["reason"] | undefined;
  /** What the engine said when it gave up. */
  readonly words?: string | undefined;
}

/** The journal of a job that is over, with the questions that it waits with. Whoever finds it here already changes nothing. */
export async function bringBack(
  { journals }: Pick<Cluster, "journals">,
  store: Store,
  run: string,
  end: JobEnd,
): Promise<BroughtBack> {
  const fetched = await journals.fetch(run);
  const [carried] = fetched?.runs ?? [];
  store.withJournals(() => {
    if (store.runs.elsewhere.noteOf(run) === undefined) return;
    store.runs.elsewhere.forget(run);
    if (carried !== undefined) takeCarriedRun(store, carried);
    if (fetched?.result !== undefined) store.runs.questions.replace(run, questionsIn(fetched.result));
  });
  const last = lastEndOf(store.runs.read(run));
  if (end.kind === "failed") return { exitCode: exitCode.failed, reason: last?.reason, words: end.words };
  const code = end.kind === "done" ? end.result.exitCode : (last?.code ?? exitCode.terminated);
  return { exitCode: code, reason: last?.reason };
}

/** The run goes on here or is handed over anew: nothing of it was sent, or nobody knows it any more. */
export function takeRunBack(store: Store, run: string): void {
  store.runs.elsewhere.forget(run);
}

const questionsIn = (bytes: Uint8Array): KeptQuestion[] =>
  JSON.parse(new TextDecoder().decode(bytes)) as KeptQuestion[];

/** `undefined`: it could go on from where its records end. */
function lastEndOf(journal: Journal): EndRecord | undefined {
  const last = journal.records.at(-1);
  return last?.t === "end" ? last : undefined;
}
