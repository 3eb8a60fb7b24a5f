/** The timeline of a log: virtual rows, followed or read, by pointer or keyboard. */
import { signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { LoopKey } from "../../src/server/protocol/index.ts";
import { type Keys, useKeys } from "../keys.ts";
import type { LogStore } from "../log/log-store.ts";
import { Icon } from "../parts/icon.tsx";
import { VirtualRows } from "../parts/virtual-rows.tsx";
import { count } from "../text/format.ts";
import { CallRow } from "./call-row.tsx";
import { describeRow, estimateRow } from "./describe.ts";
import { LoopEnd, LoopHeading, TurnHeading } from "./headings.tsx";
import { LeafRow } from "./leaf-row.tsx";
import { LiveRow } from "./live-row.tsx";
import { nextRow, type Row, rowsOf } from "./rows.ts";

/** Shown with everything that the runtime tells, too. */
export const withTraces = signal(false);

export interface TimelineProps {
  readonly log: LogStore;
  /** Asks for a fork behind the event; null where nobody can. */
  readonly onFork: ((seq: number) => void) | null;
}

export function Timeline({ log, onFork }: TimelineProps) {
  const version = log.version.value;
  const at = log.at.value;
  const folds = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const focused = useSignal(-1);
  const follows = useSignal(true);
  // The last event that was drawn while the end was followed. Set while drawing: an effect runs after the
  // paint, and whoever scrolled up before it would be told of an event that they had seen.
  const seen = useRef(0);
  // Whether a loop was over when it was first seen here: only then it starts folded.
  const over = useRef(new Map<LoopKey, boolean>());
  const view = log.view;
  // Read here, so that a change draws the timeline, and with it the rows, anew.
  const openRows = opened.value;

  const rows = useMemo(
    () =>
      rowsOf(log.tree, view, {
        folds: folds.value,
        withTraces: withTraces.value,
        wasOver: (loop) => {
          const known = over.current.get(loop);
          if (known !== undefined) return known;
          const isOver = view.loops[loop]?.ended != null;
          over.current.set(loop, isOver);
          return isOver;
        },
      }),
    [log, version, at, folds.value, withTraces.value],
  );

  // A moment of the past is read from its end, and nothing comes.
  useEffect(() => {
    if (at !== null) follows.value = true;
  }, [at, follows]);
  if (follows.value) seen.current = log.last;

  const fold = (row: Row, isShut: boolean): void => {
    if (row.folds === "none") return;
    folds.value = new Map(folds.value).set(row.id, isShut);
  };
  const toggle = (id: string): void => {
    const next = new Set(opened.value);
    if (!next.delete(id)) next.add(id);
    follows.value = false;
    opened.value = next;
  };
  /** The row itself has the focus, not something in it. */
  const isOnRow = (): boolean => document.activeElement?.matches(".row") === true;
  const focusedRow = (): Row | undefined => rows[focused.value];
  const step = (by: 1 | -1, test?: (row: Row) => boolean): void => {
    const next = nextRow(rows, focused.value < 0 ? (by > 0 ? -1 : rows.length) : focused.value, by, test);
    if (next === null) return;
    follows.value = false;
    focused.value = next;
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    PageDown: () => isOnRow() && step(1),
    PageUp: () => isOnRow() && step(-1),
    Enter: () => {
      const row = focusedRow();
      if (row === undefined || !isOnRow()) return false;
      if (row.folds === "none") toggle(row.id);
      else fold(row, row.folds === "open");
      return true;
    },
    ArrowLeft: () => {
      const row = focusedRow();
      if (row === undefined || !isOnRow()) return false;
      if (row.folds === "open") fold(row, true);
      else step(-1, (one) => one.folds === "open" && (one.kind === "turn" || one.kind === "loop"));
      return true;
    },
    ArrowRight: () => {
      const row = focusedRow();
      if (row === undefined || !isOnRow()) return false;
      fold(row, false);
      return true;
    },
    f: () => {
      follows.value = !follows.value;
    },
  } satisfies Keys);

  const fresh = log.last - seen.current;
  const forkAt = (seq: number | undefined) =>
    onFork === null || seq === undefined || seq === 0 ? null : () => onFork(seq);
  const render = (row: Row) => {
    const isShut = row.folds === "shut";
    const onFold = () => fold(row, !isShut);
    const isOpen = openRows.has(row.id);
    const onToggle = () => toggle(row.id);
    switch (row.kind) {
      case "turn":
        return (
          <TurnHeading node={row.node} isShut={isShut} onFold={onFold} onFork={forkAt(row.node.end?.seq)} />
        );
      case "loop":
        return <LoopHeading node={row.node} view={view} tree={log.tree} isShut={isShut} onFold={onFold} />;
      case "end":
        return <LoopEnd node={row.node} />;
      case "call":
        return (
          <CallRow
            node={row.node}
            view={view}
            isOpen={isOpen}
            onToggle={onToggle}
            onFork={forkAt(row.node.end?.seq)}
          />
        );
      case "live":
        return <LiveRow live={view.live[row.loop]} />;
      case "leaf":
        return <LeafRow event={row.node.event} view={view} isOpen={isOpen} onToggle={onToggle} />;
    }
  };
  return (
    <div class="timeline">
      <VirtualRows
        rows={rows}
        label="Timeline"
        estimate={estimateRow}
        focused={focused.value}
        follows={follows.value}
        onEnd={(isAtEnd) => {
          if (follows.value !== isAtEnd) follows.value = isAtEnd;
        }}
        onFocus={(index) => {
          if (focused.value !== index) focused.value = index;
        }}
        labelOf={describeRow}
        classOf={(row) =>
          `row-${row.kind === "leaf" ? row.node.event.type.replace(".", "-") : row.kind} depth-${Math.min(row.depth, 6)}`
        }
        render={render}
        empty={<p class="empty">{log.loading.value ? "Loading …" : "Nothing has happened yet."}</p>}
      />
      {follows.value || at !== null ? null : (
        <button
          type="button"
          class="to-end"
          onClick={() => {
            follows.value = true;
          }}
        >
          <Icon name="end" /> {fresh > 0 ? `${count(fresh, "new event")}` : "Follow"}
        </button>
      )}
    </div>
  );
}
