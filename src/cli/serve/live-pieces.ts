/**
 * Pieces of what is under way (an answer, a thought, what a tool prints) on their way to the server: those of one message or
 * call are joined for 50 ms or 2 KiB. A server that does not keep up misses some; what was said stands in the log.
 */
import { envelopeOfEvent, type RunEvent, runEvents } from "../../events/index.ts";
import type { ParentLine } from "../../host/index.ts";
import { onState, type StateWiring } from "../../interp/index.ts";
import type { ConversationJob } from "../../server/supervise/index.ts";

const joinMs = 50;
const joinChars = 2048;
/** Messages that the server has not taken, beyond which pieces are dropped. */
const maxBacklog = 64;

const pieceTypes: ReadonlySet<string> = new Set(["message.delta", "thought.delta", "tool.output"]);

interface Piece {
  readonly envelope: { readonly data: { readonly text: string } };
  text: string;
}

export function piecesWiring(
  { conversation, run }: ConversationJob,
  parent: ParentLine,
): { readonly wiring: StateWiring; readonly flush: () => void } {
  const pieces = new Map<string, Piece>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const joined = [...pieces.values()];
    pieces.clear();
    if (parent.backlog > maxBacklog) return;
    for (const { envelope, text } of joined) {
      const { data, ...rest } = envelope;
      const event = { ...rest, seq: null, at: Date.now(), conversation, run, data: { ...data, text } };
      parent.tell({ type: "told", event });
    }
  };
  const add = (event: RunEvent): void => {
    if (!pieceTypes.has(event.type)) return;
    const envelope = envelopeOfEvent(event) as Piece["envelope"] | null;
    if (envelope === null) return;
    const key = `${event.type} ${event.loop} ${event.turn} ${event.call}`;
    const known = pieces.get(key);
    if (known === undefined) pieces.set(key, { envelope, text: envelope.data.text });
    else known.text += envelope.data.text;
    if ((pieces.get(key)?.text.length ?? 0) >= joinChars) flush();
    else timer ??= setTimeout(flush, joinMs).unref();
  };
  return { wiring: onState(runEvents, (events) => void events.subscribe(add)), flush };
}
