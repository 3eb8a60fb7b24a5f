/**
 * Every builtin with large arguments: it ends, by itself or because its task has taken too many steps, with a value or with an
 * error that a script can catch. What loops without counting its rounds (`spend`) hangs here.
 */
// suite: slow
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { Interruption } from "../../../src/interp/index.ts";
import { parseSignature, type SignatureType } from "../../../src/table/index.ts";
import { ScriptError } from "../../../src/values/index.ts";
import { machine } from "../../support/builtin-call.ts";

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = { a: [value] };
  return value;
};
const text = 'ab1 \n{[<\u{1f600}"'.repeat(3000);
const dict = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key${at}`, at]));
const list = Array.from({ length: 10_000 }, (_, at) => at % 997);
const entries = Array.from({ length: 2000 }, (_, id) => ({
  id,
  name: `n${id}`,
  role: "user",
  content: "words",
}));

/** A round gives each parameter one of these, by its type. */
const large: Readonly<Record<string, readonly unknown[]>> = {
  string: [text, "a".repeat(70_000), "(".repeat(50_000)],
  list: [list, entries, [nested(2000)]],
  int: [2 ** 40, -(2 ** 40), 1_000_000_000],
  float: [1e300, -1e15, 1e15],
  dict: [dict, { items: list, text, _proto_: 1 }, nested(2000)],
  any: [list, dict, nested(2000)],
};
const rounds = [0, 1, 2];

function kindOf(type: SignatureType): string {
  if (type.kind === "union") return kindOf(type.members[0] as SignatureType);
  if (type.kind === "shape") return "dict";
  return type.kind === "name" && Object.hasOwn(large, type.name) ? type.name : "any";
}

describe("with large arguments", () => {
  it.each([...builtinTable().keys()].filter((name) => name !== "exit"))("%s ends", (name) => {
    const { params } = parseSignature(builtinTable().get(name)?.sig ?? "() -> nil");
    for (const round of rounds) {
      const run = machine();
      Object.assign(run.runtime.limits, { steps: 3_000_000 });
      try {
        const result = run.call(name, ...params.map(({ type }) => large[kindOf(type)]?.[round]));
        if (result instanceof Promise) result.catch(() => {});
      } catch (error) {
        // A text or a stack that is too large (RangeError) becomes an error of the script where it is caught.
        const isExpected = [ScriptError, RangeError, Interruption].some((kind) => error instanceof kind);
        expect(isExpected, String(error)).toBe(true);
      }
    }
  });
});
