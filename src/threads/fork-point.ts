/** Where a fork of a conversation leaves the run that it goes like: the first step after an event of its log. */
import { type HistoryStep, resumePoint, stepsInWords, stepsOf } from "../effects/index.ts";
import { type Store, StoreError, type StreamEvent } from "../store/index.ts";

export interface ForkPoint {
  readonly run: string;
  /** The last event that both share. */
  readonly event: number;
  /** Number of the first step that is done anew, from 1, as `harn runs show` counts. */
  readonly step: number;
  /** What that step is: `llm.call`. */
  readonly kind: string;
}

/** Whether people can say what a step gives: not what a program reads of itself and of the conversation. */
export const canBeAnswered = ({ kind }: Pick<HistoryStep, "kind">): boolean =>
  !/^(?:clock\.|conversation\.|llm\.setup$)/.test(kind);

/** Events are looked through so many at a time. */
const pageSize = 1000;

/** Throws a `StoreError` "invalid" when there is no such event, or no step after it (that is wanted). */
export function forkPointOf(
  store: Store,
  conversation: string,
  event: number,
  isWanted: (step: HistoryStep) => boolean = () => true,
): ForkPoint {
  const head = store.streams.last(conversation);
  if (!Number.isInteger(event) || event < 1 || event > head)
    throw new StoreError("invalid", `there is no event ${event}: the log has ${head}`);
  const { run, records } = placeAt(store, conversation, event);
  const steps = stepsOf(resumePoint(store.runs.read(run)).history);
  const step = steps.find((one) => one.at >= records && isWanted(one));
  if (step === undefined)
    throw new StoreError(
      "invalid",
      `the run ${run} has no step after event ${event}: there is nothing to do anew`,
    );
  return { run, event, step: step.number, kind: step.kind };
}

/** The point after which a step is the first. */
export function forkPointBefore(store: Store, conversation: string, run: string, step: number): ForkPoint {
  const steps = stepsOf(resumePoint(store.runs.read(run)).history);
  const found = steps[step - 1];
  if (found === undefined)
    throw new StoreError("invalid", `the run ${run} has ${stepsInWords(steps)}, there is no step ${step}`);
  let event = 0;
  for (const one of eventsUpTo(store, conversation, Number.POSITIVE_INFINITY)) {
    const at = placeOfEvent(one);
    if (one.type === "run.start" && at.run === run) event = one.seq;
    if (at.run === run && at.records !== undefined && at.records <= found.at) event = one.seq;
  }
  return { run, event, step, kind: found.kind };
}

/** The run at work at an event, and how many records its journal had come to. */
function placeAt(
  store: Store,
  conversation: string,
  event: number,
): { readonly run: string; readonly records: number } {
  let run: string | undefined;
  let records = 0;
  for (const one of eventsUpTo(store, conversation, event)) {
    const at = placeOfEvent(one);
    if (one.type === "run.start" && at.run !== undefined) {
      run = at.run;
      records = 0;
    }
    if (at.run === run && at.records !== undefined) records = Math.max(records, at.records);
  }
  if (run !== undefined) return { run, records };
  throw new StoreError("invalid", `no run had begun at event ${event}: there is nothing to fork`);
}

function* eventsUpTo(store: Store, stream: string, last: number): Generator<StreamEvent> {
  for (let after = 0; ; ) {
    const events = store.streams.after(stream, after, pageSize);
    for (const event of events) {
      if (event.seq > last) return;
      yield event;
    }
    if (events.length < pageSize) return;
    after = events.at(-1)?.seq ?? after;
  }
}

const placeOfEvent = ({ body }: StreamEvent): { readonly run?: string; readonly records?: number } =>
  body as { readonly run?: string; readonly records?: number };
