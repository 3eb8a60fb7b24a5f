/** `eventStream()`: the events of a run as server-sent events, in our form or in that of AI SDK. */
import { eventStreamHeaders, serverSentEvent, takenBody } from "../../server/sent-events.ts";
import { calledBy } from "../handles/call-site.ts";
import {
  checkGiven,
  checkWord,
  countFrom,
  type Kinds,
  oneOfWords,
  run as runKind,
} from "../option-checks.ts";
import type { Run, RunEvent } from "../types.ts";
import { aiSdkChunks } from "./ai-sdk-chunks.ts";

export interface EventStreamOptions {
  /**
   * `harn`: the events as they are (docs/events.md), each of the log with its number as `id`. `ai-sdk`: the UI message stream of AI SDK,
   * which `useChat` reads. `harn` unless given.
   */
  readonly format?: "harn" | "ai-sdk";
  /** Of `harn`: the last event that the client has, from its `Last-Event-ID`; only later ones are sent. */
  readonly after?: number;
}

const kinds: Kinds<EventStreamOptions> = { format: oneOfWords("harn", "ai-sdk"), after: countFrom(0) };

/**
 * A `Response` with what happens in a run, from its beginning to its end. A client that goes away stops nothing: the run goes on, and
 * another stream of it begins where it is asked to. A run that should end with its client is stopped by its `signal`.
 */
export function eventStream(run: Run<unknown>, options: EventStreamOptions = {}): Response {
  return calledBy(eventStream, () => {
    checkWord("eventStream", "the first argument", run, runKind);
    checkGiven("eventStream", options, kinds);
    const { format = "harn", after = 0 } = options;
    return format === "harn" ? ownStream(run, after) : aiSdkStream(run);
  });
}

function ownStream(run: Run<unknown>, after: number): Response {
  const events = run[Symbol.asyncIterator]();
  const { body } = takenBody<RunEvent>({
    events,
    write: (event) =>
      event.seq !== null && event.seq <= after
        ? ""
        : serverSentEvent(event.type, event, event.seq ?? undefined),
    onCut: () => detach(events),
  });
  return new Response(body, { headers: eventStreamHeaders });
}

function aiSdkStream(run: Run<unknown>): Response {
  const events = aiSdkChunks(run);
  const { body } = takenBody({
    events,
    write: (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    last: "data: [DONE]\n\n",
    onCut: () => detach(events),
  });
  return new Response(body, { headers: { ...eventStreamHeaders, "x-vercel-ai-ui-message-stream": "v1" } });
}

/** It may wait for the next event: nobody waits for it. */
const detach = (events: AsyncIterator<unknown>): void => void events.return?.()?.catch(() => {});
