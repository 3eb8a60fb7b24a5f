/** A range over the numbers of a log: the page is shown as it was there. */
import { useMemo } from "preact/hooks";
import type { DurableType } from "../../src/server/protocol/index.ts";
import { useKeys } from "../keys.ts";
import type { LogStore } from "../log/log-store.ts";
import { clock } from "../text/format.ts";
import { Icon } from "./icon.tsx";

const marked: Partial<Record<DurableType, string>> = {
  "message.queued": "message",
  "question.asked": "question",
  "context.compacted": "compaction",
  "run.interrupted": "stop",
};
/** Marks that are drawn at most; of many turns only some are. */
const maxMarks = 120;

export function Scrubber({
  log,
  onFork,
}: {
  readonly log: LogStore;
  readonly onFork: ((seq: number) => void) | null;
}) {
  const version = log.version.value;
  const at = log.at.value;
  const { last } = log;
  const marks = useMemo(() => {
    const found: { readonly seq: number; readonly kind: string }[] = [];
    const turns: number[] = [];
    for (const event of log.all) {
      const kind = marked[event.type];
      if (kind !== undefined) found.push({ seq: event.seq, kind });
      else if (event.type === "turn.start" && event.parent === null) turns.push(event.seq);
    }
    const every = Math.ceil(turns.length / maxMarks);
    for (let i = 0; i < turns.length; i += every) found.push({ seq: turns[i] as number, kind: "turn" });
    return found.slice(-3 * maxMarks);
  }, [log, Math.floor(last / 20), log.first, version === 0]);
  const turnFrom = (from: number, step: 1 | -1): number | null => {
    for (let seq = from + step; seq >= log.first && seq <= last; seq += step)
      if (log.eventAt(seq)?.type === "turn.start") return seq;
    return null;
  };
  const now = at ?? last;
  useKeys({
    "[": () => log.scrub(now - 1),
    "]": () => log.scrub(now + 1),
    "{": () => log.scrub(turnFrom(now, -1) ?? 1),
    "}": () => log.scrub(turnFrom(now, 1)),
  });
  if (last < 2 || !log.isWhole) return null;
  const event = log.eventAt(now);
  return (
    <div class={at === null ? "scrubber" : "scrubber past"}>
      <span class="scrubber-marks" aria-hidden="true">
        {marks.map(({ seq, kind }) => (
          <span
            key={seq}
            class={`mark mark-${kind}`}
            style={{ left: `${((seq - 1) / (last - 1)) * 100}%` }}
          />
        ))}
      </span>
      <input
        type="range"
        min={1}
        max={last}
        value={now}
        aria-label="Moment of the log"
        aria-valuetext={
          event === undefined ? `event ${now}` : `event ${now} of ${last}, ${event.type}, ${clock(event.at)}`
        }
        onInput={(input) => log.scrub(Number(input.currentTarget.value))}
      />
      <span class="scrubber-words">
        {at === null ? (
          <span class="soft">{last} events</span>
        ) : (
          <>
            <span>
              event {now} of {last}
              {event === undefined ? "" : ` · ${clock(event.at)}`}
            </span>
            {onFork === null ? null : (
              <button type="button" onClick={() => onFork(now)}>
                <Icon name="fork" /> Fork from here
              </button>
            )}
            <button type="button" class="primary" onClick={() => log.scrub(null)}>
              Live
            </button>
          </>
        )}
      </span>
    </div>
  );
}
