/** Every specialised form of an operator gives what the operator itself gives, for values at the edges. */
import { describe, expect, it } from "vitest";
import {
  add,
  caughtValue,
  display,
  divide,
  equals,
  Float,
  greaterOrEqual,
  greaterThan,
  List,
  lessOrEqual,
  lessThan,
  modulo,
  multiply,
  ScriptError,
  subtract,
  type Value,
} from "../../../../src/values/index.ts";
import { runScript } from "../../../support/run-script.ts";

const operators: Record<string, (a: Value, b: Value) => Value> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": modulo,
  "<": lessThan,
  "<=": lessOrEqual,
  ">": greaterThan,
  ">=": greaterOrEqual,
  "==": equals,
  "!=": (a, b) => !equals(a, b),
};

const MAX = Number.MAX_SAFE_INTEGER;
const values: Value[] = [
  0,
  1,
  -1,
  3,
  -7,
  MAX,
  -MAX,
  MAX - 1,
  2n ** 53n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  new Float(0),
  new Float(-0),
  new Float(2.5),
  new Float(Number.NaN),
  "ab",
  "",
  true,
  null,
  new List([1]),
];

/** What `try { … }` shows. */
function shown(run: () => Value): string {
  try {
    return `Result.Ok(${display(run())})`;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `Result.Err(${display(caughtValue(error))})`;
  }
}

async function lines(body: string): Promise<string[]> {
  const text = `pipeline default(values) {\nfor x in values {\nfor y in values {\n${body}\n}\n}\n}`;
  const run = await runScript(text, { params: new Map([["values", new List([...values])]]) });
  expect(run.error).toBe("");
  return run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.slice("[harn] ".length));
}

function expected(compute: (x: Value, y: Value) => Value): string[] {
  return values.flatMap((x) => values.map((y) => shown(() => compute(x, y))));
}

describe.each(Object.entries(operators))("%s", (op, apply) => {
  it("of two variables", async () => {
    expect(await lines(`log(try { x ${op} y })`)).toEqual(expected(apply));
  });

  it("of computed operands", async () => {
    expect(await lines(`log(try { [x][0] ${op} [y][0] })`)).toEqual(expected(apply));
    expect(await lines(`log(try { x ${op} [y][0] })`)).toEqual(expected(apply));
    expect(await lines(`log(try { [x][0] ${op} y })`)).toEqual(expected(apply));
  });

  it.each([0, 3, -7, MAX])("with the constant %d", async (constant) => {
    const text = constant < 0 ? `(${constant})` : String(constant);
    expect(await lines(`log(try { x ${op} ${text} })`)).toEqual(expected((x) => apply(x, constant)));
    expect(await lines(`log(try { [x][0] ${op} ${text} })`)).toEqual(expected((x) => apply(x, constant)));
  });

  it("stored in a variable", async () => {
    const stored = (expression: string) => `log(try { var r = nil\nr = ${expression}\nr })`;
    expect(await lines(stored(`x ${op} y`))).toEqual(expected(apply));
    expect(await lines(stored(`x ${op} 3`))).toEqual(expected((x) => apply(x, 3)));
    expect(await lines(stored(`[x][0] ${op} y`))).toEqual(expected(apply));
    expect(await lines(stored(`[x][0] ${op} 3`))).toEqual(expected((x) => apply(x, 3)));
  });

  it.each(["+", "-", "*"])("on the result of %s with a constant", async (inner) => {
    const first = operators[inner]!;
    expect(await lines(`log(try { (x ${inner} 3) ${op} 2 })`)).toEqual(
      expected((x) => apply(first(x, 3), 2)),
    );
    const stored = `log(try { var r = nil\nr = (x ${inner} ${MAX}) ${op} 5\nr })`;
    expect(await lines(stored)).toEqual(expected((x) => apply(first(x, MAX), 5)));
  });

  it.each([
    ["may wait and do not", "{ v -> v }"],
    ["wait", "{ v -> sleep(1ms)\nv }"],
  ])("of operands that %s", async (_what, pass) => {
    const shownBy = (expression: string) => `let pass = ${pass}\nlog(try { ${expression} })`;
    expect(await lines(shownBy(`pass(x) ${op} pass(y)`))).toEqual(expected(apply));
    expect(await lines(shownBy(`x ${op} pass(y)`))).toEqual(expected(apply));
    expect(await lines(shownBy(`var r = x\nr = r ${op} pass(y)\nr`))).toEqual(expected(apply));
    expect(await lines(shownBy(`let r = pass(x) ${op} pass(y)\nr`))).toEqual(expected(apply));
    expect(await lines(shownBy(`pass(x) ${op} 3`))).toEqual(expected((x) => apply(x, 3)));
  });

  it("as a condition of `if`, `while` and a ternary", async () => {
    const truth = expected((x, y) => (apply(x, y) === true ? "yes" : "no"));
    if (!["<", "<=", ">", ">=", "==", "!="].includes(op)) return;
    expect(await lines(`log(try { if x ${op} y { "yes" } else { "no" } })`)).toEqual(truth);
    expect(await lines(`log(try { x ${op} y ? "yes" : "no" })`)).toEqual(truth);
    const loop = `log(try { var r = "no"\nwhile x ${op} y { r = "yes"; break }\nr })`;
    expect(await lines(loop)).toEqual(truth);
  });
});

describe("remainder tests", () => {
  it.each([0, 1, -1])("x %% 3 == %d", async (rest) => {
    const compute = (x: Value) => (equals(modulo(x, 3), rest) ? "yes" : "no");
    const text = `if x % 3 == ${rest < 0 ? `(${rest})` : rest} { "yes" } else { "no" }`;
    expect(await lines(`log(try { ${text} })`)).toEqual(expected(compute));
  });
});
