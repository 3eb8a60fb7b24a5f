/** Server-sent events: how they are written, and a body of them that is made while its client takes it. */

export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
} as const;

/** One event; `id` only for what a log keeps: a client comes again with the last one that it has. */
export const serverSentEvent = (type: string, data: unknown, id?: number): string =>
  `event: ${type}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** A comment: proxies and clients see that somebody is there. */
const ping = ": ping\n\n";
const pingMs = 10_000;

export interface TakenEvents<T> {
  readonly events: AsyncIterator<T>;
  /** Its text; "" when nothing is said of it. */
  write(event: T): string;
  /** After the last event. */
  readonly last?: string | undefined;
  /** The client has gone before the end. */
  onCut(): void;
  /** Nothing more is sent, whoever ended it. */
  onOver?(): void;
}

export interface TakenBody {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends it in good order, before the events end. */
  close(): void;
}

export function takenBody<T>({ events, write, last = "", onCut, onOver }: TakenEvents<T>): TakenBody {
  const encoder = new TextEncoder();
  let isOver = false;
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const beat = setInterval(() => {
    if ((source?.desiredSize ?? 0) > 0) source?.enqueue(encoder.encode(ping));
  }, pingMs);
  // Only Node has timers that keep a process.
  (beat as { unref?: () => void }).unref?.();
  const over = (): void => {
    isOver = true;
    clearInterval(beat);
    onOver?.();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      source = controller;
    },
    pull: async (controller) => {
      try {
        let text = "";
        while (text === "") {
          const next = await events.next();
          if (isOver) return;
          if (next.done === true) {
            over();
            if (last !== "") controller.enqueue(encoder.encode(last));
            controller.close();
            return;
          }
          text = write(next.value);
        }
        controller.enqueue(encoder.encode(text));
      } catch (error) {
        if (isOver) return;
        over();
        controller.error(error);
      }
    },
    cancel: () => {
      over();
      onCut();
    },
  });
  const close = (): void => {
    if (isOver) return;
    over();
    source?.close();
  };
  return { body, close };
}
