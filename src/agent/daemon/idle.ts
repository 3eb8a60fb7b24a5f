/**
 * What a daemon does after a turn without tool calls (agents.md §18):
 *
 *     consolidate ─▶ snapshot ─▶ something waits already ──────────────────▶ next turn
 *                             ├▶ nothing could wake it ────────────────────▶ `idle`
 *                             └▶ wait ─▶ event · message · timer · file ──▶ next turn
 *                                    └▶ too many ticks without a reason ───▶ `watchdog`
 *
 * What woke it is told to the model: an event as a user message, timer and files as feedback.
 */
import { type Backoff, backoffMs } from "../../effects/index.ts";
import { byRuntime } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { compactWhenIdle } from "../context/passes/occasions.ts";
import { promptText } from "../context/prompts/overrides.ts";
import { sayDeferred } from "../context/user-messages.ts";
import type { Reflection } from "../contract/index.ts";
import type { DaemonOptions } from "../options/daemon-options.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, requestHooks, type Turn } from "../state/requests.ts";
import type { WakeCause } from "./wait.ts";

/** The waits without a reason. */
const ticks: Backoff = { baseMs: 100, maxMs: 5000 };

const proceed: Reflection = { next: "replan" };

/** Idles. `null`: the loop does not, it ends as other loops do. */
export function* idleStep(loop: Loop): Turn<Reflection | null> {
  const { daemon } = loop.options;
  if (daemon === null || !daemon.daemon) return null;
  if (daemon.consolidateOnIdle) yield* compactWhenIdle(loop);
  noteWait(loop, daemon);
  if (loop.hooked("SessionIdle")) {
    const { iterations, lastText: text, sessionId } = loop.state;
    yield* requestHooks("SessionIdle", Dict.of({ iterations, text }), sessionId);
  }
  yield { kind: "daemon_idled" };
  const next = yield* untilWoken(loop, daemon);
  if (next.next !== "done") {
    loop.state.slots.daemon.phase = "active";
    loop.state.slots.daemon.watchState = null;
    loop.mailbox?.busy();
  }
  return next;
}

/** Somebody said something that the model was not asked about yet. What was to wait for the loop's end is said now. */
function isSpokenTo({ conversation, state, seesPictures }: Loop): boolean {
  const said = conversation.log.length;
  sayDeferred(conversation, seesPictures);
  return (
    conversation.log.length > said ||
    conversation.feedback.length > 0 ||
    conversation.arrivalCount > state.slots.daemon.received
  );
}

const turnsLeft = ({ core }: Loop): number => {
  const { limits, used } = core.control.budget;
  return (limits.turns ?? Number.POSITIVE_INFINITY) - used.turns;
};

function* untilWoken(loop: Loop, daemon: DaemonOptions): Turn<Reflection> {
  const { conversation } = loop;
  const { slots } = loop.state;
  slots.daemon.idleBackoffMs = backoffMs(ticks, 1);
  for (let empty = 0, elapsed = 0; ; ) {
    // Without a turn left it would only wait for its end.
    if (turnsLeft(loop) <= 0 || isSpokenTo(loop)) return proceed;
    const event = (yield { kind: "daemon_event" }) as string | null;
    if (event !== null) {
      conversation.append({ role: "user", content: event }, byRuntime("daemon_event"));
      noteIdle(loop, "daemon_woken", "", { reason: "event" });
      return proceed;
    }
    if (!canWake(loop, daemon)) return { next: "done", status: "idle", reason: "idle" };
    const tick = daemon.wakeIntervalMs === null && daemon.idleWatchdogAttempts !== null;
    const ms = tick ? slots.daemon.idleBackoffMs : daemon.wakeIntervalMs;
    const wake = (yield { kind: "daemon_wait", ms }) as WakeCause;
    if (wake.reason === "message") continue;
    if (wake.reason === "watch" || !tick) {
      yield* emitWake(loop, wake);
      return proceed;
    }
    empty++;
    elapsed += slots.daemon.idleBackoffMs;
    slots.daemon.idleBackoffMs = backoffMs(ticks, empty + 1);
    if (empty >= (daemon.idleWatchdogAttempts as number)) {
      const fields = { attempts: empty, elapsed_ms: elapsed };
      noteIdle(loop, "daemon_watchdog_tripped", "", fields);
      if (loop.listens()) yield* emitNamed("daemon_watchdog_tripped", fields);
      return { next: "done", status: "watchdog", reason: "watchdog" };
    }
  }
}

/** A loop whose idling is bounded by a watchdog may wait for messages of the session alone. */
const canWake = (loop: Loop, daemon: DaemonOptions): boolean =>
  loop.mailbox !== null ||
  daemon.wakeIntervalMs !== null ||
  daemon.watchPaths.length > 0 ||
  daemon.idleWatchdogAttempts !== null;

function* emitWake(loop: Loop, wake: WakeCause): Turn<void> {
  if (wake.reason === "clock") {
    noteIdle(loop, "daemon_woken", "", { reason: "timer" });
    yield* giveFeedback(loop, "daemon_timer", yield* promptText(loop, "agent.daemon_timer_feedback", {}));
  }
  if (wake.reason !== "watch") return;
  const paths = new List([...wake.paths]);
  noteIdle(loop, "daemon_woken", "", { reason: "watch", paths });
  yield* giveFeedback(
    loop,
    "daemon_watch",
    yield* promptText(loop, "agent.daemon_watch_feedback", { paths }),
  );
}

/** For the transcript. */
function noteIdle(loop: Loop, kind: string, text: string, fields: Readonly<Record<string, Value>>): void {
  const metadata = Dict.of(fields);
  loop.conversation.audit.push({ kind, role: "system", visibility: "internal", text, metadata });
}

/** What the last command of a tool came to: the snapshot says it. */
export function noteExitCode(loop: Loop): void {
  if (loop.options.daemon === null) return;
  for (const outcome of loop.work.outcomes) {
    const code = outcome?.result instanceof Dict ? outcome.result.get("exit_code") : undefined;
    if (typeof code === "number") loop.state.slots.daemon.exitCode = code;
  }
}

/** Idling is a wait for resumption whose conditions follow from the options; the transcript says so. */
function noteWait(loop: Loop, daemon: DaemonOptions): void {
  const minutes =
    daemon.wakeIntervalMs === null ? null : Math.max(1, Math.ceil(daemon.wakeIntervalMs / 60_000));
  const conditions: Record<string, Value | undefined> = {
    timeout:
      minutes === null
        ? undefined
        : Dict.of({ duration_minutes: minutes, on_timeout: "resume_with_summary" }),
    on_event: loop.mailbox === null ? undefined : "daemon_trigger",
  };
  noteIdle(loop, "agent_await_resumption", "the daemon idles", {
    reason: "daemon idle",
    initiator: "self",
    conditions: Dict.of(conditions),
    wake_interval_ms: daemon.wakeIntervalMs,
    watch_paths: new List([...daemon.watchPaths]),
  });
}

/** PLANNING: a loop that goes on where a snapshot left off idles first. True: it ends without a turn. */
export function* beginsIdle(loop: Loop): Turn<boolean> {
  const { daemon } = loop.state.slots;
  if (!daemon.startsIdle) return false;
  daemon.startsIdle = false;
  const next = yield* idleStep(loop);
  if (next?.next !== "done") return false;
  loop.work.ending = { status: next.status ?? "idle", reason: next.reason ?? "idle" };
  return true;
}
