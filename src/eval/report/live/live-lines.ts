/** The view of a set that runs: lines for a terminal, redrawn in place, and lines for a log. */
import { showOneLine } from "../../../diagnostics/index.ts";
import { columnLines } from "../text/columns.ts";
import { countedText, dollarText, timeText } from "../text/figure-text.ts";
import type { LineTally, Tally } from "./tally.ts";

export interface LiveFigures {
  readonly running: readonly { readonly path: string; readonly since: number }[];
  readonly spentUsd: number;
  readonly limitUsd: number | null;
  readonly connections: readonly {
    readonly provider: string;
    readonly inFlight: number;
    readonly limit: number;
    /** When its limit was last cut, milliseconds since 1970; undefined: never. */
    readonly cutAt?: number | undefined;
  }[];
  /** Trials that ended in this process, and since when it works. */
  readonly ended: number;
  readonly began: number;
  readonly left: number;
}

const barWidth = 11;
/** Rows that a view has at most: a set may have 64 variants. */
const maxLines = 12;
/** A trial without news for so long is shown as stalled. */
const stalledMs = 300_000;

export function liveLines(
  tally: Tally,
  figures: LiveFigures,
  now: number,
  labelOf: (line: LineTally) => string,
): string[] {
  const lines = tally.all();
  const rows = lines
    .slice(0, maxLines)
    .map((line) => [
      line.task,
      labelOf(line),
      bar(line.done + line.errored, line.total),
      `${line.done + line.errored}/${line.total}`,
      successText(line.success),
      dollarText(line.costUsd),
      line.errored === 0 ? "" : `${line.errored} errored`,
    ]);
  const more = lines.length > maxLines ? [`and ${lines.length - maxLines} more variants`] : [];
  return [...columnLines(rows, [2]), ...more, stateLine(figures, now), ...maxLine(figures, now)];
}

function bar(done: number, total: number): string {
  const full = total === 0 ? 0 : Math.round((done / total) * barWidth);
  return "█".repeat(full) + "░".repeat(barWidth - full);
}

const two = (value: number): string => value.toFixed(2);

const successText = (success: LineTally["success"]): string => {
  if (success === null) return "";
  if (success.low === null || success.high === null) return two(success.value);
  return `${two(success.value)} [${two(success.low)}, ${two(success.high)}]`;
};

/** `14 trials · openai 10/16 · $2.10 of $5.00 · about 6 min` */
function stateLine(figures: LiveFigures, now: number): string {
  const { running, spentUsd, limitUsd, connections } = figures;
  const parts = [
    countedText(running.length, "trial"),
    ...connections.map(
      ({ provider, inFlight, limit, cutAt }) =>
        `${provider} ${inFlight}/${limit}${cutAt === undefined ? "" : `, cut ${clockText(cutAt)}`}`,
    ),
    limitUsd === null ? dollarText(spentUsd) : `${dollarText(spentUsd)} of ${dollarText(limitUsd)}`,
    ...leftText(figures, now),
  ];
  return showOneLine(parts.join(" · "));
}

function leftText({ ended, began, left }: LiveFigures, now: number): string[] {
  if (ended === 0 || left === 0) return [];
  const ms = ((now - began) / ended) * left;
  return [
    ms < 60_000 ? `about ${Math.max(1, Math.round(ms / 1000))} s` : `about ${Math.round(ms / 60_000)} min`,
  ];
}

function maxLine({ running }: LiveFigures, now: number): string[] {
  const [longest] = [...running].sort((a, b) => a.since - b.since);
  if (longest === undefined) return [];
  const took = now - longest.since;
  return [showOneLine(`longest ${longest.path}  ${timeText(took)}${took > stalledMs ? ", stalled" : ""}`)];
}

/** `14:02:11`, of the day at UTC: a log is read elsewhere. */
export const clockText = (now: number): string => new Date(now).toISOString().slice(11, 19);

/** `14:02:11 refunds 80/400, 2 errored, success 0.81 [0.72, 0.88], $0.61 of $5.00` */
export function plainLine(task: string, tally: Tally, figures: LiveFigures, now: number): string {
  const { done, errored, total, success } = tally.ofTask(task);
  const parts = [
    `${task} ${done + errored}/${total}`,
    ...(errored === 0 ? [] : [`${errored} errored`]),
    ...(success === null ? [] : [`success ${successText(success)}`]),
    figures.limitUsd === null
      ? dollarText(figures.spentUsd)
      : `${dollarText(figures.spentUsd)} of ${dollarText(figures.limitUsd)}`,
  ];
  return `${clockText(now)} ${showOneLine(parts.join(", "))}`;
}
