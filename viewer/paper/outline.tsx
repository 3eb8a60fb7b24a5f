/** The outline as a tree: chosen, and moved by pointer (drag) or keyboard (Alt and arrows). */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { SectionRecord } from "../../src/server/protocol/index.ts";
import { Safe } from "../parts/text.tsx";

interface OutlineRow {
  readonly section: SectionRecord;
  readonly depth: number;
}

export type Move = (section: string, parent: string | null, position: number) => Promise<void>;

export function Outline({
  rows,
  chosen,
  onChoose,
  onMove,
}: {
  readonly rows: readonly OutlineRow[];
  readonly chosen: string | null;
  readonly onChoose: (section: string | null) => void;
  readonly onMove: Move | null;
}) {
  const focused = useSignal(0);
  const dragged = useSignal<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const siblings = (parent: string | null): readonly SectionRecord[] =>
    rows.map((row) => row.section).filter((section) => section.parent === parent);
  const focus = (at: number): void => {
    focused.value = Math.max(0, Math.min(rows.length - 1, at));
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  const moveBy = (row: OutlineRow, key: string): void => {
    if (onMove === null) return;
    const { section } = row;
    const around = siblings(section.parent);
    const at = around.findIndex((one) => one.id === section.id);
    const parent = rows.find((one) => one.section.id === section.parent)?.section;
    if (key === "ArrowUp" && at > 0) void onMove(section.id, section.parent, at - 1);
    else if (key === "ArrowDown" && at < around.length - 1) void onMove(section.id, section.parent, at + 1);
    else if (key === "ArrowRight" && at > 0) {
      const before = around[at - 1] as SectionRecord;
      void onMove(section.id, before.id, siblings(before.id).length);
    } else if (key === "ArrowLeft" && parent !== undefined) {
      const above = siblings(parent.parent).findIndex((one) => one.id === parent.id);
      void onMove(section.id, parent.parent, above + 1);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = Math.min(focused.value, rows.length - 1);
    const row = rows[at];
    if (row === undefined || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) moveBy(row, event.key);
    else if (event.key === "ArrowDown") focus(at + 1);
    else if (event.key === "ArrowUp") focus(at - 1);
  };
  return (
    <nav class="outline" aria-label="Outline">
      <button type="button" class="plain" aria-pressed={chosen === null} onClick={() => onChoose(null)}>
        The whole paper
      </button>
      {rows.length === 0 ? <p class="soft">No section yet.</p> : null}
      <div role="tree" aria-label="Sections" ref={box} onKeyDown={onKey}>
        {rows.map((row, at) => (
          <div
            key={row.section.id}
            role="treeitem"
            aria-level={row.depth}
            aria-selected={chosen === row.section.id}
            tabIndex={at === Math.min(focused.value, rows.length - 1) ? 0 : -1}
            class={`outline-row level-${row.depth} state-${row.section.state}`}
            draggable={onMove !== null}
            title={onMove === null ? undefined : "Alt and arrows move it"}
            onClick={() => onChoose(row.section.id)}
            onKeyDown={(event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                onChoose(row.section.id);
              }
            }}
            onFocus={() => (focused.value = at)}
            onDragStart={() => (dragged.value = row.section.id)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              const moved = dragged.value;
              dragged.value = null;
              if (moved === null || moved === row.section.id || onMove === null) return;
              const place = siblings(row.section.parent)
                .filter((one) => one.id !== moved)
                .findIndex((one) => one.id === row.section.id);
              void onMove(moved, row.section.parent, place);
            }}
          >
            <Safe text={row.section.title} />
            <span class="soft small"> {row.section.state}</span>
          </div>
        ))}
      </div>
    </nav>
  );
}
