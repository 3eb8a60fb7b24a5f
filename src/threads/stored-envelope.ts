/** An event of a log as it travels. */
import type { Json } from "../effects/index.ts";
import { protocolVersion, type WirePlace } from "../events/wire/index.ts";
import type { StreamEvent } from "../store/index.ts";

/** The wire form (docs/events.md); `server/protocol` has its types by event. */
export interface StoredEnvelope extends WirePlace {
  readonly v: typeof protocolVersion;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: string;
  readonly conversation: string | null;
  readonly run: string | null;
  readonly data: { readonly [key: string]: Json };
}

type Body = Partial<Pick<StoredEnvelope, "run" | "loop" | "parent" | "turn" | "call">> &
  Pick<StoredEnvelope, "data">;

const runStream = "run:";

export function envelopeOf(stream: string, { seq, at, type, body }: StreamEvent): StoredEnvelope {
  const { run = null, loop = null, parent = null, turn = 0, call = null, data } = body as unknown as Body;
  const ofRun = stream.startsWith(runStream);
  return {
    v: protocolVersion,
    seq,
    at,
    type,
    conversation: ofRun ? null : stream,
    run: ofRun ? stream.slice(runStream.length) : run,
    loop,
    parent,
    turn,
    call,
    data,
  };
}
