/**
 * The events of a recorded run, made again from its journal: the run is played unseen, with nothing outside touched, and
 * what its agents do is emitted as `docs/events.md` has it. A run that was cut off is shown up to there.
 */
import { envelopeOfEvent, isDurable, type RunEvent, runEvents } from "../../events/index.ts";
import { problemError, type UsageError } from "../../host/command/index.ts";
import { agentOutcome, type Console, onState } from "../../interp/index.ts";
import { type Replay, recordedReplay } from "../../run/index.ts";
import type { DurableEnvelope } from "../index.ts";
import { RecordedClock } from "./recorded-clock.ts";

export interface RecordedEvents {
  readonly run: string;
  /** The name of its script. */
  readonly title: string;
  readonly events: readonly DurableEnvelope[];
  /** Why it could not be replayed to where it ended. */
  readonly problem: UsageError | undefined;
}

const silent: Console = { write: () => {}, writeError: () => {} };

/** Of a run of the store or of a file; `undefined` when its script does not compile, which has been reported. `began`: ms. */
export async function recordedEvents(which: string, began: number): Promise<RecordedEvents | undefined> {
  const recorded: RunEvent[] = [];
  const wirings = [
    onState(runEvents, (events) =>
      events.subscribe((event) => isDurable(event.type) && recorded.push(event)),
    ),
  ];
  const replay = await recordedReplay(which, { console: silent, wirings });
  if (replay === undefined) return undefined;
  const { header } = replay.journal;
  const end = await endOf(replay);
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
  return { run: header.run, title: script, events, problem: end.problem };
}

interface RunEndEvent {
  /** Absent: where it was stopped is not known. */
  readonly data?: {
    readonly status: string;
    readonly exit_code: number | null;
    readonly error: string | null;
    readonly outcome?: string | null;
  };
  readonly problem?: UsageError;
}

/** Plays it; how it ended. */
export async function endOf(replay: Replay): Promise<RunEndEvent> {
  const ended = await replay.play();
  if (ended.kind === "problem") {
    const data = { status: "interrupted", exit_code: null, error: null };
    return ended.problem.kind === "ended-early" ? { data } : { data, problem: problemError(ended.problem) };
  }
  const { outcome } = ended;
  const recorded = replay.journal.records.findLast((record) => record.t === "end");
  if (ended.kind === "stopped" || recorded === undefined)
    return { data: { status: "interrupted", exit_code: recorded?.code ?? null, error: null } };
  const status = recorded.code === 75 ? "waiting" : recorded.code === 0 ? "done" : "failed";
  const { bad } = replay.runtime.state(agentOutcome);
  const why = outcome?.error?.text ?? bad?.why;
  const error = why === undefined ? null : replay.shown(why);
  return { data: { status, exit_code: recorded.code, error, outcome: bad?.status ?? null } };
}
