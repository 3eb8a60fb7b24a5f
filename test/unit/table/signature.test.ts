import { describe, expect, it } from "vitest";
import { parseSignature, showSignatureType } from "../../../src/table/index.ts";

const show = (text: string): string => {
  const { params, returns } = parseSignature(text);
  const list = params.map((param) => {
    const rest = param.rest ? "..." : "";
    const optional = param.optional ? "?" : "";
    const fallback = param.default === undefined ? "" : ` = ${param.default}`;
    return `${rest}${param.name}${optional}: ${showSignatureType(param.type)}${fallback}`;
  });
  return `${list.join("; ")} -> ${showSignatureType(returns)}`;
};

describe("signatures", () => {
  it.each([
    ["() -> nil", " -> nil"],
    [
      '(value: string, width: int, fill: string = " ") -> string',
      'value: string; width: int; fill?: string = " " -> string',
    ],
    ["(...values: any) -> set", "...values?: any -> set"],
    [
      "(xs: list<int | float>, f?: fn(any) -> bool) -> dict<string, list>",
      "xs: list<int | float>; f?: fn(any) -> bool -> dict<string, list>",
    ],
    ["(o: {a: int, b?: string}) -> string?", "o: {a: int, b?: string} -> string | nil"],
    ['(mode: "a" | "b", n: -1 | 2) -> [int]', 'mode: "a" | "b"; n: -1 | 2 -> list<int>'],
    [
      '(opts: dict = {headers: false, delimiter: ","}, z?) -> any',
      'opts?: dict = {headers: false, delimiter: ","}; z?: any -> any',
    ],
  ])("%s", (text, expected) => {
    expect(show(text)).toBe(expected);
  });

  it.each([
    ["value: string", "expected `(` at column 1"],
    ["(a: ) -> nil", "expected a type at column 5"],
    ["(a: int b: int) -> nil", "expected `,` at column 9"],
    ["(a = ) -> nil", "expected a default"],
    ["() -> nil nil", "expected end of text"],
  ])("refuses %s", (text, message) => {
    expect(() => parseSignature(text)).toThrow(message);
  });

  it("remembers what it parsed", () => {
    expect(parseSignature("(x: int) -> int")).toBe(parseSignature("(x: int) -> int"));
  });
});
