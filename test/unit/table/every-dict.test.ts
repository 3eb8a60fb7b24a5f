/** Every parameter of a builtin that takes a dict says what is in it: rows, or in words why there are none. */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import {
  type DictParam,
  type Field,
  type FieldTable,
  parseSignature,
  parseType,
  type SignatureType,
} from "../../../src/table/index.ts";

const takesDict = (type: SignatureType): boolean => {
  if (type.kind === "shape") return true;
  if (type.kind === "union") return type.members.some(takesDict);
  return (
    type.kind === "name" && (type.name === "dict" || (type.name === "list" && type.args.some(takesDict)))
  );
};

const specs = [...builtinTable().values()];

/** Every table that some builtin has, with those nested in it; `name` is the place where it was found first. */
function allTables(): Map<FieldTable, string> {
  const found = new Map<FieldTable, string>();
  const add = (table: FieldTable, name: string): void => {
    if (found.has(table)) return;
    found.set(table, name);
    for (const row of table.rows) if (row.nested !== undefined) add(row.nested, `${name}.${row.name}`);
  };
  for (const { name, fields } of specs)
    for (const [param, input] of Object.entries<DictParam>(fields ?? {}))
      if (typeof input === "function") add(input(), `${name}(${param})`);
  return found;
}

describe("every dict parameter", () => {
  it("has rows or a reason", () => {
    const silent = specs.flatMap(({ name, sig, fields, handles }) =>
      parseSignature(sig)
        .params.filter(({ type }) => takesDict(type))
        .filter((param) => fields?.[param.name] === undefined && handles?.[param.name] === undefined)
        .map((param) => `${name}(${param.name})`),
    );
    expect(silent).toEqual([]);
  });

  it("is a parameter of its builtin", () => {
    const stray = specs.flatMap(({ name, sig, fields }) => {
      const params = new Set(parseSignature(sig).params.map((param) => param.name));
      return Object.keys(fields ?? {})
        .filter((param) => !params.has(param))
        .map((param) => `${name}(${param})`);
    });
    expect(stray).toEqual([]);
  });

  it("gives reasons in words", () => {
    const empty = specs.flatMap(({ name, fields, handles }) =>
      Object.entries<DictParam>({ ...handles, ...fields })
        .filter(([, input]) => typeof input === "string" && input.trim().length < 5)
        .map(([param]) => `${name}(${param})`),
    );
    expect(empty).toEqual([]);
  });
});

describe("every row", () => {
  const tables = [...allTables()];

  it("there are some", () => {
    expect(tables.length).toBeGreaterThan(100);
  });

  const wrongRows = (wrong: (row: Field, table: FieldTable) => boolean): string[] =>
    tables.flatMap(([table, name]) =>
      table.rows.filter((row) => wrong(row, table)).map((row) => `${name}.${row.name}`),
    );

  it("has a type that can be read", () => {
    expect(
      wrongRows(({ type }) => {
        parseType(type);
        return false;
      }),
    ).toEqual([]);
  });

  it("has one sentence", () => {
    expect(
      wrongRows(({ doc }) => !/^[A-Z`"'(]|^in so long/.test(doc) || !/[.:,]$|\.\)$|events$/.test(doc)),
    ).toEqual([]);
  });

  it("has texts to choose from only where it may be a text", () => {
    expect(wrongRows(({ type, values }) => values !== undefined && !/string|any/.test(type))).toEqual([]);
  });

  it("has a default among its texts", () => {
    expect(
      wrongRows(
        ({ values, default: usual }) =>
          values !== undefined && usual?.startsWith('"') === true && !values.includes(JSON.parse(usual)),
      ),
    ).toEqual([]);
  });

  it("stands in its table once", () => {
    const twice = tables.flatMap(([table, name]) => {
      const names = table.declared.map((row) => row.name);
      return names.filter((one, at) => names.indexOf(one) !== at).map((one) => `${name}.${one}`);
    });
    expect(twice).toEqual([]);
  });
});
