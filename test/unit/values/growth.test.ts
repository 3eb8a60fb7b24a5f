/**
 * Growing and writing in loops stays linear. The sizes are such that copying at every step would take minutes, so that
 * the limit tells the two apart on any machine, however busy: nothing is timed.
 */
// suite: slow
import { expect, test } from "vitest";
import { runScript } from "../../support/run-script.ts";

/** Entries of dicts and sets: a copy costs about 50 ns for each. */
const N = 60_000;
/** Items of lists and characters of texts: a copy is a move of memory, about 1 ns for each. */
const L = 300_000;

test.each([
  ["list + list", `var xs = []\nfor i in 0 to ${L} exclusive { xs = xs + [i] }\nprintln(len(xs))`, L],
  ["push", `var xs = []\nfor i in 0 to ${L} exclusive { xs = xs.push(i) }\nprintln(len(xs))`, L],
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
  ["text", `var s = ""\nfor i in 0 to ${L} exclusive { s = s + "x" }\nprintln(s.len())`, L],
  [
    "xs[i] = v",
    `var xs = (0 to ${L} exclusive).to_list()\nfor i in 0 to ${L} exclusive { xs[i] = xs[i] + 1 }\nprintln(xs.last)`,
    L,
  ],
  [
    "a.xs[i] = v, reading a.xs between",
    `var a = {xs: (0 to ${L} exclusive).to_list()}\nfor i in 0 to ${L} exclusive { a.xs[i] = a.xs[i] + a.xs.count() }\nprintln(a.xs[0])`,
    L,
  ],
  [
    "while i < len(a.xs)",
    `var a = {xs: (0 to ${L} exclusive).to_list()}\nvar i = 0\nwhile i < len(a.xs) { a.xs[i] = 0\n i = i + 1 }\nprintln(i)`,
    L,
  ],
  [
    "struct field list",
    `struct S { xs: list }\nvar s = S {xs: (0 to ${L} exclusive).to_list()}\nfor i in 0 to ${L} exclusive { s.xs[i] = s.xs[i] + 1 }\nprintln(s.xs[0])`,
    1,
  ],
  [
    "characters by position",
    `let s = "é".repeat(${L})\nvar n = 0\nfor i in 0 to ${L} exclusive { if s[i] == "é" { n = n + 1 } }\nprintln(n)`,
    L,
  ],
  [
    "characters beyond the BMP",
    `let s = "😀".repeat(${L})\nvar n = 0\nfor i in 0 to ${L} exclusive { if s[i] == "😀" { n = n + 1 } }\nprintln(n)`,
    L,
  ],
] as const)("%s", async (_name, program, expected) => {
  const run = await runScript(program);
  expect(run.error).toBe("");
  expect(run.stdout).toBe(`${expected}\n`);
});
