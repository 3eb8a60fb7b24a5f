/**
 * What happens in a session, as an append-only log: numbered without gaps, never changed. What comes from outside is
 * pending until a run has handled it; what the agent does is never pending.
 */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";

/** From outside: the mailbox. */
export type InputEvent =
  | { readonly type: "user.message"; readonly text: string }
  | {
      readonly type: "user.custom_tool_result";
      readonly tool_use_id: string;
      readonly content: Json;
      readonly is_error: boolean;
    }
  | {
      readonly type: "session.wake";
      readonly key: string;
      readonly reason: string;
      /** Milliseconds since the epoch: when it was due, which may be long before it was noticed. */
      readonly due: number;
    };

/** From the agent and its runs. */
export type OutputEvent =
  | { readonly type: "agent.message"; readonly text: string; readonly run: number }
  | {
      readonly type: "agent.custom_tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: Json;
      readonly run: number;
    }
  | { readonly type: "session.status"; readonly status: string; readonly run: number }
  | { readonly type: "session.error"; readonly message: string; readonly run: number };

export type EventBody = InputEvent | OutputEvent;

/** As it is kept: with its number and when it happened. */
export type SessionEvent<Body extends EventBody = EventBody> = Body & {
  readonly n: number;
  readonly at: number;
};

const inputs: ReadonlySet<string> = new Set(["user.message", "user.custom_tool_result", "session.wake"]);

export const isInput = (event: SessionEvent): event is SessionEvent<InputEvent> => inputs.has(event.type);

/** Longest text or result of one event, in UTF-16 units: a megabyte of plain text. */
export const maxEventLength = 1_000_000;

/** Throws when an event is too large to be kept. */
export function checkSize(what: string, text: string): void {
  if (text.length <= maxEventLength) return;
  throw new StoreError(
    "invalid",
    `${what} of ${text.length.toLocaleString("en-US")} characters is too long: at most ${maxEventLength.toLocaleString("en-US")}`,
    ["write it to a file and attach that: `harn session new NAME SCRIPT --attach FILE`"],
  );
}

const eventSpace = (session: string): string => `session.events/${session}`;
/** Sorts like the number. */
const keyOf = (n: number): string => String(n).padStart(12, "0");

/** The logs of all sessions. Called inside the transaction that counts the event. */
export class SessionEventLog {
  private readonly tx: Tx;
  constructor(tx: Tx) {
    this.tx = tx;
  }

  append(session: string, n: number, at: number, body: EventBody): void {
    this.tx.put(eventSpace(session), keyOf(n), { n, at, ...body } as unknown as Json);
  }

  /** Events after number `after`, oldest first, at most `limit`. */
  after(session: string, after: number, limit: number): SessionEvent[] {
    return this.tx
      .page(eventSpace(session), keyOf(after), limit)
      .map(({ key, value }) => sessionEventOf(session, key, value));
  }

  /** Walks over the events after number `after`, without reading them all at once. */
  *walk(session: string, after: number): Generator<SessionEvent> {
    const atOnce = 200;
    for (let at = after; ; ) {
      const events = this.after(session, at, atOnce);
      yield* events;
      if (events.length < atOnce) return;
      at = (events.at(-1) as SessionEvent).n;
    }
  }
}

function sessionEventOf(session: string, key: string, value: Json): SessionEvent {
  const event = value as { readonly n?: unknown; readonly type?: unknown } | null;
  if (
    typeof event === "object" &&
    event !== null &&
    event.n === Number(key) &&
    typeof event.type === "string"
  )
    return value as unknown as SessionEvent;
  throw new StoreError("corrupt", `event ${Number(key)} of the session ${session} is damaged in the store`);
}
