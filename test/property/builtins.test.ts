/** Whatever a script passes, a builtin answers or raises an error of the language: it never shows a JavaScript error. */
// long: fuzzes every builtin
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../src/builtins/index.ts";
import { bindBuiltin, ExitProgram } from "../../src/interp/index.ts";
import {
  Bytes,
  Dict,
  Duration,
  display,
  EnumValue,
  err,
  Float,
  List,
  okResult,
  Pair,
  Range,
  ScriptError,
  SetValue,
  type Value,
} from "../../src/values/index.ts";
import { machine } from "../support/builtin-call.ts";
import { closure } from "../support/script-function.ts";

/** Areas whose builtins need a model, a task that runs, or a program around them. */
const elsewhere = new Set(["llm", "tools", "agent_loop", "concurrency"]);

const words = fc.constantFrom(
  "",
  "a",
  "__proto__",
  "constructor",
  "length",
  "toString",
  "\0",
  "\ud800",
  "😀é",
  "/",
  "..",
  "{{ x | upper }}",
  "{{ for x in xs }}{{ x }}{{ end }}",
  "{}",
  "%Y %Q %",
  "(?P<n>a)",
  "[",
  ".a[0] | map(.x)",
  "2024-01-02",
  "UTC",
  "stdin",
  "1e400",
  "99999999999999999999",
  "YWI=",
  "https://a.de/x?y=1",
);
const scalar: fc.Arbitrary<Value> = fc.oneof(
  words,
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<Value>(0, -1, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)),
  fc.double().map((x) => new Float(x)),
  fc.integer({ min: -1e9, max: 1e9 }).map((ms) => new Duration(ms)),
  fc.uint8Array({ maxLength: 40 }).map((data) => new Bytes(data)),
  fc
    .tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }), fc.boolean())
    .map(([a, b, x]) => new Range(a, b, x)),
);
const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }).map((items) => new List(items)),
    fc.array(fc.tuple(words, tie("value")), { maxLength: 4 }).map((entries) => Dict.from(entries)),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => SetValue.from(items)),
    fc.tuple(tie("value"), tie("value")).map(([a, b]) => new Pair(a, b)),
    tie("value").map((one) => okResult(one)),
    tie("value").map((one) => err(one)),
    fc.constant(new EnumValue("Color", "Red", [])),
    fc.constant(closure((x) => x ?? null)),
    fc.constant(closure(() => true)),
  ),
})).value;

const specs = [...builtinTable().values()].filter((spec) => !elsewhere.has(spec.area));

describe("builtins of strangers' arguments", () => {
  it.each(specs.map((spec) => [`${spec.area}: ${spec.name}`, spec] as const))("%s", async (_title, spec) => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 4 }), async (args) => {
        const { task } = machine();
        try {
          const result = await bindBuiltin(spec).call(task, args);
          expect(result).not.toBe(undefined);
          display(result);
        } catch (error) {
          if (!(error instanceof ScriptError) && !(error instanceof ExitProgram)) throw error;
        }
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 40), seed: Number(process.env.FC_SEED ?? 20261121) },
    );
  });
});
