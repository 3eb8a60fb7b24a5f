/** What a run left open in its log: calls without an end and loops without one, ended as interrupted. */
import type { Json } from "../../../effects/index.ts";
import type { NewStreamEvent, StreamEvent } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";

interface OpenEndBody {
  readonly run?: string;
  readonly loop?: string;
  readonly call?: string;
  readonly turn?: number;
  readonly data: { readonly [key: string]: Json };
}

/** A loop without an end, and what it had come to. */
interface OpenLoop {
  readonly begun: StreamEvent;
  turns: number;
  readonly total: { input: number; output: number; cost_usd: number | null };
}

const pageSize = 500;

/** The events that end them, the innermost first. `round` tells this end of the run from earlier ones. */
export function openEnds(tx: Tx, stream: string, since: number, run: string, now: number): NewStreamEvent[] {
  const calls = new Map<string, StreamEvent>();
  const loops = new Map<string, OpenLoop>();
  for (let after = since - 1; ; ) {
    const events = tx.events(stream, after, pageSize);
    for (const event of events) noteOpenEnd(event, run, calls, loops);
    if (events.length < pageSize) break;
    after = events.at(-1)?.seq ?? after;
  }
  return [
    ...[...calls.values()].map((begun) => endAt(begun, "tool.end", interruptedCall(begun, now))),
    ...[...loops.values()].map((loop) => endAt(loop.begun, "loop.end", interruptedLoop(loop, now))),
  ]
    .sort((a, b) => b.begun - a.begun)
    .map(({ end }) => ({ at: now, ...end }));
}

/** The end of what an event began, at the same place. */
function endAt(
  { seq, body }: StreamEvent,
  type: string,
  data: object,
): { readonly begun: number; readonly end: Omit<NewStreamEvent, "at"> } {
  const { data: _, ...place } = body as unknown as OpenEndBody;
  return { begun: seq, end: { type, body: { ...place, data } as unknown as Json } };
}

function noteOpenEnd(
  event: StreamEvent,
  run: string,
  calls: Map<string, StreamEvent>,
  loops: Map<string, OpenLoop>,
): void {
  const body = event.body as unknown as OpenEndBody;
  if (body.run !== run) return;
  const call = body.call ?? "";
  const loop = body.loop ?? "";
  if (event.type === "tool.start") calls.set(call, event);
  else if (event.type === "tool.end") calls.delete(call);
  else if (event.type === "loop.start")
    loops.set(loop, { begun: event, turns: 0, total: { input: 0, output: 0, cost_usd: 0 } });
  else if (event.type === "loop.end") loops.delete(loop);
  else noteWork(event.type, body, loops.get(loop));
}

function noteWork(type: string, { turn = 0, data }: OpenEndBody, loop: OpenLoop | undefined): void {
  if (loop === undefined) return;
  if (type === "turn.start") loop.turns = Math.max(loop.turns, turn);
  const answer = data.answer as unknown as Partial<OpenLoop["total"]> | undefined;
  if (type !== "usage" || answer === undefined) return;
  const { input = 0, output = 0, cost_usd = 0 } = answer;
  const { total } = loop;
  total.input += input;
  total.output += output;
  total.cost_usd = total.cost_usd === null || cost_usd === null ? null : total.cost_usd + cost_usd;
}

const elapsedSince = (begun: StreamEvent, now: number): number => Math.max(0, now - begun.at);

const dataOf = (begun: StreamEvent): OpenEndBody["data"] => (begun.body as unknown as OpenEndBody).data;

const interruptedCall = (begun: StreamEvent, now: number): object => ({
  name: dataOf(begun).name ?? "",
  model_call_id: dataOf(begun).model_call_id ?? "",
  begun: true,
  status: "interrupted",
  result: "",
  error: null,
  category: null,
  gate: null,
  duration_ms: elapsedSince(begun, now),
  attempts: 1,
});

const interruptedLoop = ({ begun, turns, total }: OpenLoop, now: number): object => ({
  status: "interrupted",
  stop_reason: "interrupted",
  turns,
  duration_ms: elapsedSince(begun, now),
  total,
});
