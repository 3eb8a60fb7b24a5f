/** Values for options of `agent_loop` as programs in TypeScript give them: one of each form that their rows allow. */
import { type DataForm, optionNames } from "../../src/library/loop-names.ts";
import type { Field, FieldTable } from "../../src/table/index.ts";

/** A value of each form; `depth` ends tables that stand in themselves. */
export const samplesOf = (forms: readonly DataForm[], row: Field, depth = 0): unknown[] =>
  forms.flatMap((form) => samplesOfForm(form, row, depth));

function samplesOfForm(form: DataForm, row: Field, depth: number): unknown[] {
  switch (form.kind) {
    case "text":
      return ["a text"];
    case "number":
      return [row.range?.[0] ?? row.range?.[1] ?? 1];
    case "bool":
      return [true, false];
    case "any":
      return [{ Some_data: 1 }];
    case "literal":
      return [form.value];
    case "list":
      return [samplesOf(form.items, row, depth)];
    case "map":
      return samplesOf(form.items, row, depth).map((one) => ({ ownName: one, own_name: one }));
    case "dict":
      return [form.table === null ? { ownName: 1, own_name: { ownName: 2 } } : recordOf(form.table, depth)];
  }
}

/** With all its options, each with the last of its forms; those of deep tables only where they must be there. */
const recordOf = (table: FieldTable, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    [...optionNames(table).values()]
      .filter(({ leftOut, row }) => leftOut === null && (depth < 2 || row.required === true))
      .map(({ name, forms, row }) => [name, samplesOf(forms, row, depth + 1).at(-1)]),
  );

/** What the rows alone can't say, by the name of an option: a text that means something where any may stand, a dict that has enough in it. */
export type Sensible = Readonly<Record<string, unknown>>;

/**
 * The same, so that each can be tried by itself: dicts with what must be there alone, and with each other option in each form. A table
 * that has been gone through is not gone through again.
 */
export class SingleSamples {
  private readonly sensible: Sensible;
  private readonly seen = new Set<FieldTable>();

  constructor(sensible: Sensible) {
    this.sensible = sensible;
  }

  of(forms: readonly DataForm[], row: Field): unknown[] {
    return forms.flatMap((form) => this.ofForm(form, row));
  }

  private ofForm(form: DataForm, row: Field): unknown[] {
    const { [row.name]: sensible } = this.sensible;
    switch (form.kind) {
      case "text":
        return [typeof sensible === "string" ? sensible : "a text"];
      case "list":
        return this.of(form.items, row).map((one) => [one]);
      case "map":
        return this.of(form.items, row).map((one) => ({
          [String(this.sensible[`${row.name}[]`] ?? "own")]: one,
        }));
      case "dict":
        if (form.table === null) return [sensible ?? {}];
        return this.records(form.table).map((one) => ({ ...(sensible as object | undefined), ...one }));
      default:
        return samplesOfForm(form, row, 0);
    }
  }

  private records(table: FieldTable): Record<string, unknown>[] {
    const options = [...optionNames(table).values()].filter(({ leftOut }) => leftOut === null);
    const isSeen = this.seen.has(table);
    this.seen.add(table);
    const needed = options
      .filter(({ row }) => row.required === true)
      .map(({ name, forms, row }) => [name, this.of(forms, row)[0]] as const);
    const base = Object.fromEntries(needed);
    if (isSeen) return [base];
    return [
      base,
      ...options.flatMap(({ name, forms, row }) =>
        this.of(forms, row).map((one) => ({ ...base, [name]: one })),
      ),
    ];
  }
}
