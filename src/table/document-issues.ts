/**
 * A document from outside (a manifest, an eval pack) against its rows: everything that is wrong with it, with path and suggestion.
 * Whoever opened it says so in the words of its format.
 */
import type { Dict, Value } from "../values/index.ts";
import { eachNested, mismatch, unknownKey } from "./field-mismatch.ts";
import type { Field, FieldTable } from "./fields.ts";

interface IssueAt {
  /** Keys from the top: `lint.disable`; of entries of a list, `skill.source[1]` is one key. */
  readonly path: string;
  /** The path of the dict that it stands in; "" for the document itself. */
  readonly inside: string;
  readonly key: string;
  readonly table: FieldTable;
  /** It would lift a bound (`Field.bounds`), or the table is strict. */
  readonly error: boolean;
}

export type DocumentIssue =
  | (IssueAt & { readonly kind: "unknown"; readonly near: string | undefined; readonly hint: string })
  | (IssueAt & {
      readonly kind: "type";
      readonly row: Field;
      readonly expected: string;
      readonly value: Value;
    });

/** In the order of the document. `entered` says whether the rows below a path are looked at; all are unless given. */
export function documentIssues(
  document: Dict,
  rows: FieldTable,
  entered: (path: string) => boolean = () => true,
): readonly DocumentIssue[] {
  const found: DocumentIssue[] = [];
  const visit = (dict: Dict, table: FieldTable, inside: string, strict: boolean): void => {
    for (const [key, value] of dict.entries()) {
      const path = inside === "" ? key : `${inside}.${key}`;
      const row = table.get(key);
      if (row === undefined) {
        if (key.startsWith("_")) continue;
        const { near, error, hint } = unknownKey(table, key, strict);
        if (table.others === undefined || near !== undefined)
          found.push({ kind: "unknown", path, inside, key, table, error, near, hint });
        continue;
      }
      const error = strict || table.strict || row.bounds === true;
      // Nil is as good as nothing, here as in every dict of options.
      if (value === null) continue;
      const expected = mismatch(row, value);
      if (expected !== undefined)
        found.push({ kind: "type", path, inside, key, table, error, row, expected, value });
      else if (row.nested !== undefined && entered(path)) {
        const { nested } = row;
        eachNested(value, row, path, (inner, innerPath) => visit(inner, nested, innerPath, error));
      }
    }
  };
  visit(document, rows, "", false);
  return found;
}
