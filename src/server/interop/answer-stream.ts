/** An answer that is made while its client takes it, and that may be cut off. */
import type { RequestContext } from "../context.ts";

export interface AnswerStreamOptions<T> {
  readonly events: AsyncGenerator<T>;
  readonly write: (event: T) => string;
  /** After the last event. */
  readonly last?: string;
  /** The client has gone before the end. */
  readonly onCut: () => void;
  /** Its token or login has ended: what it is told ends, what it asked for goes on. */
  readonly onRevoked: () => void;
}

const pingMs = 10_000;

const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

export function answerStream<T>(
  { services, isAllowed }: RequestContext,
  { events, write, last, onCut, onRevoked }: AnswerStreamOptions<T>,
): Response {
  let isGone = false;
  let leave = (): void => {};
  const encoder = new TextEncoder();
  let ping: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // Only a comment: proxies and clients see that somebody is there.
      ping = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": ping\n\n"));
      }, pingMs);
      ping.unref();
      const close = (): void => {
        leave();
        clearInterval(ping);
        isGone = true;
        onRevoked();
        controller.close();
      };
      leave = services.streams.watch({ close }, isAllowed);
    },
    pull: async (controller) => {
      try {
        const next = await events.next();
        if (isGone) return;
        if (next.done !== true) {
          controller.enqueue(encoder.encode(write(next.value)));
          return;
        }
        leave();
        clearInterval(ping);
        if (last !== undefined) controller.enqueue(encoder.encode(last));
        controller.close();
      } catch (error) {
        leave();
        clearInterval(ping);
        controller.error(error);
      }
    },
    cancel: () => {
      leave();
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
