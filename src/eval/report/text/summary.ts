/** The summary of a set: what was run, figures by variant, differences, what is missing, gates, receipt. */
import { shownWidth, showOneLine } from "../../../diagnostics/index.ts";
import { evalMessage } from "../../eval-error.ts";
import { encodePart, parseMetricName } from "../../plan/index.ts";
import { variantLabel } from "../../plan/variant-label.ts";
import { isUnmeasured } from "../asked-comparison.ts";
import { correctedFor, type TaskComparison } from "../comparison.ts";
import type { GateResult } from "../gates/judge-gate.ts";
import type { Figure } from "../metrics/figures.ts";
import { groupTables } from "../metrics/group-tables.ts";
import { hasOnlyFigures } from "../recorded-set.ts";
import type { SetReport, TaskReport } from "../set-report.ts";
import { factRows } from "../task-facts.ts";
import { columnLines } from "./columns.ts";
import {
  countedText,
  differenceText,
  dollarText,
  type FigureUnit,
  figureText,
  pText,
  shortDigest,
  timeText,
  unitOf,
  valueText,
} from "./figure-text.ts";

/** Wider tables go on below. */
const maxWidth = 110;
/** After the variant, after the first metric, after the others. */
const gaps = [5, 3, 2];

export interface SummaryOptions {
  /** How the set is called in the commands that are shown: `last`, or its name. */
  readonly setName?: string;
}

export function summaryText(report: SetReport, options: SummaryOptions = {}): string {
  const lines = report.tasks.flatMap((task, at) => [
    ...(at === 0 ? [] : [""]),
    headLine(report, task),
    ...factLines(task),
    ...tableLines(task),
    ...groupLines(task),
    ...task.comparisons.filter(({ isExploratory }) => !isExploratory).map((one) => comparisonLine(task, one)),
    ...coverageLine(task),
    ...skippedLine(task),
    ...errorLines(task),
    ...unmeasuredLines(task),
    ...task.gates.map(gateLine),
  ]);
  const notes = correctionLines(report.tasks.flatMap(({ comparisons }) => comparisons));
  return [...lines, ...notes, ...endLines(report, options)].map((line) => `${line}\n`).join("");
}

/** `p corrected by Holm for 3 comparisons`, of all tasks. */
export function correctionLines(all: readonly TaskComparison[]): string[] {
  const count = correctedFor(all);
  return count === undefined ? [] : [`p corrected by Holm for ${count} comparisons`];
}

/** `eval-…   refunds   50 samples × 2 variants × 4 epochs   $4.31   7 min 12 s` */
function headLine({ set, tasks }: SetReport, { task, all }: TaskReport): string {
  const { spec } = task;
  const size = [
    countedText(task.samples.length, "sample"),
    ...(spec.variants.length > 1 ? [`${spec.variants.length} variants`] : []),
    ...(spec.epochs > 1 ? [`${spec.epochs} epochs`] : []),
  ].join(" × ");
  const cost = tasks.length === 1 ? set.costUsd : taskCost(task);
  const took = set.began === null || set.ended === null ? [] : [timeText(set.ended - set.began)];
  const states =
    all.coverage.states.done === all.coverage.trials
      ? []
      : [`${all.coverage.states.done} of ${countedText(all.coverage.trials, "trial")}`];
  return [set.name, spec.name, size, ...states, dollarText(cost), ...took].map(showOneLine).join("   ");
}

/** What the task is for, and what the set was made of. */
function factLines({ facts }: TaskReport): string[] {
  const said = factRows(facts).map(([name, text]) => (name === "date" ? text : `${name} ${text}`));
  return [facts.description ?? "", said.join(" · ")].filter((text) => text !== "").map(showOneLine);
}

const taskCost = ({ trials }: TaskReport["task"]): number | null =>
  trials.some(({ costUsd }) => costUsd === null)
    ? null
    : trials.reduce((sum, { costUsd }) => sum + (costUsd as number), 0);

/** Tokens are shown where the task names them, or where the cost is unknown. */
function tableColumns({ task, metrics, variants }: TaskReport): string[] {
  if (task.spec.metrics !== null) return [...metrics];
  const isPriced = variants.some(({ figures }) =>
    figures.some(({ name, value }) => name === "cost_usd" && value !== null),
  );
  return metrics.filter((name) => name !== (isPriced ? "tokens" : "cost_usd"));
}

/** Intervals for what the set is about; others would only fill the line. */
const hasInterval = (name: string, at: number): boolean =>
  at === 0 || ["success", "pass"].includes(parseMetricName(name)?.kind ?? "");

const headerOf = (name: string): string => (name === "cost_usd" ? "$/trial" : name);

function cellText(figure: Figure | undefined, at: number): string {
  if (figure === undefined) return "-";
  const text = hasInterval(figure.name, at)
    ? figureText(figure)
    : valueText(figure.value, unitOf(figure.name));
  return figure.short === 0 ? text : `${text} (${figure.short} short)`;
}

/** A row for each variant; columns that do not fit make another table below. */
function tableLines(report: TaskReport): string[] {
  const names = tableColumns(report);
  const cells = names.map((name, at) => [
    headerOf(name),
    ...report.variants.map(({ figures }) =>
      cellText(
        figures.find((figure) => figure.name === name),
        at,
      ),
    ),
  ]);
  const labels = ["", ...report.variants.map(({ name }) => variantLabel(report.task, name))];
  const tables: string[][][] = [];
  const widthOf = (column: readonly string[]): number => Math.max(...column.map(shownWidth));
  let width = Number.POSITIVE_INFINITY;
  for (const column of cells) {
    const own = widthOf(column) + 3;
    if (width + own > maxWidth) {
      tables.push([labels]);
      width = widthOf(labels) + 5;
    }
    tables.at(-1)?.push(column);
    width += own;
  }
  return tables.flatMap((columns) =>
    columnLines(
      labels.map((_, row) => columns.map((column) => column[row] ?? "")),
      gaps,
    ),
  );
}

/** The first metric by the values of a field, a column for each variant; without intervals where there is no room for them. */
function groupLines(report: TaskReport): string[] {
  return groupTables(report).flatMap(({ field, metric, columns, rows }) => {
    const linesWith = (text: (figure: Figure | undefined) => string): string[] =>
      columnLines(
        [
          [`  by ${field}`, ...(columns.length === 1 ? [metric] : columns)],
          ...rows.slice(0, maxGroups).map(({ value, figures }) => [`  ${value}`, ...figures.map(text)]),
        ].map((cells) => cells.map(showOneLine)),
        gaps,
      );
    const whole = linesWith((figure) => cellText(figure, 0));
    const isWide = whole.some((line) => shownWidth(line) > maxWidth);
    const lines = isWide ? linesWith((figure) => valueText(figure?.value ?? null, unitOf(metric))) : whole;
    const more = rows.length - maxGroups;
    return more <= 0 ? lines : [...lines, `  and ${countedText(more, "other value")} (--json has all)`];
  });
}

/** Values of a field that are shown; JSON and the page have all. */
const maxGroups = 12;

/** `  difference +0.050 [-0.012, +0.112], p 0.110: not shown (would find ±0.086)` */
export function comparisonLine({ task, variants }: TaskReport, one: TaskComparison): string {
  const between =
    variants.length > 2
      ? `  ${showOneLine(variantLabel(task, one.b))} less ${showOneLine(variantLabel(task, one.a))} `
      : "  difference ";
  return `${between}${comparedText(one)}`;
}

export function comparedText(one: TaskComparison): string {
  const unit = unitOf(one.metric);
  if (one.difference === null) return "unknown: no sample was scored on both sides";
  const p = one.pCorrected ?? one.difference.p;
  return [
    differenceText(one.difference.value, one.difference.low, one.difference.high, unit),
    p === undefined ? "" : `, ${pText(p)}`,
    `: ${one.conclusion}`,
    one.raced === undefined ? "" : ` after ${countedText(one.raced, "observation")}`,
    one.conclusion === "not shown" && one.detectable !== null
      ? ` (would find ±${valueText(one.detectable, unit)})`
      : "",
  ].join("");
}

/** `2 errored: 0.818 to 0.823 · 9 with a user fault (without them 0.848) · failed: agent 41, user 7` */
function coverageLine({ all, variants }: TaskReport): string[] {
  const { coverage } = all;
  const bounds = variants.flatMap(({ coverage: { errored } }) =>
    errored === null ? [] : `${errored.low.toFixed(3)} to ${errored.high.toFixed(3)}`,
  );
  const without = variants.map(({ coverage: { withoutFaults } }) => valueText(withoutFaults, "share"));
  const { states } = coverage;
  const parts = [
    ...(states.errored === 0
      ? []
      : [`${states.errored} errored${bounds.length === 0 ? "" : `: ${bounds.join(", ")}`}`]),
    ...(coverage.unscored === 0 ? [] : [`${coverage.unscored} unscored`]),
    ...(states.skipped === 0 ? [] : [`${states.skipped} skipped`]),
    ...(states.waiting === 0 ? [] : [`${states.waiting} waiting for a person`]),
    ...(coverage.userFaults === 0
      ? []
      : [`${coverage.userFaults} with a user fault (without them ${without.join(", ")})`]),
    ...(coverage.helped === 0 ? [] : [`${coverage.helped} helped by the user`]),
    ...(coverage.redone === 0 ? [] : [`${countedText(coverage.redone, "attempt")} given up for the user`]),
    ...(coverage.blame.length === 0
      ? []
      : [`failed: ${coverage.blame.map(([who, count]) => `${who} ${count}`).join(", ")}`]),
  ];
  return parts.length === 0 ? [] : [parts.join(" · ")];
}

/** Names that a line has room for; JSON has all. */
const maxSkipped = 10;

/** `  skipped: s22, s23, s40.2 (weak) and 41 more (--json names them)`: a sample of which all is skipped by its id. */
function skippedLine({ task }: TaskReport): string[] {
  const skipped = Map.groupBy(
    task.trials.filter(({ state }) => state === "skipped"),
    ({ sample }) => sample,
  );
  if (skipped.size === 0) return [];
  const planned = Map.groupBy(task.trials, ({ sample }) => sample);
  const names = [...skipped].flatMap(([sample, own]) =>
    own.length === planned.get(sample)?.length
      ? [encodePart(sample)]
      : own.map(
          ({ epoch, variant }) =>
            `${encodePart(sample)}.${epoch}${task.spec.variants.length > 1 ? ` (${variantLabel(task, variant)})` : ""}`,
        ),
  );
  const more = names.length - maxSkipped;
  const rest = more <= 0 ? "" : ` and ${more} more (--json names all)`;
  return [`  skipped: ${names.slice(0, maxSkipped).map(showOneLine).join(", ")}${rest}`];
}

/** More kinds of errors are a matter of `failures` and `show`. */
const maxErrorLines = 3;
const maxErrorText = 200;

/** `  error of 4 trials (provider): openai answered 500`, `  error of scorer tone on 2 trials: …`, the commonest first. */
function errorLines({ task }: TaskReport): string[] {
  const found = new Map<string, { readonly trials: Set<unknown>; line(count: string): string }>();
  const note = (trial: unknown, message: string, whose: string, line: (count: string) => string): void => {
    const key = JSON.stringify([whose, message]);
    const known = found.get(key) ?? { trials: new Set(), line };
    known.trials.add(trial);
    found.set(key, known);
  };
  for (const trial of task.trials) {
    if (trial.state === "errored" && trial.error !== null) {
      const { category, message } = trial.error;
      note(trial, message, category, (count) => `error of ${count} (${category}): ${message}`);
    }
    for (const { scorer, error } of trial.scores)
      if (error !== null)
        note(trial, error.message, `scorer ${scorer}`, (count) => {
          return `error of scorer ${scorer} on ${count}: ${error.message}`;
        });
  }
  const lines = [...found.values()]
    .sort((a, b) => b.trials.size - a.trials.size)
    .map(
      ({ trials, line }) =>
        `  ${showOneLine(line(countedText(trials.size, "trial")).slice(0, maxErrorText))}`,
    );
  const more = lines.length - maxErrorLines;
  return more <= 0 ? lines : [...lines.slice(0, maxErrorLines), `  and ${countedText(more, "other error")}`];
}

/** Metrics that the author named and that no trial has. */
const unmeasuredLines = ({ task }: TaskReport): string[] =>
  (task.spec.metrics ?? [])
    .filter((name) => isUnmeasured([task], name))
    .map((name) => `  no trial has ${showOneLine(name)}: it is no scorer, and nothing measured it`);

/** `gate success >= 0.8  pass 0.842 [0.780, 0.889]` */
export function gateLine(gate: GateResult): string {
  return `gate ${showOneLine(gate.text)}  ${gateOutcome(gate)}`;
}

/** `unclear -0.020 [-0.081, +0.041]; about 150 samples more would tell` */
export function gateOutcome(gate: GateResult): string {
  const unit: FigureUnit = unitOf(gate.text.split(/[\s/[<>]/u)[0] ?? "");
  const value = gate.isDifference
    ? differenceText(gate.value, gate.low, gate.high, unit)
    : gate.low === null || gate.high === null
      ? valueText(gate.value, unit)
      : `${valueText(gate.value, unit)} [${valueText(gate.low, unit)}, ${valueText(gate.high, unit)}]`;
  const more =
    gate.samplesMore === null ? [] : [`about ${countedText(gate.samplesMore, "sample")} more would tell`];
  const why = gate.why === null ? [] : [showOneLine(gate.why)];
  const shown = gate.value === null ? [] : [value];
  return `${gate.verdict}${[...shown].map((text) => ` ${text}`).join("")}${[...why, ...more].map((text, at) => `${at === 0 && gate.value === null ? ": " : "; "}${text}`).join("")}`;
}

function endLines(
  { set, tasks, isComplete, unscored }: SetReport,
  { setName = "last" }: SummaryOptions,
): string[] {
  const state =
    set.state === "done" || set.state === "running"
      ? []
      : [`${set.state}${set.why === null ? "" : `: ${showOneLine(set.why)}`}${howToResume(set, setName)}`];
  const open = isComplete || set.state !== "done" ? [] : erroredLine(tasks, setName);
  const stale =
    set.stale === 0 ? [] : [`${countedText(set.stale, "trial")} kept although the program changed since`];
  const found = tasks.find(({ example }) => example !== null);
  const hint = found?.example == null ? "" : `   harn eval show ${exampleAddress(setName, tasks, found)}`;
  const receipt = set.receipt === null ? hint.trim() : `receipt ${shortDigest(set.receipt)}${hint}`;
  return [...stale, ...state, ...open, ...unscored.map(showOneLine), ...(receipt === "" ? [] : [receipt])];
}

/** What goes on with a set that is not complete; more of what it ran out of is said with it. Nothing goes on with figures alone. */
function howToResume({ state, why, costLimit }: SetReport["set"], setName: string): string {
  if (hasOnlyFigures({ why })) return "";
  if (why === "budget" && costLimit !== null)
    return `; ${evalMessage("HARN-EVL-022", { cost: dollarText(costLimit) })}, harn eval resume ${setName} --cost USD goes on`;
  if (why === "budget of tokens") return `; harn eval resume ${setName} --tokens N goes on`;
  if (state === "waiting")
    return `; harn hitl list shows what is asked; once answered, harn eval resume ${setName} goes on`;
  return `; harn eval resume ${setName} goes on`;
}

function erroredLine(tasks: readonly TaskReport[], setName: string): string[] {
  const errored = tasks.reduce((sum, { all }) => sum + all.coverage.states.errored, 0);
  return errored === 0 ? [] : [`not complete: harn eval resume ${setName} runs what errored again`];
}

/** As short as it is clear: the task where there are several, the variant where there are several. */
function exampleAddress(
  setName: string,
  tasks: readonly TaskReport[],
  { task, example }: TaskReport,
): string {
  if (example === null) return setName;
  const path = [
    ...(tasks.length > 1 ? [encodePart(task.spec.name)] : []),
    ...(task.spec.variants.length > 1 ? [encodePart(example.variant)] : []),
    `${encodePart(example.sample)}.${example.epoch}`,
  ];
  return showOneLine(`${setName}:${path.join("/")}`);
}
