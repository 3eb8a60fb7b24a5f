/** An answer that is made while its client takes it, and that may be cut off. */
import type { RequestContext } from "../context.ts";

export interface AnswerStreamOptions<T> {
  readonly events: AsyncGenerator<T>;
  readonly write: (event: T) => string;
  /** After the last event. */
  readonly last?: string;
  /** The client has gone before the end. */
  readonly onCut: () => void;
}

const pingMs = 10_000;

const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

export function answerStream<T>({ events, write, last, onCut }: AnswerStreamOptions<T>): Response {
  let isGone = false;
  const encoder = new TextEncoder();
  let ping: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // Only a comment: proxies and clients see that somebody is there.
      ping = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": ping\n\n"));
      }, pingMs);
      ping.unref();
    },
    pull: async (controller) => {
      try {
        const next = await events.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(write(next.value)));
          return;
        }
        clearInterval(ping);
        if (isGone) return;
        if (last !== undefined) controller.enqueue(encoder.encode(last));
        controller.close();
      } catch (error) {
        clearInterval(ping);
        controller.error(error);
      }
    },
    cancel: () => {
      clearInterval(ping);
      isGone = true;
      onCut();
    },
  });
  return new Response(body, { headers: eventStreamHeaders });
}

/** Closing the connection is the only way to stop that these clients have. */
export function stopCut({ services, principal }: RequestContext, conversation: string): void {
  services.supervisor
    .interrupt({ target: { conversation }, by: principal.name, reason: "the connection was closed" })
    // Nobody is there to be told; the conversation may be gone, too.
    .catch(() => {});
}
