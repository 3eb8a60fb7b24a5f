/** The type checker: 10,000 small functions, and a script of 100 lines in a warm process. Parsing is not counted. */
import { builtinTable } from "../src/builtins/index.ts";
import { compileProgram } from "../src/lower/index.ts";
import type { ResolvedProgram } from "../src/resolve/index.ts";
import { SourceFile } from "../src/source/index.ts";
import { parse } from "../src/syntax/index.ts";
import { checkProgram } from "../src/types/index.ts";
import { hundredLines } from "./parse.ts";
import { type Benchmark, median, printRows } from "./rows.ts";

/** Small functions as programs have them: parameters with types, a local or two, calls of each other, a branch. */
function smallFunctions(count: number): string {
  const one = (n: number): string => `fn area_${n}(w: float, h: float, unit: string | nil) -> float {
  let scale = if unit == nil { 1.0 } else { factor_${n}(unit) }
  return w * h * scale
}
fn factor_${n}(unit: string) -> float {
  match unit {
    "cm" -> { return 0.01 }
    "mm" -> { return 0.001 }
    _ -> { return area_${Math.max(0, n - 1)}(1, 2.5, nil) }
  }
}
`;
  return Array.from({ length: count / 2 }, (_, n) => one(n)).join("");
}

function resolved(text: string): ResolvedProgram {
  const compiled = compileProgram(new SourceFile("bench.harn", text), { builtins: builtinTable(), parse });
  if (compiled.resolved === undefined) throw new Error(compiled.diagnostics[0]?.message);
  return compiled.resolved;
}

function time(program: ResolvedProgram, rounds: number): number {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const found = checkProgram(program, { builtins: builtinTable() });
    samples.push(performance.now() - start);
    if (found.some((one) => one.severity === "error")) throw new Error(found[0]!.message);
  }
  return median(samples);
}

export const run: Benchmark = async () => {
  const many = resolved(smallFunctions(10_000));
  const first = time(many, 1);
  const small = resolved(hundredLines());
  return [
    { name: "10,000 small functions, first time", value: first, unit: "ms", target: "< 400 ms" },
    { name: "10,000 small functions", value: time(many, 9), unit: "ms", target: "< 400 ms" },
    { name: "a script of 100 lines", value: time(small, 200), unit: "ms", target: "< 2 ms" },
  ];
};

if (import.meta.main) printRows("types", await run());
