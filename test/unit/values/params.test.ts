import { describe, expect, test } from "vitest";
import type { TypeExpr } from "../../../src/syntax/index.ts";
import {
  caughtValue,
  compileParamCheck,
  display,
  lowerType,
  StructValue,
  schemaDict,
  structType,
  type Value,
} from "../../../src/values/index.ts";
import { closure } from "../../support/script-function.ts";
import { dict, float, list } from "../../support/values.ts";

const at = { start: 0, end: 0 };
const named = (text: string, ...args: TypeExpr[]): TypeExpr => ({
  kind: "NamedType",
  ...at,
  name: { ...at, text },
  args,
});
const union = (...members: TypeExpr[]): TypeExpr => ({ kind: "UnionType", ...at, members });
const literal = (value: string | number | boolean | null): TypeExpr => ({
  kind: "LiteralType",
  ...at,
  value,
});
const optional = (type: TypeExpr): TypeExpr => ({ kind: "OptionalType", ...at, type });
function schemaOf(type: TypeExpr) {
  const schema = lowerType(type);
  return schema === undefined ? undefined : schemaDict(schema);
}
const fnType: TypeExpr = { kind: "FnType", ...at, params: [], returns: named("int") };

/** `{a: T, "b?": U}` */
function shape(fields: Record<string, TypeExpr>): TypeExpr {
  return {
    kind: "ShapeType",
    ...at,
    fields: Object.entries(fields).map(([key, type]) => ({
      name: { ...at, text: key.replace("?", "") },
      optional: key.endsWith("?"),
      type,
    })),
  };
}

const int = named("int");
const string = named("string");
const user = shape({ name: string, age: int, "nick?": string });
const point = new StructValue(structType("Point", ["name", "age"]), ["a", 1]);

function failure(type: TypeExpr, value: Value, param = "p", rest = false): string {
  const check = compileParamCheck(param, type, {
    declared: (name) => (name === "Greeter" ? "interface" : undefined),
    rest,
  });
  if (check === undefined) return "unchecked";
  const error = check(value);
  return error === undefined ? "ok" : display(caughtValue(error));
}

describe("§16 parameter checks", () => {
  test.each<[string, TypeExpr, Value, string]>([
    ["int", int, 1, "ok"],
    ["int takes floats", int, float(1.5), "ok"],
    ["float takes ints", named("float"), 1, "ok"],
    ["primitive", int, "abc", "Runtime error: TypeError: parameter 'p' expected int, got string (abc)"],
    ["missing", int, null, "Runtime error: TypeError: parameter 'p' expected int, got nil (nil)"],
    [
      "union",
      union(string, int),
      true,
      "Runtime error: TypeError: parameter 'p' expected string|int, got bool (true)",
    ],
    ["union takes", union(string, int), float(1), "ok"],
    ["optional", optional(int), null, "ok"],
    [
      "optional, wrong",
      optional(int),
      "x",
      "Runtime error: TypeError: parameter 'p' expected int|nil, got string (x)",
    ],
    ["dict", named("dict"), 5, "Type error: parameter 'p': expected dict or struct, got int"],
    ["dict takes structs", named("dict"), point, "ok"],
    ["shape", user, 5, "Type error: parameter 'p': expected dict or struct, got int"],
    ["shape takes", user, dict({ name: "a", age: 1, more: 2 }), "ok"],
    ["shape takes structs", user, point, "ok"],
    ["missing field", user, dict({ name: "a" }), "Type error: parameter 'p': missing field 'age' (int)"],
    [
      "missing field with a hint",
      user,
      dict({ nmae: "a", age: 1 }),
      "Type error: parameter 'p': missing field 'name' (string), did you mean 'nmae'?",
    ],
    [
      "no hint for another first letter",
      user,
      dict({ mame: "a", age: 1 }),
      "Type error: parameter 'p': missing field 'name' (string)",
    ],
    [
      "field type",
      user,
      dict({ name: "a", age: "x" }),
      "Type error: parameter 'p': field 'age' expected int, got string",
    ],
    [
      "optional field present",
      user,
      dict({ name: "a", age: 1, nick: null }),
      "Type error: parameter 'p': field 'nick' expected string, got nil",
    ],
    [
      "fields are checked in key order",
      shape({ b: int, a: int }),
      dict({ a: "x", b: "x" }),
      "Type error: parameter 'p': field 'a' expected int, got string",
    ],
    [
      "missing fields come first, in declaration order",
      shape({ b: int, a: int, z: int }),
      dict({ a: "x" }),
      "Type error: parameter 'p': missing field 'b' (int)",
    ],
    [
      "nested shape",
      shape({ addr: user }),
      dict({ addr: "x" }),
      "Type error: parameter 'p': field 'addr' expected dict or struct, got string",
    ],
    [
      "inside a nested shape",
      shape({ addr: user }),
      dict({ addr: dict({ name: 1, age: 1 }) }),
      "Type error: parameter 'p.addr': field 'name' expected string, got int",
    ],
    [
      "field that is a union",
      shape({ id: union(string, int) }),
      dict({ id: true }),
      "Type error: parameter 'p.id' expected string|int, got bool (true)",
    ],
    [
      "dict of ints",
      named("dict", string, int),
      dict({ k: "x" }),
      "Type error: parameter 'p': field 'k' expected int, got string",
    ],
    [
      "list item",
      named("list", int),
      list(1, "x"),
      "Runtime error: TypeError: parameter 'p': at root[1]: expected type 'int', got 'string'",
    ],
    ["list takes floats for ints", named("list", int), list(float(1)), "ok"],
    ["no list", named("list", int), 5, "Runtime error: TypeError: parameter 'p' expected list, got int (5)"],
    [
      "list in a field",
      shape({ xs: named("list", int) }),
      dict({ xs: list("x") }),
      "Type error: parameter 'p.xs': at root[0]: expected type 'int', got 'string'",
    ],
    [
      "list of lists",
      named("list", named("list", int)),
      list(list(1), list(1, "x")),
      "Runtime error: TypeError: parameter 'p': at root[1][1]: expected type 'int', got 'string'",
    ],
    [
      "list of shapes",
      named("list", user),
      list(dict({ name: "a" })),
      "Runtime error: TypeError: parameter 'p': at root[0]: missing required key 'age'",
    ],
    [
      "list of unions",
      named("list", union(string, int)),
      list(true),
      "Runtime error: TypeError: parameter 'p': at root[0]: value did not match any union branch",
    ],
    ["literals", union(literal("pass"), literal("fail")), "pass", "ok"],
    [
      "another literal",
      union(literal("pass"), literal("fail")),
      "x",
      "Runtime error: TypeError: parameter 'p': value must be one of [pass, fail]",
    ],
    [
      "literal of another type",
      union(literal("pass"), literal("fail")),
      5,
      "Runtime error: TypeError: parameter 'p' expected string, got int (5)",
    ],
    [
      "constant",
      literal("pass"),
      "x",
      "Runtime error: TypeError: parameter 'p': expected constant pass, got x",
    ],
    ["closure", fnType, closure(() => null), "ok"],
    ["no closure", fnType, 5, "Runtime error: TypeError: parameter 'p' expected closure, got int (5)"],
    [
      "interface",
      named("Greeter"),
      5,
      "Type error: parameter 'p': expected value satisfying interface 'Greeter', got int",
    ],
    ["interface takes structs", named("Greeter"), point, "ok"],
    ["unknown names are not checked", named("Point"), 5, "unchecked"],
    ["nor any", named("any"), 5, "unchecked"],
    ["nor lists of them", named("list", named("Point")), 5, "unchecked"],
  ])("%s", (_name, type, value, expected) => {
    expect(failure(type, value)).toBe(expected);
  });

  test("a rest annotation may mean the list or each element", () => {
    expect(failure(int, list(1, 2), "r", true)).toBe("ok");
    expect(failure(named("list", int), list(1, 2), "r", true)).toBe("ok");
    expect(failure(int, list(1, "x"), "r", true)).toBe(
      "Runtime error: TypeError: parameter 'r' expected int, got string (x)",
    );
    expect(failure(named("list", int), list("x"), "r", true)).toBe(
      "Runtime error: TypeError: parameter 'r': at root[0]: expected type 'int', got 'string'",
    );
  });
});

describe("§15.5 schema dicts", () => {
  test.each<[TypeExpr, string]>([
    [int, "{type: int}"],
    [
      user,
      "{properties: {age: {type: int}, name: {type: string}, nick: {type: string}}, required: [name, age], type: dict}",
    ],
    [shape({ "a?": int }), "{properties: {a: {type: int}}, type: dict}"],
    [named("list", string), "{items: {type: string}, type: list}"],
    [named("dict", string, int), "{additional_properties: {type: int}, type: dict}"],
    [union(literal("a"), literal("b")), "{enum: [a, b], type: string}"],
    [union(literal(1), literal(2)), "{enum: [1, 2], type: int}"],
    [union(literal(1), literal("b")), "{union: [{const: 1, type: int}, {const: b, type: string}]}"],
    [union(int, named("nil")), "{union: [{type: int}, {type: nil}]}"],
    [literal("a"), "{const: a, type: string}"],
    [literal(true), "{type: bool}"],
    [fnType, "{type: closure}"],
  ])("%#: %s", (type, expected) => {
    expect(display(schemaOf(type) ?? "none")).toBe(expected);
  });
  test.each([named("any"), named("Point"), shape({ p: named("Point") }), named("list", named("Point"))])(
    "%#: no schema",
    (type) => {
      expect(schemaOf(type)).toBeUndefined();
    },
  );
});
