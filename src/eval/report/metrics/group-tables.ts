/** Figures beside each other: by the values of a field, and by two things that variants differ in. */
import { Dict, display, type Value } from "../../../values/index.ts";
import { variantLabel } from "../../plan/variant-label.ts";
import type { TaskReport } from "../set-report.ts";
import type { Figure } from "./figures.ts";

export interface GroupTable {
  readonly field: string;
  readonly metric: string;
  /** Variants, as they are called. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly value: string;
    readonly figures: readonly (Figure | undefined)[];
  }[];
}

/** Of the first metric, for each field of `group_by` that samples have. */
export function groupTables({ task, metrics, variants }: TaskReport): GroupTable[] {
  const metric = metrics[0];
  if (metric === undefined) return [];
  return task.spec.groupBy.flatMap((field) => {
    const values = [...new Set(variants.flatMap(({ groups }) => Object.keys(groups[field] ?? {})))];
    const rows = values.map((value) => ({
      value,
      figures: variants.map(({ groups }) => groups[field]?.[value]?.find(({ name }) => name === metric)),
    }));
    const columns = variants.map(({ name }) => variantLabel(task, name));
    return rows.length === 0 ? [] : [{ field, metric, columns, rows }];
  });
}

/** Of variants that differ in more than one thing: models across (without them what is named last), the rest down. */
export function matrixOf({ task, metrics, variants }: TaskReport) {
  const metric = metrics[0];
  const bodies = new Map(task.spec.variants.map(({ name, body }) => [name, body]));
  const keys = [...new Set([...bodies.values()].flatMap((body) => [...body.keys()]))];
  const varied = keys.filter(
    (key) => new Set([...bodies.values()].map((body) => textOf(body.get(key)))).size > 1,
  );
  const across = varied.includes("model") ? "model" : varied.at(-1);
  if (metric === undefined || across === undefined || varied.length < 2) return undefined;
  const down = varied.filter((key) => key !== across);
  const cells = new Map<string, Map<string, Figure | undefined>>();
  for (const { name, figures } of variants) {
    const body = bodies.get(name) ?? new Dict();
    const row = down
      .map((key) => (down.length === 1 ? textOf(body.get(key)) : `${key}=${textOf(body.get(key))}`))
      .join(",");
    const own = cells.get(row) ?? new Map<string, Figure | undefined>();
    cells.set(row, own);
    own.set(
      textOf(body.get(across)),
      figures.find((figure) => figure.name === metric),
    );
  }
  const columns = [...new Set([...cells.values()].flatMap((row) => [...row.keys()]))];
  return {
    metric,
    /** What rows and columns differ in: `prompt`, `model`. */
    down: down.join(", "),
    across,
    columns,
    rows: [...cells].map(([name, row]) => ({ name, figures: columns.map((column) => row.get(column)) })),
  };
}

export type Matrix = Readonly<NonNullable<ReturnType<typeof matrixOf>>>;

const textOf = (value: Value | undefined): string => (value === undefined ? "" : display(value));
