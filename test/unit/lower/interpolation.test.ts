/** Interpolated strings have a form of their own for each small number of expressions: all give the same text. */
import { describe, expect, it } from "vitest";
import { runScript } from "../../support/run-script.ts";

const values = ['"a"', "7", "-0.5", "nil", "true", "[1, 2]", '""'];

/** The same expressions, shown one by one, with `between` around each. */
const shown = ["a", "7", "-0.5", "nil", "true", "[1, 2]", ""];

describe("interpolation", () => {
  for (const between of ["", "-", "é🙂"]) {
    for (let count = 1; count <= values.length; count++) {
      it(`of ${count} expressions with "${between}" between them`, async () => {
        const holes = (wrap: (one: string) => string): string =>
          `println("${between}${values
            .slice(0, count)
            .map((_, i) => `\${${wrap(`v${i}`)}}${between}`)
            .join("")}")`;
        const text = [
          ...values.map((value, i) => `let v${i} = ${value}`),
          "fn same(x) { return x }",
          "fn later(x) { sleep(1ms)\nreturn x }",
          holes((one) => one),
          holes((one) => `same(${one})`),
          holes((one) => `later(${one})`),
        ].join("\n");
        const expected =
          between +
          shown
            .slice(0, count)
            .map((one) => one + between)
            .join("");
        const { stdout } = await runScript(text);
        expect(stdout).toBe(`${expected}\n`.repeat(3));
      });
    }
  }

  it("evaluates from left to right and stops at an error", async () => {
    const { stdout } = await runScript(`fn fail() { throw "no" }
fn say(x) { println(x)
return x }
let got = try { "\${say(1)} \${say(2)} \${fail()} \${say(3)}" }
println(got)`);
    expect(stdout.startsWith("1\n2\n")).toBe(true);
    expect(stdout).not.toContain("3");
  });
});
