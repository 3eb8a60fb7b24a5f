/**
 * The process that `harn torture --phases` starts: kills itself in a phase, or writes down at its end what its sessions are. What
 * to do stands in the environment, because a script must not be able to tell it from any other run.
 */
import { writeFileSync } from "node:fs";
import { type LoopPhase, phaseObserver, transcriptOf } from "../../agent/index.ts";
import type { Runtime } from "../../interp/index.ts";
import { type Conversation, conversations } from "../../model/index.ts";
import { Dict, List, toJson, type Value } from "../../values/index.ts";

/** The name of the variable; its value is JSON of `ChildOrders`. */
export const ordersVariable = "HARN_TORTURE_CHILD";

export interface ChildOrders {
  /** Kill yourself when this phase is reached so often. */
  readonly kill?: { readonly phase: LoopPhase; readonly nth: number };
  /** Where to write what sessions the run has had in the end. */
  readonly sessions?: string;
}

/** Follows the orders; what it gives is called when the run has ended. */
export function followOrders(runtime: Runtime, text: string): () => void {
  const { kill, sessions } = JSON.parse(text) as ChildOrders;
  if (kill !== undefined) {
    let left = kill.nth;
    runtime.state(phaseObserver).reached = (phase) => {
      if (phase === kill.phase && --left === 0) process.kill(process.pid, "SIGKILL");
    };
  }
  return () => {
    if (sessions === undefined) return;
    const all = runtime.state(conversations).all();
    writeFileSync(sessions, JSON.stringify(toJson(new List(all.map(sessionValue))), withParsedArguments));
  };
}

/** Arguments are what they say: a journal keeps the entries of a dict in the order of their names. */
function withParsedArguments(key: string, value: unknown): unknown {
  if (key !== "arguments" || typeof value !== "string") return value;
  try {
    return Object.entries(JSON.parse(value) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  } catch {
    return value;
  }
}

/** What was said in a session, what became of it, and what each of its requests was made of. */
function sessionValue(conversation: Conversation): Value {
  const sent = conversation.seen.calls.map(({ turn, log, plan, system, tools }) =>
    Dict.of({
      turn,
      messages: log,
      plan: plan.version,
      system: new List(system.map(({ id, chars }) => Dict.of({ id, chars }))),
      tools: new List([...tools]),
    }),
  );
  return Dict.of({ id: conversation.id, sent: new List(sent), transcript: transcriptOf(conversation) });
}
