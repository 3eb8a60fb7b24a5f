import { describe, expect, test } from "vitest";
import {
  Bytes,
  Dict,
  Duration,
  decodeValue,
  display,
  EnumValue,
  encodeValue,
  equals,
  fromBase64,
  fromJson,
  type HandleValue,
  Iter,
  jsonParse,
  jsonPretty,
  jsonStringify,
  okResult,
  Pair,
  Range,
  ScriptError,
  SetValue,
  StructValue,
  structType,
  toBase64,
  toJson,
  type Value,
  wellFormedJson,
} from "../../../src/values/index.ts";
import { closure } from "../../support/script-function.ts";
import { dict, float, list, nested } from "../../support/values.ts";

const point = structType("Point", ["y", "x"]);
const bytes = new Bytes(Uint8Array.from([104, 105]));

describe("§23 json_stringify", () => {
  test.each<[Value, string]>([
    [5, "5"],
    [float(5), "5.0"],
    [float(-0), "-0.0"],
    [float(0.1), "0.1"],
    [float(1e300), "1e300"],
    [float(1.5e20), "1.5e20"],
    [float(1e15), "1000000000000000.0"],
    [float(1e-7), "1e-7"],
    [float(Number.NaN), "null"],
    [float(Number.POSITIVE_INFINITY), "null"],
    [2n ** 63n - 1n, "9223372036854775807"],
    [null, "null"],
    [
      'a"\\\n\t\r\b\u001b\u007f/é\u{1f600}\ud800',
      '"a\\"\\\\\\n\\t\\r\\u0008\\u001b\\u007f/é\u{1f600}\\ud800"',
    ],
    [dict({ b: list(1, "x"), a: dict({}) }), '{"a":{},"b":[1,"x"]}'],
    [dict({ 'q"': 1 }), '{"q\\"":1}'],
    [SetValue.from([1, 2]), "[1,2]"],
    [new StructValue(point, [2, 1]), '{"x":1,"y":2}'],
    [new Range(1, 5, false), '"1 to 5"'],
    [bytes, '{"$bytes_b64":"aGk="}'],
    [okResult(1), "null"],
    [new Pair(1, 2), "null"],
    [new Duration(5), "null"],
    [closure(() => null), "null"],
  ])("%#: %s", (value, expected) => {
    expect(jsonStringify(value)).toBe(expected);
  });

  test("pretty", () => {
    expect(jsonPretty(dict({ b: list(1, list()), a: dict({ x: "y" }) }))).toBe(
      '{\n  "a": {\n    "x": "y"\n  },\n  "b": [\n    1,\n    []\n  ]\n}',
    );
  });
});

describe("§23 json_parse", () => {
  test.each<[string, string]>([
    ["1", "1"],
    ["-0", "0"],
    ["1.0", "1.0"],
    ["1e2", "100.0"],
    ["9223372036854775807", "9223372036854775807"],
    ["9007199254740993", "9007199254740993"],
    ["99999999999999999999", "100000000000000000000"],
    [' { "b" : [ 1 , 2 ] , "a" : { } } ', "{a: {}, b: [1, 2]}"],
    ['{"a":1,"a":2}', "{a: 2}"],
    ['{"__proto__":{"x":1}}', "{__proto__: {x: 1}}"],
    ['"\\u0041\\ud83d\\ude00\\n\\/"', "A\u{1f600}\n/"],
    ["[true,false,null]", "[true, false, nil]"],
  ])("%s", (text, expected) => {
    expect(display(jsonParse(text))).toBe(expected);
  });

  test.each<[string, string]>([
    ["", "EOF while parsing a value at line 1 column 0"],
    ["{a}", "key must be a string at line 1 column 2"],
    ["[1,", "EOF while parsing a value at line 1 column 3"],
    ["[1", "EOF while parsing a list at line 1 column 2"],
    ["[1,]", "trailing comma at line 1 column 4"],
    ["[1 2]", "expected `,` or `]` at line 1 column 4"],
    ['{"a":1 "b":2}', "expected `,` or `}` at line 1 column 8"],
    ['{"a"', "EOF while parsing an object at line 1 column 4"],
    ['{"a":1,}', "trailing comma at line 1 column 8"],
    ['{"a" 1}', "expected `:` at line 1 column 6"],
    ["1 2", "trailing characters at line 1 column 3"],
    ["nul", "EOF while parsing a value at line 1 column 3"],
    ["nulx", "expected ident at line 1 column 4"],
    ["01", "invalid number at line 1 column 2"],
    ["1.x", "invalid number at line 1 column 3"],
    ["\n\n  x", "expected value at line 3 column 3"],
    ['"ab', "EOF while parsing a string at line 1 column 3"],
    ['"a\nb"', "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"],
    ['"\\q"', "invalid escape at line 1 column 3"],
    ['"\\ud800"', "unexpected end of hex escape at line 1 column 8"],
    ["1e999", "number out of range at line 1 column 5"],
  ])("%j is refused", (text, cause) => {
    let caught: unknown;
    try {
      jsonParse(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ScriptError);
    expect((caught as ScriptError).kind).toBe("thrown");
    expect((caught as ScriptError).value).toBe(`JSON parse error: ${cause}`);
  });

  test("depth is bounded only by memory", () => {
    const text = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
    expect(jsonStringify(jsonParse(text))).toBe(text);
  });
});

describe("plain JSON data", () => {
  test("both ways", () => {
    const data = JSON.parse('{"b":[1,2.5,"x",null,true],"a":{"__proto__":{"y":1}}}') as unknown;
    const value = fromJson(data);
    expect(display(value)).toBe("{a: {__proto__: {y: 1}}, b: [1, 2.5, x, nil, true]}");
    expect(JSON.stringify(toJson(value))).toBe('{"a":{"__proto__":{"y":1}},"b":[1,2.5,"x",null,true]}');
    expect(Object.getPrototypeOf(toJson(value))).toBe(Object.prototype);
  });
  test("what JSON lacks", () => {
    expect(
      toJson(list(float(1), 2n ** 53n, SetValue.from([1]), okResult(1), new Range(0, 1, false), bytes)),
    ).toEqual([1, 2 ** 53, [1], null, "0 to 1", { $bytes_b64: "aGk=" }]);
    expect(fromJson({ a: undefined, b: 1e300 })).toEqual(dict({ b: float(1e300) }));
  });
  test("too deep is an error of the language", () => {
    expect(() => toJson(nested(5000))).toThrow(ScriptError);
  });
});

describe("the stored form", () => {
  const values: Value[] = [
    null,
    true,
    0,
    -5,
    2n ** 62n,
    -(2n ** 63n),
    float(1),
    float(0.1),
    float(-0),
    float(Number.POSITIVE_INFINITY),
    "",
    "text \u0000 \ud800",
    list(1, list("x")),
    dict({}),
    dict({ a: 1, b: list() }),
    dict({ $: "float", v: 1 }),
    dict({ __proto__x: 1 }),
    Dict.from([["__proto__", list(1)]]),
    SetValue.from([1, "1", list(1)]),
    bytes,
    new Range(-3, 7, true),
    new Pair(1, new Pair("a", null)),
    new EnumValue("E", "V", [1, float(2)]),
    okResult(list(1)),
    new StructValue(point, [undefined, 1], new Map([["late", 2]])),
  ];
  test.each(values.map((value) => [display(value), value] as const))("%s", (_name, value) => {
    const stored = JSON.parse(JSON.stringify(encodeValue(value)));
    const back = decodeValue(stored);
    expect(display(back)).toBe(display(value));
    expect(equals(back, value)).toBe(true);
    expect(JSON.stringify(encodeValue(back))).toBe(JSON.stringify(stored));
  });
  test("ints and floats stay apart, and NaN survives", () => {
    expect(display(decodeValue(encodeValue(list(1, float(1), float(Number.NaN)))))).toBe("[1, 1.0, NaN]");
    expect(display(decodeValue(encodeValue(new Duration(1500))))).toBe("1500ms");
  });
  test("instances get the program's own struct type back", () => {
    const value = decodeValue(encodeValue(new StructValue(point, [2, 1])), () => point) as StructValue;
    expect(value.struct).toBe(point);
  });
  test("what has no stored form says so", () => {
    const refuse = (value: Value): unknown => {
      try {
        return encodeValue(value);
      } catch (error) {
        return (error as ScriptError).value;
      }
    };
    expect(refuse(list(closure(() => null)))).toBe(
      "cannot record a closure: only data can be stored in a journal",
    );
    expect(refuse(new Iter(() => undefined) as HandleValue)).toMatch(/^cannot record a iter/);
    expect(refuse(nested(5000))).toMatch(/nested more than/);
  });
});

test("base64", () => {
  for (const [text, encoded] of [
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
  ]) {
    expect(toBase64(new TextEncoder().encode(text))).toBe(encoded);
    expect(new TextDecoder().decode(fromBase64(encoded as string))).toBe(text);
  }
});

test.each([
  [String.raw`"\ud800"`, String.raw`"\ufffd"`],
  [String.raw`{"\udc00a": "\uD83D\uDE00"}`, String.raw`{"\ufffda": "\uD83D\uDE00"}`],
  [String.raw`"\ud800\ud83d\ude00"`, String.raw`"\ufffd\ud83d\ude00"`],
  [String.raw`"\\ud800 \\\ud800"`, String.raw`"\\ud800 \\\ufffd"`],
  [String.raw`"\u00e9"`, String.raw`"\u00e9"`],
])("lone halves of characters are replaced in a text of JSON: %s", (written, read) => {
  expect(wellFormedJson(written)).toBe(read);
  expect(() => jsonParse(wellFormedJson(written))).not.toThrow();
});
