/**
 * The events of a recorded run, made again from its journal: the run is played unseen, with nothing outside touched, and
 * what its agents do is emitted as `docs/events.md` has it. A run that was cut off is shown up to there; one that is at work has no end.
 */
import type { EndRecord, Journal } from "../../effects/index.ts";
import { envelopeOfEvent, isDurable, type RunEvent, runEvents } from "../../events/index.ts";
import { problemError, type UsageError } from "../../host/command/index.ts";
import { agentOutcome, type Console, onState } from "../../interp/index.ts";
import { type Replay, recordedReplay } from "../../run/index.ts";
import type { StoredRunSummary } from "../../store/index.ts";
import type { DurableEnvelope } from "../index.ts";
import { RecordedClock } from "./recorded-clock.ts";

export interface RecordedEvents {
  readonly run: string;
  /** The name of its script. */
  readonly title: string;
  readonly events: readonly DurableEnvelope[];
  /** It goes on: the events are those so far. */
  readonly isAtWork: boolean;
  /** Why it could not be replayed to where it ended. */
  readonly problem: UsageError | undefined;
}

const silent: Console = { write: () => {}, writeError: () => {} };

/** What the store knows of a run, asked before its journal is read: one that ends meanwhile is shown with its end. */
export interface RunSeen {
  /** Milliseconds since the epoch. */
  readonly began: number;
  /** A process works on it, here or on a worker. */
  readonly isAtWork: boolean;
}

export const seenRun = ({
  began,
  state,
  isOnWorkers,
}: Pick<StoredRunSummary, "began" | "state" | "isOnWorkers">): RunSeen => ({
  began,
  isAtWork: state === "running" || isOnWorkers,
});

/** Of a run of the store or of a file; `undefined` when its script does not compile, which has been reported. */
export async function recordedEvents(
  which: string,
  { began, isAtWork }: RunSeen,
): Promise<RecordedEvents | undefined> {
  const recorded: RunEvent[] = [];
  const wirings = [
    onState(runEvents, (events) =>
      events.subscribe((event) => isDurable(event.type) && recorded.push(event)),
    ),
  ];
  const replay = await recordedReplay(which, { console: silent, wirings, looks: true });
  if (replay === undefined) return undefined;
  const { header } = replay.journal;
  const end = await replayEnd(replay, isAtWork);
  const clock = new RecordedClock(began);
  const script = header.entry.slice(header.entry.lastIndexOf("/") + 1);
  const events: DurableEnvelope[] = [];
  const push = (at: number, event: object): void => {
    const placed = { loop: null, parent: null, turn: 0, call: null, ...event };
    const stamp = { v: 1, seq: events.length + 1, at, conversation: null, run: header.run };
    events.push({ ...stamp, ...placed } as unknown as DurableEnvelope);
  };
  push(began, { type: "run.start", data: { message: null, agent: script } });
  for (const event of recorded) {
    const envelope = envelopeOfEvent(event);
    // Names of secrets, as in the journal: a replay has the values.
    if (envelope !== null)
      push(clock.at(event), JSON.parse(replay.shown(JSON.stringify(envelope))) as object);
  }
  if (end.data !== undefined) push(clock.now, { type: "run.end", data: end.data });
  return { run: header.run, title: script, events, isAtWork: end.data === undefined, problem: end.problem };
}

interface RunEndEvent {
  /** Absent: it goes on elsewhere. */
  readonly data?: {
    readonly status: string;
    readonly exit_code: number | null;
    readonly error: string | null;
    readonly outcome?: string | null;
  };
  readonly problem?: UsageError;
}

/** Plays it; how it ended. `isAtWork`: `RunSeen`. */
export async function replayEnd(replay: Replay, isAtWork: boolean): Promise<RunEndEvent> {
  const ended = await replay.play();
  const recorded = endRecordOf(replay.journal);
  const isOpen = isAtWork && recorded === undefined;
  if (ended.kind === "problem") {
    const data = { status: "interrupted", exit_code: null, error: null };
    if (ended.problem.kind !== "ended-early") return { data, problem: problemError(ended.problem) };
    return isOpen ? {} : { data };
  }
  if (isOpen) return {};
  const { outcome } = ended;
  if (ended.kind === "stopped" || recorded === undefined)
    return { data: { status: "interrupted", exit_code: recorded?.code ?? null, error: null } };
  const status = recorded.code === 75 ? "waiting" : recorded.code === 0 ? "done" : "failed";
  const { bad } = replay.runtime.state(agentOutcome);
  const why = outcome?.error?.text ?? bad?.why;
  const error = why === undefined ? null : replay.shown(why);
  return { data: { status, exit_code: recorded.code, error, outcome: bad?.status ?? null } };
}

/** The end of a run is none any more once it went on. */
function endRecordOf({ records }: Journal): EndRecord | undefined {
  const last = records.findLast(({ t }) => t === "end" || t === "resume");
  return last?.t === "end" ? last : undefined;
}
