/** Lowered programs do what a naive walk over the syntax tree does: same output, same error, for generated programs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../src/source/index.ts";
import { parse } from "../../src/syntax/index.ts";
import { ScriptError, uncaughtText } from "../../src/values/index.ts";
import { NaiveEvaluator } from "../support/naive-evaluator.ts";
import { runScript } from "../support/run-script.ts";

/** Writes random programs that end: loops are bounded, recursion does not occur. */
class Writer {
  private readonly pick: (n: number) => number;
  private fresh = 0;
  private loops = 0;

  constructor(numbers: readonly number[]) {
    let at = 0;
    this.pick = (n) => (numbers[at++ % numbers.length]! + at * 7) % n;
  }

  program(): string {
    const names = ["a", "b", "s", "xs"];
    const lines = ["var a = 3", "var b = 10", 'var s = "s"', "var xs = [1, 2, 3]"];
    const fns = ["f", "g"];
    lines.push(
      `fn f(x, y) {\n${this.block(["x", "y"], [], 2, true)}\nreturn ${this.expr(["x", "y"], [], 2)}\n}`,
    );
    lines.push(
      `let g = { p, q ->\n${this.block(["p", "q", ...names], ["f"], 2, true)}\n${this.expr(["p", "q", ...names], ["f"], 2)} }`,
    );
    lines.push(this.block(names, fns, 4, false));
    for (const name of names) lines.push(`log(${name})`);
    return lines.join("\n");
  }

  private block(
    names: readonly string[],
    fns: readonly string[],
    depth: number,
    inFunction: boolean,
  ): string {
    const lines: string[] = [];
    const own = [...names];
    for (let n = 1 + this.pick(4); n > 0; n--) lines.push(this.statement(own, fns, depth, inFunction));
    return lines.join("\n");
  }

  private statement(names: string[], fns: readonly string[], depth: number, inFunction: boolean): string {
    const mutable = names.filter(
      (name) => !["x", "y", "p", "q", "e"].includes(name) && !name.startsWith("i"),
    );
    const kind = this.pick(depth > 0 ? 12 : 5);
    const target = mutable[this.pick(Math.max(1, mutable.length))];
    const e = (d = 2) => this.expr(names, fns, d);
    switch (kind) {
      case 0:
        return target === undefined ? `log(${e()})` : `${target} = ${e()}`;
      case 1:
        return target === undefined
          ? `log(${e()})`
          : `${target} ${["+", "-", "*", "%"][this.pick(4)]}= ${e(1)}`;
      case 2:
        return `log(${e()})`;
      case 3: {
        const name = `v${this.fresh++}`;
        const text = `var ${name} = ${e()}`;
        names.push(name);
        return text;
      }
      case 4:
        return target === undefined ? `log(${e()})` : `${target}[${e(1)}] = ${e(1)}`;
      case 5:
      case 6:
        return `if ${e()} {\n${this.block(names, fns, depth - 1, inFunction)}\n} else {\n${this.block(names, fns, depth - 1, inFunction)}\n}`;
      case 7: {
        const name = `i${this.fresh++}`;
        this.loops++;
        const body = this.block([...names, name], fns, depth - 1, inFunction);
        const leave =
          this.pick(2) === 0 ? `if ${e(1)} { ${this.pick(2) === 0 ? "break" : "continue"} }\n` : "";
        this.loops--;
        return `for ${name} in ${this.pick(2) === 0 ? "xs" : "[1, 2, nil]"} {\n${leave}${body}\n}`;
      }
      case 8: {
        const name = `n${this.fresh++}`;
        return `var ${name} = 0\nwhile ${name} < ${1 + this.pick(4)} {\n${name} = ${name} + 1\n${this.block(names, fns, depth - 1, inFunction)}\n}`;
      }
      case 9:
        return `try {\n${this.block(names, fns, depth - 1, inFunction)}\n${this.pick(2) === 0 ? 'throw "t"' : ""}\n} catch (e) {\nlog(e)\n${this.block([...names, "e"], fns, depth - 1, inFunction)}\n} finally {\nlog("f")\n}`;
      case 10:
        return inFunction && this.loops === 0 && this.pick(3) === 0
          ? `if ${e(1)} { return ${e(1)} }`
          : `log(${e()})`;
      default: {
        const name = `c${this.fresh++}`;
        const text = `let ${name} = { p, q -> ${this.expr([...names, "p", "q"], fns, 2)} }\nlog(${name}(${e(1)}, ${e(1)}))`;
        return text;
      }
    }
  }

  private expr(names: readonly string[], fns: readonly string[], depth: number): string {
    const kind = this.pick(depth > 0 ? 14 : 4);
    const e = () => this.expr(names, fns, depth - 1);
    switch (kind) {
      case 0:
        return String(this.pick(12));
      case 1:
      case 2:
        return names[this.pick(names.length)]!;
      case 3:
        return ['"t"', "nil", "true", "[4, 5]", "9007199254740991", "-7"][this.pick(6)]!;
      case 4:
      case 5:
      case 6:
        return `(${e()} ${["+", "-", "*", "/", "%"][this.pick(5)]} ${e()})`;
      case 7:
      case 8:
        return `(${e()} ${["==", "!=", "<", "<=", ">", ">=", "in"][this.pick(7)]} ${e()})`;
      case 9:
        return `(${e()} ${["&&", "||", "??"][this.pick(3)]} ${e()})`;
      case 10:
        return `(${e()} ? ${e()} : ${e()})`;
      case 11:
        return `"<\${${names[this.pick(names.length)]}}>"`;
      case 12:
        return `(if ${e()} { ${e()} } else { ${e()} })`;
      default:
        return fns.length === 0 ? e() : `${fns[this.pick(fns.length)]}(${e()}, ${e()})`;
    }
  }
}

function naively(text: string): { stdout: string; error: string } {
  const { program } = parse(new SourceFile("main.harn", text));
  const naive = new NaiveEvaluator();
  let error = "";
  try {
    naive.run(program);
  } catch (caught) {
    if (!(caught instanceof ScriptError)) throw caught;
    error = uncaughtText(caught);
  }
  return { stdout: naive.printed.join(""), error };
}

describe("lowering", () => {
  it("agrees with the naive evaluator", async () => {
    let ended = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 20, maxLength: 120 }), async (numbers) => {
        const text = new Writer(numbers).program();
        const run = await runScript(text);
        expect(run.diagnostics.filter((one) => one.severity === "error").map((one) => one.message)).toEqual(
          [],
        );
        const naive = naively(text);
        // The naive evaluator knows no positions.
        expect({ stdout: run.stdout, error: run.error.replace(/ \(line \d+\)$/, "") }, text).toEqual(naive);
        if (run.error === "") ended++;
      }),
      { numRuns: 500, seed: 20261121 },
    );
    expect(ended).toBeGreaterThan(40);
  });
});
