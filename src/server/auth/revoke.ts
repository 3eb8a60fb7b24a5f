/** Taking a principal's access away, and what becomes of its runs: a program and a request do the same. */
import { type ConversationState, conversationStateNames } from "../../durable/index.ts";
import { uuid7 } from "../clock.ts";
import type { Services } from "../context.ts";

export interface Revocation {
  /** Who takes it away, for the record. */
  readonly by: string;
  /** Its runs go on; otherwise they are parked, and go on when somebody asks for it. */
  readonly keepsRuns: boolean;
}

/** Whether something of it may go on by itself. */
const isAtWork = {
  idle: false,
  queued: true,
  processing: true,
  waiting: true,
  interrupted: false,
  paused: false,
  failed: false,
} as const satisfies Record<ConversationState, boolean>;

/** The conversations that are parked; `undefined`: there is no such principal. Servers on the store act within 50 ms. */
export function revokePrincipal(
  { access, conversations, clock }: Pick<Services, "access" | "conversations" | "clock">,
  name: string,
  { by, keepsRuns }: Revocation,
): readonly string[] | undefined {
  return conversations.store.transaction(() => {
    // One whose token was revoked before may have runs that went on.
    const isKnown = access.revoke(name) || (!keepsRuns && access.list().some((one) => one.name === name));
    if (!isKnown) return undefined;
    const own = keepsRuns
      ? []
      : conversationStateNames
          .filter((state) => isAtWork[state])
          .flatMap((state) => conversations.list({ owner: name, state, limit: maxOfOne }).items);
    for (const { id } of own) {
      const asked = {
        interrupt: `i_${uuid7(clock)}`,
        by,
        reason: `the access of ${name} was revoked (by ${by})`,
      };
      conversations.pause({ id, ...asked, now: clock.now() });
    }
    return own.map(({ id }) => id);
  });
}

/** More conversations nobody may have. */
const maxOfOne = 1_000_000;
