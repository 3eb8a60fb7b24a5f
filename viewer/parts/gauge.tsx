/** How full the context is: a meter with its words, colours at 75 and 90 % that are said, too. */
import type { ContextUsage } from "../../src/server/protocol/index.ts";
import { percent, tokens } from "../text/format.ts";

export function gaugeLevel(usage: Pick<ContextUsage, "ratio">): "low" | "high" | "full" {
  const ratio = usage.ratio ?? 0;
  return ratio >= 0.9 ? "full" : ratio >= 0.75 ? "high" : "low";
}

const said = { low: "", high: ", filling", full: ", nearly full" };

export function Gauge({
  usage,
  compact = false,
}: {
  readonly usage: Pick<ContextUsage, "used" | "window" | "ratio"> & Partial<ContextUsage>;
  readonly compact?: boolean;
}) {
  const { used, window, ratio, threshold } = usage;
  if (window === null || ratio === null)
    return <span class="gauge-words">{tokens(used)} tokens, window unknown</span>;
  const level = gaugeLevel(usage);
  const words = `${tokens(used)} / ${tokens(window)}`;
  return (
    <span class={`gauge gauge-${level}`}>
      <span
        role="meter"
        class="gauge-bar"
        aria-label="Context"
        aria-valuemin={0}
        aria-valuemax={window}
        aria-valuenow={Math.min(used, window)}
        aria-valuetext={`${words} tokens, ${percent(ratio)}${said[level]}`}
        title={`Context: ${words} tokens${threshold ? `, compacted from ${tokens(threshold)}` : ""}`}
      >
        <span class="gauge-fill" style={{ width: `${Math.min(100, ratio * 100)}%` }} />
        {threshold ? (
          <span class="gauge-mark" style={{ left: `${Math.min(100, (threshold / window) * 100)}%` }} />
        ) : null}
      </span>
      <span class="gauge-words">
        {compact ? percent(ratio) : words}
        {level === "low" ? null : <b>{said[level].slice(1)}</b>}
      </span>
    </span>
  );
}

/** The context over the turns, compactions marked. */
export function GaugeLine({
  points,
}: {
  readonly points: readonly { readonly at: number; readonly ratio: number; readonly compacted: boolean }[];
}) {
  if (points.length < 2) return null;
  const from = points[0]?.at ?? 0;
  const span = Math.max(1, (points.at(-1)?.at ?? 0) - from);
  const x = (at: number): number => ((at - from) / span) * 300;
  const line = points.map(
    ({ at, ratio }) => `${x(at).toFixed(1)},${(40 - Math.min(1, ratio) * 40).toFixed(1)}`,
  );
  return (
    <svg
      class="gauge-line"
      viewBox="0 0 300 40"
      preserveAspectRatio="none"
      role="img"
      aria-label="Context over time"
    >
      <line x1="0" x2="300" y1="4" y2="4" class="limit" />
      {points.map((point) =>
        point.compacted ? (
          <line key={point.at} x1={x(point.at)} x2={x(point.at)} y1="0" y2="40" class="mark" />
        ) : null,
      )}
      <polyline points={line.join(" ")} />
    </svg>
  );
}
