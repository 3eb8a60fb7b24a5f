/** States, each as a sign with its word. */
import type { ConversationState, LogView } from "../../src/server/protocol/index.ts";
import type { IconName } from "./icon.tsx";
import { Icon } from "./icon.tsx";

type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

interface Look {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly word: string;
}

const looksOfConversations: Readonly<Record<ConversationState, Look>> = {
  idle: { icon: "ok", tone: "quiet", word: "idle" },
  queued: { icon: "queued", tone: "busy", word: "queued" },
  processing: { icon: "running", tone: "busy", word: "working" },
  waiting: { icon: "question", tone: "warn", word: "waiting for you" },
  paused: { icon: "interrupted", tone: "warn", word: "paused" },
  interrupted: { icon: "interrupted", tone: "warn", word: "interrupted" },
  failed: { icon: "error", tone: "bad", word: "failed" },
};

const looks: Readonly<Record<string, Look>> = {
  ...looksOfConversations,
  // Runs.
  running: { icon: "running", tone: "busy", word: "running" },
  done: { icon: "ok", tone: "good", word: "done" },
  // Calls.
  ok: { icon: "ok", tone: "good", word: "ok" },
  error: { icon: "error", tone: "bad", word: "error" },
  rejected: { icon: "rejected", tone: "warn", word: "refused" },
  // Ends of loops.
  provider_error: { icon: "error", tone: "bad", word: "model call failed" },
  stuck: { icon: "doom", tone: "bad", word: "stuck" },
  budget_exhausted: { icon: "warning", tone: "warn", word: "out of budget" },
  suspended: { icon: "question", tone: "warn", word: "suspended" },
  stalled: { icon: "doom", tone: "bad", word: "stalled" },
};

export const lookOf = (state: string): Look =>
  Object.hasOwn(looks, state)
    ? (looks[state] as Look)
    : { icon: "queued", tone: "quiet", word: state.replaceAll("_", " ") };

/** Of a loop or a call that has begun and not ended. */
export function stateOfOpen(view: LogView, run: string): "running" | "waiting" | "interrupted" {
  const known = view.runs[run];
  if (known?.ended == null) return "running";
  return known.status === "waiting" ? "waiting" : "interrupted";
}

/** `word`: shown beside the sign; otherwise only said. */
export function Status({ state, word = true }: { readonly state: string; readonly word?: boolean }) {
  const look = lookOf(state);
  return (
    <span class={`status tone-${look.tone}`}>
      <Icon name={look.icon} spin={look.icon === "running"} />
      <span class={word ? undefined : "unseen"}>{look.word}</span>
    </span>
  );
}
