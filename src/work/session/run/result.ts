/** What `session_run` gives: one shape for every way in which a run ends. */

import type { Receipt } from "../../../durable/index.ts";
import { isAwaiting } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { Dict, fromJson, List, type Value } from "../../../values/index.ts";
import type { Directive } from "./directive.ts";
import type { LoadedRun } from "./load.ts";

type Idle = Extract<LoadedRun, { ran: false }>;
type Running = Extract<LoadedRun, { ran: true }>;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const jsonValueOf = (json: unknown): Value => fromJson(json as Json);

/** There was nothing to do. */
export function idleResult(session: string, { record, reason }: Idle): Dict {
  const status = isAwaiting(record) && record.status !== "closed" ? "requires_action" : record.status;
  return resultOf({ ran: false, session, run: record.runs, status, reason });
}

/** The model failed: nothing was handled, and it will be tried again. */
export function failedResult(session: string, { run }: Running, error: string, loop: Dict): Dict {
  return resultOf({ ran: true, session, run, status: "failed", error, loop });
}

export interface SessionEnd {
  readonly session: string;
  readonly loaded: Running;
  readonly text: string;
  readonly directive: Directive;
  readonly problems: readonly string[];
  readonly receipt: Receipt;
  readonly loop: Dict;
}

export function endedResult({ session, loaded, text, directive, problems, receipt, loop }: SessionEnd): Dict {
  return resultOf({
    ran: true,
    session,
    run: receipt.run,
    status: receipt.status,
    text,
    summary: directive.summary ?? (loaded.memory.summary || null),
    next: directive.next,
    events: jsonValueOf(loaded.events),
    wakes: jsonValueOf(directive.wakes.map(({ key, due, reason }) => ({ key, due: iso(due), reason }))),
    learnings: jsonValueOf(directive.learnings.map((learning) => learning.text)),
    promoted: jsonValueOf(receipt.promoted),
    custom_tool_uses: jsonValueOf(receipt.uses.map(({ id, name, input }) => ({ id, name, input }))),
    due: iso(receipt.due),
    problems: jsonValueOf(problems),
    loop,
  });
}

const empty = (): List => new List([]);

function resultOf(fields: { readonly [name: string]: Value }): Dict {
  return Dict.of({
    reason: null,
    text: "",
    summary: null,
    next: "sleep",
    events: empty(),
    wakes: empty(),
    learnings: empty(),
    promoted: empty(),
    custom_tool_uses: empty(),
    due: null,
    error: null,
    problems: empty(),
    loop: null,
    ...fields,
  });
}
