/** What a run left open in its log: calls without an end and loops without one, ended as interrupted. */
import type { Json } from "../../../effects/index.ts";
import type { NewStreamEvent, StreamEvent } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";

interface Body {
  readonly run?: string;
  readonly loop?: string;
  readonly call?: string;
  readonly data: { readonly [key: string]: Json };
}

/** What begins, and what ends it. */
const endTypes: ReadonlyMap<string, string> = new Map([
  ["tool.start", "tool.end"],
  ["loop.start", "loop.end"],
]);

const pageSize = 500;

/** The events that end them, the innermost first. `round` tells this end of the run from earlier ones. */
export function openEnds(tx: Tx, stream: string, since: number, run: string, now: number): NewStreamEvent[] {
  const calls = new Map<string, StreamEvent>();
  const loops = new Map<string, StreamEvent>();
  for (let after = since - 1; ; ) {
    const events = tx.events(stream, after, pageSize);
    for (const event of events) noteOpenEnd(event, run, calls, loops);
    if (events.length < pageSize) break;
    after = events.at(-1)?.seq ?? after;
  }
  const ends: NewStreamEvent[] = [];
  const latest = [...calls.values(), ...loops.values()].sort((a, b) => b.seq - a.seq);
  for (const begun of latest) ends.push(endOf(begun, now));
  return ends;
}

function noteOpenEnd(
  event: StreamEvent,
  run: string,
  calls: Map<string, StreamEvent>,
  loops: Map<string, StreamEvent>,
): void {
  const body = event.body as unknown as Body;
  if (body.run !== run) return;
  const call = body.call ?? "";
  const loop = body.loop ?? "";
  if (event.type === "tool.start") calls.set(call, event);
  else if (event.type === "tool.end") calls.delete(call);
  else if (event.type === "loop.start") loops.set(loop, event);
  else if (event.type === "loop.end") loops.delete(loop);
}

function endOf(begun: StreamEvent, now: number): NewStreamEvent {
  const { data, ...place } = begun.body as unknown as Body;
  const ms = Math.max(0, now - begun.at);
  const end = begun.type === "tool.start" ? interruptedCall(data, ms) : interruptedLoop(ms);
  return { at: now, type: endTypes.get(begun.type) ?? "", body: { ...place, data: end } as unknown as Json };
}

const interruptedCall = (data: Body["data"], ms: number): object => ({
  name: data.name ?? "",
  model_call_id: data.model_call_id ?? "",
  begun: true,
  status: "interrupted",
  result: "",
  error: null,
  category: null,
  gate: null,
  duration_ms: ms,
  attempts: 1,
});

const interruptedLoop = (ms: number): object => ({
  status: "interrupted",
  stop_reason: "interrupted",
  turns: 0,
  duration_ms: ms,
  total: { input: 0, output: 0, cost_usd: 0 },
});
