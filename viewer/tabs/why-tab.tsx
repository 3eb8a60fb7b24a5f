/** Every decision in order: what ended or kept a loop going, who said so, what the others said; refusals; compactions. */
import { useSignal } from "@preact/signals";
import { type DurableEnvelope, failedCallText } from "../../src/server/protocol/index.ts";
import { type LogStore, useLog } from "../log/log-store.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { oneLine, Safe } from "../parts/text.tsx";
import { clock, count, tokens } from "../text/format.ts";
import { DecisionFacts } from "../timeline/leaf-row.tsx";

interface Entry {
  readonly event: DurableEnvelope;
  readonly about: string;
  readonly verdict: string;
  readonly why: string;
  readonly icon: IconName;
}

function entryOf(event: DurableEnvelope): Entry | null {
  switch (event.type) {
    case "decision":
      return {
        event,
        about: event.data.about,
        verdict: event.data.verdict,
        why: event.data.why,
        icon: "decision",
      };
    case "tool.end":
      if (event.data.status !== "rejected") return null;
      return {
        event,
        about: "refusal",
        verdict: `${event.data.name} refused`,
        why: `${event.data.gate ?? "a rule"}: ${event.data.error ?? ""}`,
        icon: "rejected",
      };
    case "context.compacted":
      return {
        event,
        about: "compaction",
        verdict: `${event.data.archived} messages archived`,
        why: `${event.data.reason.replaceAll("_", " ")}: ${tokens(event.data.before)} → ${tokens(event.data.after)} tokens`,
        icon: "compaction",
      };
    case "doom.detected":
      return {
        event,
        about: "doom loop",
        verdict: event.data.action,
        why: `${event.data.pattern} of ${event.data.calls.join(", ")}, strike ${event.data.strike}`,
        icon: "doom",
      };
    case "mode.changed":
      return {
        event,
        about: "mode",
        verdict: event.data.to,
        why: `was ${event.data.from ?? "none"}, by ${event.data.by}`,
        icon: "mode",
      };
    case "loop.end":
      return {
        event,
        about: "end",
        verdict: event.data.status.replaceAll("_", " "),
        why:
          event.data.error == null
            ? event.data.stop_reason.replaceAll("_", " ")
            : failedCallText(event.data.error),
        icon: event.data.status === "done" ? "ok" : "warning",
      };
    default:
      return null;
  }
}

/** Entries that are drawn: the last ones of a long log. */
const maxEntries = 500;

export function WhyTab({ log }: { readonly log: LogStore }) {
  useLog(log);
  const at = log.at.value ?? Number.POSITIVE_INFINITY;
  const about = useSignal("all");
  const open = useSignal<number | null>(null);
  const all = log.all
    .filter((event) => event.seq <= at)
    .map(entryOf)
    .filter((entry) => entry !== null);
  const kinds = [...new Set(all.map((entry) => entry.about))].sort();
  const chosen = all.filter((entry) => about.value === "all" || entry.about === about.value);
  const shown = chosen.slice(-maxEntries);
  if (all.length === 0) return <p class="empty">Nothing has been decided yet.</p>;
  return (
    <div class="tab-page">
      <div class="filters">
        <label>
          About{" "}
          <select value={about.value} onChange={(event) => (about.value = event.currentTarget.value)}>
            <option value="all">everything ({all.length})</option>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {kind} ({all.filter((entry) => entry.about === kind).length})
              </option>
            ))}
          </select>
        </label>
        {chosen.length > maxEntries ? (
          <span class="soft">the last {count(maxEntries, "entry", "entries")}</span>
        ) : null}
      </div>
      <ol class="why">
        {shown.map((entry) => (
          <li key={entry.event.seq}>
            <button
              type="button"
              class="line"
              aria-expanded={open.value === entry.event.seq}
              onClick={() => (open.value = open.value === entry.event.seq ? null : entry.event.seq)}
            >
              <span class="sign">
                <Icon name={entry.icon} />
              </span>
              <span class="why-place">
                {entry.event.loop ?? ""}
                {entry.event.turn > 0 ? ` turn ${entry.event.turn}` : ""}
              </span>
              <span class="line-head">
                <span class="soft">{entry.about}</span> <b>{entry.verdict.replaceAll("_", " ")}</b>{" "}
                <Safe text={oneLine(entry.why, 140)} />
              </span>
              <span class="line-side">{clock(entry.event.at)}</span>
            </button>
            {open.value === entry.event.seq ? (
              <div class="opened">
                {entry.event.type === "decision" ? (
                  <DecisionFacts event={entry.event} />
                ) : (
                  <p>
                    <Safe text={entry.why} />
                  </p>
                )}
                <p class="facts-line">
                  <span>event {entry.event.seq}</span>
                  <button type="button" class="plain" onClick={() => log.scrub(entry.event.seq)}>
                    Show the page at this moment
                  </button>
                </p>
              </div>
            ) : null}
          </li>
        ))}
      </ol>
    </div>
  );
}
