/**
 * Growing and writing in loops stays linear. The sizes are such that copying at every step would take minutes, so the
 * limit can be generous on a busy machine.
 */
import { expect, test } from "vitest";
import { runScript } from "../../support/run-script.ts";

const N = 60_000;

test.each([
  ["list + list", `var xs = []\nfor i in 0 to ${N} exclusive { xs = xs + [i] }\nprintln(len(xs))`, N],
  ["push", `var xs = []\nfor i in 0 to ${N} exclusive { xs = xs.push(i) }\nprintln(len(xs))`, N],
  [
    "list spread",
    `var xs = []\nfor i in 0 to ${N / 20} exclusive { xs = [...xs, i] }\nprintln(len(xs))`,
    N / 20,
  ],
  ["dict + dict", `var d = {}\nfor i in 0 to ${N} exclusive { d = d + {["k\${i}"]: i} }\nprintln(len(d))`, N],
  ["merge", `var d = {}\nfor i in 0 to ${N} exclusive { d = d.merge({["k\${i}"]: i}) }\nprintln(len(d))`, N],
  [
    "dict spread",
    `var d = {}\nfor i in 0 to ${N} exclusive { d = {...d, ["k\${i}"]: i} }\nprintln(len(d))`,
    N,
  ],
  ["d[k] = v", `var d = {}\nfor i in 0 to ${N} exclusive { d["k\${i}"] = i }\nprintln(len(d))`, N],
  [
    "remove",
    `var d = {}\nfor i in 0 to ${N} exclusive { d[i] = i }\nfor i in 1 to ${N - 1} { d = d.remove(i) }\nprintln(len(d))`,
    1,
  ],
  ["set add", `var s = set()\nfor i in 0 to ${N} exclusive { s = s.add(i) }\nprintln(s.count())`, N],
  ["text", `var s = ""\nfor i in 0 to ${N} exclusive { s = s + "x" }\nprintln(s.len())`, N],
  [
    "xs[i] = v",
    `var xs = (0 to ${N} exclusive).to_list()\nfor i in 0 to ${N} exclusive { xs[i] = xs[i] + 1 }\nprintln(xs.last)`,
    N,
  ],
  [
    "a.xs[i] = v, reading a.xs between",
    `var a = {xs: (0 to ${N} exclusive).to_list()}\nfor i in 0 to ${N} exclusive { a.xs[i] = a.xs[i] + a.xs.count() }\nprintln(a.xs[0])`,
    N,
  ],
  [
    "while i < len(a.xs)",
    `var a = {xs: (0 to ${N} exclusive).to_list()}\nvar i = 0\nwhile i < len(a.xs) { a.xs[i] = 0\n i = i + 1 }\nprintln(i)`,
    N,
  ],
  [
    "struct field list",
    `struct S { xs: list }\nvar s = S {xs: (0 to ${N} exclusive).to_list()}\nfor i in 0 to ${N} exclusive { s.xs[i] = s.xs[i] + 1 }\nprintln(s.xs[0])`,
    1,
  ],
  [
    "characters by position",
    `let s = "é".repeat(${N})\nvar n = 0\nfor i in 0 to ${N} exclusive { if s[i] == "é" { n = n + 1 } }\nprintln(n)`,
    N,
  ],
  [
    "characters beyond the BMP",
    `let s = "😀".repeat(${N})\nvar n = 0\nfor i in 0 to ${N} exclusive { if s[i] == "😀" { n = n + 1 } }\nprintln(n)`,
    N,
  ],
] as const)("%s", { timeout: 10_000 }, async (_name, program, expected) => {
  const run = await runScript(program);
  expect(run.error).toBe("");
  expect(run.stdout).toBe(`${expected}\n`);
});
