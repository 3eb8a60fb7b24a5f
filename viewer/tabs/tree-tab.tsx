/** Loops and their calls as a tree, what they took rolled up. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { headOfText, type LogView, type LoopKey, rolledUp } from "../../src/server/protocol/index.ts";
import { type LogStore, useLog } from "../log/log-store.ts";
import { Status, stateOfOpen } from "../parts/status.tsx";
import { oneLine, Safe } from "../parts/text.tsx";
import { cost, duration, tokens } from "../text/format.ts";

interface TreeRow {
  readonly id: string;
  readonly level: number;
  readonly name: string;
  readonly detail: string;
  readonly state: string;
  readonly ms: number | null;
  readonly tokens: number | null;
  readonly cost: number | null | undefined;
  readonly children: boolean;
  readonly isOpen: boolean;
}

/** Rows that are drawn; a tree of more is folded first. */
const maxRows = 2_000;

function treeRows(view: LogView, shut: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const pushLoop = (key: LoopKey, level: number): void => {
    const loop = view.loops[key];
    if (loop === undefined || rows.length >= maxRows) return;
    const run = view.runs[loop.run];
    const sum = rolledUp(view, key);
    const isOpen = !shut.has(key);
    const hasChildren = loop.calls.length > 0 || loop.loops.length > 0;
    rows.push({
      id: key,
      level,
      name: loop.name ?? (loop.parent === null ? (run?.agent ?? "agent") : "agent"),
      detail: oneLine(headOfText(loop.task), 120),
      state: loop.status ?? stateOfOpen(view, loop.run),
      ms: (loop.ended ?? view.at) - loop.started,
      tokens: sum.input + sum.output,
      cost: sum.answers === 0 ? undefined : sum.cost_usd,
      children: hasChildren,
      isOpen,
    });
    if (!isOpen) return;
    const placed = new Set<LoopKey>();
    for (const callKey of loop.calls) {
      const call = view.calls[callKey];
      if (call === undefined || rows.length >= maxRows) continue;
      const callIsOpen = !shut.has(callKey);
      rows.push({
        id: callKey,
        level: level + 1,
        name: call.name,
        detail: call.gate === null ? "" : `gate ${call.gate}`,
        state: call.status ?? stateOfOpen(view, loop.run),
        ms: call.duration_ms,
        tokens: null,
        cost: undefined,
        children: call.loops.length > 0,
        isOpen: callIsOpen,
      });
      for (const below of call.loops) {
        placed.add(below);
        if (callIsOpen) pushLoop(below, level + 2);
      }
    }
    for (const below of loop.loops) if (!placed.has(below)) pushLoop(below, level + 1);
  };
  for (const run of Object.values(view.runs)) for (const key of run.outermost) pushLoop(key, 1);
  return rows;
}

export function TreeTab({ log }: { readonly log: LogStore }) {
  useLog(log);
  const shut = useSignal<ReadonlySet<string>>(new Set());
  const focused = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  const rows = treeRows(log.view, shut.value);
  if (rows.length === 0) return <p class="empty">No agent has begun yet.</p>;
  const fold = (row: TreeRow, isShut: boolean): void => {
    if (!row.children) return;
    const next = new Set(shut.value);
    if (isShut) next.add(row.id);
    else next.delete(row.id);
    shut.value = next;
  };
  const focus = (at: number): void => {
    focused.value = Math.max(0, Math.min(rows.length - 1, at));
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = Math.min(focused.value, rows.length - 1);
    const row = rows[at] as TreeRow;
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (row.children && !row.isOpen ? fold(row, false) : focus(at + 1)),
      ArrowLeft: () => {
        if (row.children && row.isOpen) fold(row, true);
        else focus(rows.slice(0, at).findLastIndex((one) => one.level < row.level));
      },
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return (
    <div class="tab-page" onKeyDown={onKey}>
      <div role="tree" aria-label="Agents and their calls" class="tree" ref={box}>
        {rows.map((row, at) => (
          <div
            key={row.id}
            role="treeitem"
            aria-level={row.level}
            aria-selected={at === focused.value}
            {...(row.children ? { "aria-expanded": row.isOpen } : {})}
            tabIndex={at === Math.min(focused.value, rows.length - 1) ? 0 : -1}
            class={`tree-row level-${Math.min(row.level, 10)}${row.tokens === null ? "" : " tree-loop"}`}
            onFocus={() => {
              focused.value = at;
            }}
            onClick={() => fold(row, row.isOpen)}
          >
            <span class="tree-fold" aria-hidden="true">
              {row.children ? (row.isOpen ? "▾" : "▸") : ""}
            </span>
            <Status state={row.state} word={false} />
            <span class="tree-name">
              <Safe text={row.name} />
            </span>
            <span class="tree-detail">
              <Safe text={row.detail} />
            </span>
            <span class="line-side">
              {row.tokens === null ? null : <span>{tokens(row.tokens)} tokens</span>}
              {row.cost === undefined ? null : <span>{cost(row.cost)}</span>}
              {row.ms === null ? null : <span>{duration(row.ms)}</span>}
            </span>
          </div>
        ))}
      </div>
      {rows.length >= maxRows ? (
        <p class="soft">Only the first {maxRows} rows are drawn: fold what you don't need.</p>
      ) : null}
    </div>
  );
}
