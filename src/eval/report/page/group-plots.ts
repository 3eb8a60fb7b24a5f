/** Plots of figures beside each other: groups of samples, and variants that differ in two things. */
import { type GroupTable, groupTables, type Matrix, matrixOf } from "../metrics/group-tables.ts";
import type { TaskReport } from "../set-report.ts";
import { figureText, unitOf, valueText } from "../text/figure-text.ts";
import { h } from "./markup.ts";
import {
  axis,
  axisRange,
  drawing,
  forestRow,
  gridPlaces,
  label,
  type Plot,
  rowHeight,
  scaled,
} from "./plots.ts";

/** Rows that a drawing has; the table behind it has all. */
const maxRows = 40;

export const groupPlots = (report: TaskReport): Plot[] =>
  groupTables(report).map((table) => groupPlot(report, table));

function groupPlot({ task }: TaskReport, { field, metric, columns, rows }: GroupTable): Plot {
  const unit = unitOf(metric);
  const points = rows
    .flatMap(({ value, figures }) =>
      figures.map((figure, at) => ({
        name: columns.length === 1 ? value : `${value} · ${columns[at]}`,
        figure,
      })),
    )
    .flatMap(({ name, figure }) => (figure === undefined || figure.value === null ? [] : [{ name, figure }]))
    .slice(0, maxRows);
  const [low, high] = axisRange(points.map(({ figure }) => figure));
  const x = scaled(low, high);
  const height = points.length * rowHeight + 40;
  return {
    title: `${task.spec.name}: ${metric} by ${field}`,
    svg: drawing(
      height,
      `${metric} of each ${field} with its 95 % interval`,
      ...points.map(({ name, figure }, at) => forestRow(name, figure, at * rowHeight, x)),
      axis(low, high, height - 24, (value) => valueText(value, unit)),
    ),
    head: [field, ...columns.flatMap((column) => [columns.length === 1 ? metric : column, "samples"])],
    rows: rows.map(({ value, figures }) => [
      value,
      ...figures.flatMap((figure) =>
        figure === undefined ? ["", ""] : [figureText(figure), String(figure.n)],
      ),
    ]),
  };
}

export function matrixPlot(report: TaskReport): Plot | undefined {
  const matrix = matrixOf(report);
  return matrix === undefined ? undefined : drawnMatrix(report.task.spec.name, matrix);
}

/** A cell a variant; the fuller its colour, the higher its figure. */
function drawnMatrix(task: string, { metric, down, across, columns, rows }: Matrix): Plot {
  const unit = unitOf(metric);
  const values = rows.flatMap(({ figures }) => figures.flatMap((figure) => figure?.value ?? []));
  const most = Math.max(1e-9, ...values);
  const { x, cell } = gridPlaces(columns.length);
  const headHeight = 24;
  const shown = rows.slice(0, maxRows);
  return {
    title: `${task}: ${metric} by ${down} and ${across}`,
    svg: drawing(
      headHeight + shown.length * (rowHeight + 8) + 8,
      `${metric} by ${down}, downwards, and ${across}, to the right`,
      ...columns.map((column, at) =>
        h("text", { x: x(at), y: 14 }, column.slice(0, Math.max(1, Math.floor(cell / 7)))),
      ),
      ...shown.flatMap(({ name, figures }, row) => {
        const top = headHeight + row * (rowHeight + 8);
        return [
          label(name, top + 14),
          ...figures.flatMap((figure, at) => {
            const value = figure?.value ?? null;
            const strength = value === null ? 0 : Math.max(0, value / most);
            return [
              h("rect", {
                class: "cell",
                x: x(at),
                y: top + 19,
                width: cell - 4,
                height: rowHeight - 16,
                "fill-opacity": (0.08 + 0.5 * strength).toFixed(2),
              }),
              h("text", { x: x(at) + 6, y: top + 34 }, value === null ? "" : valueText(value, unit)),
            ];
          }),
        ];
      }),
    ),
    head: [down, ...columns],
    rows: rows.map(({ name, figures }) => [
      name,
      ...figures.map((figure) => (figure === undefined ? "" : figureText(figure))),
    ]),
  };
}
