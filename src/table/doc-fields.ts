/**
 * Rows of functions that are written in the language: lines of their doc comment.
 *
 *     @option options.timeout_ms: int = 30000 — Milliseconds in all.
 *     @option options.retry: dict — How often it is tried again.
 *     @option options.retry.max: int (strict) — Tries at most.
 *     @options options of agent_loop — those of a builtin, or of another function of the module
 *     @options options open — what else may stand there
 *
 * The first word names the parameter. A type is in the syntax of signatures; `strict` is `Field.bounds`. A parameter of
 * which no line speaks has no rows: it takes data.
 */
import { type Field, type FieldTable, type FieldTableMore, field, fieldTable } from "./fields.ts";

/** The rows of a parameter of another function: of `agent_loop`, of `cache_get`; of the one that has rows when it has no such parameter. */
type RowsOf = (name: string, param: string) => FieldTable | undefined;

const optionLine = /^@option (\w+)\.([\w.]+): (.+?)(?: = (.+?))?( \(strict\))? — (.+)$/;
const manyLine = /^@options (\w+) (of \w+(?:\.\w+)?|open)(?: — (.+))?$/;

/** What a doc comment says to people, without its rows. */
export const docText = (doc: string): string =>
  doc
    .split("\n")
    .filter((line) => !isRow(line))
    .join("\n")
    .trim();

const isRow = (line: string): boolean => /^\s*@options? /.test(line);

/** Lines that look like rows and are none: for the test of the library. */
export const badDocRows = (doc: string): readonly string[] =>
  doc
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => isRow(line) && !optionLine.test(line) && !manyLine.test(line));

/** A row of a doc comment. */
interface DocRow extends Field {
  /** Dotted, below the parameter. */
  readonly path: string;
}

/** What a doc comment says of a parameter. */
interface DocParam {
  readonly rows: readonly DocRow[];
  /** Functions whose options it takes, too: `agent_loop`, `cache_get.options`. */
  readonly others: readonly string[];
  /** What else may stand there. */
  readonly open: string | undefined;
}

class ParamRows implements DocParam {
  readonly rows: DocRow[] = [];
  readonly others: string[] = [];
  open: string | undefined;
}

/**
 * The rows in the doc comment of a function, by parameter. `rowsOf` is asked for what `of NAME` names; what it does not know is
 * open. `of OWN_NAME.PARAM` means a parameter that stands above.
 */
export function docFields(name: string, doc: string, rowsOf: RowsOf): ReadonlyMap<string, FieldTable> {
  const made = new Map<string, FieldTable>();
  const ask: RowsOf = (other, param) =>
    other === name && made.has(param) ? made.get(param) : rowsOf(other, param);
  for (const [param, said] of readParams(doc)) made.set(param, tableFrom(param, said, ask));
  return made;
}

/** What a doc comment says of its parameters, as it is written: for people. */
export function docParams(doc: string): ReadonlyMap<string, DocParam> {
  return readParams(doc);
}

function readParams(doc: string): Map<string, ParamRows> {
  const params = new Map<string, ParamRows>();
  const of = (param: string): ParamRows => {
    const known = params.get(param) ?? new ParamRows();
    params.set(param, known);
    return known;
  };
  for (const line of doc.split("\n").map((one) => one.trim())) {
    const option = optionLine.exec(line);
    if (option !== null) {
      const [, param = "", path = "", type = "", fallback, strict, text = ""] = option;
      of(param).rows.push({
        ...field(path.slice(path.lastIndexOf(".") + 1), type, text, {
          ...(fallback === undefined ? {} : { default: fallback }),
          ...(strict === undefined ? {} : { bounds: true }),
        }),
        path,
      });
      continue;
    }
    const [, param = "", which = "", why] = manyLine.exec(line) ?? [];
    if (which === "open") of(param).open = why ?? "data of the caller";
    else if (which !== "") of(param).others.push(which.slice("of ".length));
  }
  return params;
}

function tableFrom(param: string, { rows, others, open }: ParamRows, rowsOf: RowsOf): FieldTable {
  const tables = others.map((other) => {
    const [name = "", its = param] = other.split(".");
    return rowsOf(name, its);
  });
  const unknown = tables.includes(undefined);
  const further = tables.find((table) => table?.others !== undefined);
  const more: FieldTableMore =
    open !== undefined || unknown
      ? { others: open ?? "options of a function that is not known here" }
      : further?.others !== undefined
        ? { others: further.others, othersType: further.othersType }
        : {};
  const strict = tables.some((table) => table?.strict === true);
  return fieldTable(() => [...tables.flatMap((table) => table?.rows ?? []), ...rowsBelow(rows, "")], {
    ...more,
    strict,
  });
}

/** The rows directly below a path, with those below them. */
function rowsBelow(rows: readonly DocRow[], above: string): Field[] {
  return rows
    .filter(({ path }) => path.startsWith(above) && !path.slice(above.length).includes("."))
    .map(({ path, ...row }) => {
      const below = rows.filter((one) => one.path.startsWith(`${path}.`));
      return below.length === 0 ? row : { ...row, nested: fieldTable(() => rowsBelow(below, `${path}.`)) };
    });
}
