/** Wrong values in literal dicts of options: told by `harn check` at every depth, each at its own place. */
import { expect, test } from "vitest";
import { builtinGlobals, builtinTable } from "../../../src/builtins/index.ts";
import { compileProgram } from "../../../src/lower/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { row, rows } from "../../../src/table/index.ts";
import { typeChecker } from "../../../src/types/index.ts";

const inner = rows(() => ({ most: row.int("", null, { min: 1 }) }), { strict: true });
const outer = rows(() => ({
  share: row.number("", null, { min: 0, max: 1 }),
  each: row.list(row.oneOf(["clear", "drop"]), ""),
  by_name: row.map(row.either([row.int("", null, { min: 0 }), row.list(row.text())]), ""),
  form: row.either([row.bool(), row.oneOf(["auto"]), row.list(row.dict(inner))], ""),
  deep: row.map(row.list(row.dict(inner)), ""),
}));
const [first, spec] = [...builtinTable()].find(([name]) => name === "artifact_select")!;
const builtins = new Map([...builtinTable(), [first, { ...spec, fields: { policy: () => outer } }]]);

const said = (options: string): string[] =>
  compileProgram(new SourceFile("deep.harn", `fn f(o) { artifact_select([], ${options}) }`), {
    builtins,
    globals: builtinGlobals,
    parse,
    check: typeChecker({ builtins, fields: true }),
  }).diagnostics.map(({ code, message }) => `${code} ${message}`);

test.each([
  [`{each: ["clear", "drip"]}`, ["each[1]", '"clear" or "drop"']],
  [`{each: "clear"}`, ["each", "list<string>"]],
  [`{by_name: {a: 1, b: -1}}`, ["by_name.b", "int >= 0"]],
  [`{share: 1.5}`, ["share", "float from 0 to 1", "float 1.5"]],
  [`{by_name: {a: ["x", 3]}}`, ["by_name.a[1]", "string"]],
  [`{by_name: {a: {}}}`, ["by_name.a", "int | list<string>"]],
  [`{form: "car"}`, ["form", '"auto"']],
  [`{form: [{most: 1}, {most: 0}]}`, ["form[1].most", "int >= 1"]],
  [`{form: [{moost: 1}]}`, ["form[0]", "moost"]],
  [`{deep: {a: [{most: "x"}]}}`, ["deep.a[0].most", "int"]],
])("%s", (options, words) => {
  const found = said(options);
  expect(found).toHaveLength(1);
  for (const word of words) expect(found[0]).toContain(word);
});

test.each([
  `{each: ["clear", nil, o], by_name: {a: 1, b: ["x"], c: o}, form: true}`,
  `{form: "auto", deep: {a: [{most: 3}, o]}, each: o}`,
  `{form: [], deep: {}, by_name: nil, _note: 3}`,
])("%s is right", (options) => {
  expect(said(options)).toEqual([]);
});
