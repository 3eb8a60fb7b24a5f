/**
 * Options as Markdown tables, for pages. What a page has shown already is pointed to: a dict with the same rows, and many
 * rows that another function takes, too. Rows are the same when they say the same, whoever made them.
 */
import type { BuiltinSpec, Field, FieldTable } from "../../table/index.ts";
import { optionPath, optionTables, rowNotes } from "./options.ts";

/** So many rows of another place are pointed to, not repeated. */
const manyRows = 6;

const otherName = /^Another name for `(\w+)`\.$/;

/** A row with its other names, which have rows of their own in the table. */
interface Named {
  readonly row: Field;
  readonly names: readonly string[];
  /** What the row says, and what is below it. */
  readonly key: string;
}

const tableKeys = new WeakMap<FieldTable, string>();

function tableKey(table: FieldTable): string {
  const known = tableKeys.get(table);
  if (known !== undefined) return known;
  // A table that is below itself.
  tableKeys.set(table, "…");
  const key = JSON.stringify([table.strict, table.others, table.rows.map(rowKey)]);
  tableKeys.set(table, key);
  return key;
}

const rowKey = (row: Field): string =>
  JSON.stringify([
    row.name,
    row.type,
    row.default,
    row.doc,
    rowNotes(row, undefined),
    row.nested === undefined ? null : tableKey(row.nested),
  ]);

/** The rows of a table, other names beside the one that they stand for. */
function namedRows(table: FieldTable): Named[] {
  const others = Map.groupBy(table.rows, ({ doc, deprecated }) => {
    const [, name] = (deprecated === undefined && otherName.exec(doc)) || [];
    return name !== undefined && table.get(name) !== undefined ? name : "";
  });
  return (others.get("") ?? []).map((row) => {
    const names = [row, ...(others.get(row.name) ?? [])].map(({ name }) => name);
    return { row, names, key: rowKey(row) };
  });
}

/** A row of a table: what it is about, and its Markdown. */
export interface TableLine {
  readonly row: Field;
  /** The row of the outermost dict that it stands under. */
  readonly top: Field;
  readonly text: string;
}

interface TablePart {
  readonly lines: TableLine[];
  /** What there is besides, in words. */
  readonly more: string[];
}

/** Where a table stands. */
interface Place {
  /** As a link or code, for those who are told to look there. */
  readonly name: string;
  /** The function or page, before paths of dicts in the table. */
  readonly within: string;
  /** Before names of keys: `pool.`. */
  readonly path: string;
}

/** What pages have shown so far. */
export class ShownOptions {
  /** What a table says ▸ where it stands. */
  private readonly tables = new Map<string, string>();
  /** Where rows stand ▸ what they say ▸ their name. */
  private readonly places = new Map<string, ReadonlyMap<string, string>>();
  private readonly prepared = new Map<string, string[]>();

  /** Shows its options first, wherever it comes on the page: others are told by them. */
  prepare(spec: BuiltinSpec): void {
    this.prepared.set(spec.name, this.made(spec));
  }

  /** The options of a function that stand on a page of their own: `page#part`. */
  prepareElsewhere(name: string, table: FieldTable, address: string): TablePart {
    this.prepared.set(name, ["", `Options: [${address.split("#")[0]}](${address}).`]);
    return this.tablePart(table, { name: `[${name}](${address})`, within: name, path: "" });
  }

  /** For the page of functions: a table for each parameter with options. */
  optionsPage(spec: BuiltinSpec): string[] {
    return this.prepared.get(spec.name) ?? this.made(spec);
  }

  private made(spec: BuiltinSpec): string[] {
    return optionTables(spec).flatMap(([param, table]) => {
      const first = this.tables.get(tableKey(table));
      if (first !== undefined) return ["", `\`${param}\`: options as for ${first}.`];
      const place = { name: functionLink(spec.name), within: spec.name, path: "" };
      const { lines, more } = this.tablePart(table, place);
      return [
        ...(lines.length === 0 ? [] : ["", ...tableHead(param), ...lines.map(({ text }) => text)]),
        ...(more.length === 0 ? [] : ["", more.join(" ")]),
      ];
    });
  }

  /** A table that stands nowhere yet. */
  tablePart(table: FieldTable, place: Place, outer: ReadonlySet<Field> = new Set(), top?: Field): TablePart {
    this.tables.set(tableKey(table), place.name);
    const rows = namedRows(table).filter(({ row }) => !outer.has(row));
    const { kept, more } = this.withoutShown(rows);
    this.places.set(place.name, new Map(rows.map(({ key, row }) => [key, row.name])));
    const known = new Set([...outer, ...table.rows]);
    const lines = kept.flatMap((named) =>
      this.rowLines(
        named,
        place,
        named.row.nested?.takesOuterRows === true ? known : outer,
        top ?? named.row,
      ),
    );
    const others = table.others === undefined ? [] : [`Any other name: ${table.others}.`];
    return { lines, more: [...more, ...others] };
  }

  private rowLines(
    { row, names }: Named,
    { within, path }: Place,
    outer: ReadonlySet<Field>,
    top: Field,
  ): TableLine[] {
    const { nested } = row;
    const at = `${path}${row.name}`;
    const paths = names.map((name) => `${path}${name}`);
    const line = (more: readonly string[]): TableLine => ({ row, top, text: rowOfTable(row, paths, more) });
    if (nested === undefined) return [line([])];
    const seeAlso = this.tables.get(tableKey(nested));
    if (seeAlso !== undefined) return [line([`Keys as for ${seeAlso}.`])];
    const name = `\`${within === "" ? "" : `${within} `}${at}\``;
    const { lines, more } = this.tablePart(nested, { name, within, path: optionPath(at, row) }, outer, top);
    return [line(more), ...lines];
  }

  /** Leaves out what many rows elsewhere say, and says where. */
  private withoutShown(rows: readonly Named[]): { readonly kept: readonly Named[]; readonly more: string[] } {
    let kept = rows;
    const more: string[] = [];
    // Those that the table has in other words are not missing.
    const own = new Set(rows.flatMap(({ names }) => names));
    for (;;) {
      const [place, shared] = this.sharingPlace(kept);
      if (shared.size < manyRows) return { kept, more };
      kept = kept.filter(({ key }) => !shared.has(key));
      const missing = [...(this.places.get(place) ?? [])].filter(
        ([key, name]) => !shared.has(key) && !own.has(name),
      );
      const names = (some: Iterable<string>): string => [...some].map((name) => `\`${name}\``).join(" ");
      more.push(
        missing.length === 0
          ? `And the options of ${place}.`
          : missing.length < shared.size
            ? `And the options of ${place} but ${names(missing.map(([, name]) => name))}.`
            : `And as for ${place}: ${names(shared.values())}.`,
      );
    }
  }

  /** The place that has most of these rows, with what they say and their names. */
  private sharingPlace(rows: readonly Named[]): [place: string, shared: ReadonlyMap<string, string>] {
    const shares = [...this.places].map(([place, there]): [string, Map<string, string>] => [
      place,
      new Map(rows.filter(({ key }) => there.has(key)).map(({ key, row }) => [key, row.name])),
    ]);
    return shares.reduce((most, one) => (one[1].size > most[1].size ? one : most), ["", new Map()]);
  }
}

const functionLink = (name: string): string => `[${name}](#${name.toLowerCase()})`;

/** A text in a cell of a table; what is escaped already stays. */
export const tableCell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, "\\|");

function rowOfTable(row: Field, paths: readonly string[], more: readonly string[]): string {
  const cells = [
    paths.map((path) => `\`${path}\``).join(", "),
    `\`${tableCell(row.type)}\``,
    row.default === undefined ? "" : `\`${tableCell(row.default)}\``,
    [...[row.doc, ...rowNotes(row, undefined, "Fixed.")].map(tableCell), ...more].join(" "),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The head of a table of options. */
export const tableHead = (what: string): string[] => [`| ${what} | type | default | |`, "|---|---|---|---|"];

/** Rows as a Markdown table, for pages about something that is no builtin; nothing when there are none. */
export function fieldsTable(what: string, table: FieldTable): string[] {
  const { lines } = new ShownOptions().tablePart(table, { name: what, within: "", path: "" });
  return lines.length === 0 ? [] : [...tableHead(what), ...lines.map(({ text }) => text)];
}
