/** An answer that is made while its client takes it, and that may be cut off. */

import type { RequestContext } from "../context.ts";
import { eventStreamHeaders, takenBody } from "../sent-events.ts";

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

export function answerStream<T>(
  { services, isAllowed }: RequestContext,
  { onRevoked, ...events }: AnswerStreamOptions<T>,
): Response {
  let leave = (): void => {};
  const { body, close } = takenBody({ ...events, onOver: () => leave() });
  const revoke = (): void => {
    close();
    onRevoked();
  };
  leave = services.streams.watch({ close: revoke }, isAllowed);
  return new Response(body, { headers: eventStreamHeaders });
}

/** Closing the connection is the only way to stop that these clients have. */
export function stopCut({ services, principal }: RequestContext, conversation: string): void {
  services.supervisor
    .interrupt({ target: { conversation }, by: principal.name, reason: "the connection was closed" })
    // Nobody is there to be told; the conversation may be gone, too.
    .catch(() => {});
}
