/** language.md §2 and §3: what expressions mean as trees. */
import { describe, expect, test } from "vitest";
import { tree } from "../../support/syntax-text.ts";

function cases(title: string, table: readonly (readonly [text: string, tree: string])[]): void {
  describe(title, () => {
    test.each(table)("%s", (text, wanted) => expect(tree(text)).toBe(wanted));
  });
}

cases("precedence, loosest first", [
  ["a |> b to c", "(|> a (to b c))"],
  ["a ? b : c |> f", "(|> (? a b c) f)"],
  ["a ? b : c to d", "(to (? a b c) d)"],
  ["a || b ? c : d", "(? (|| a b) c d)"],
  ["a && b || c && d", "(|| (&& a b) (&& c d))"],
  ["a == b && c != d", "(&& (== a b) (!= c d))"],
  ["a < b == c >= d", "(== (< a b) (>= c d))"],
  ["a + b < c - d", "(< (+ a b) (- c d))"],
  ["a ?? 1 + 2", "(+ (?? a 1) 2)"],
  ["a ?? b * c", "(?? a (* b c))"],
  ["a * b ** c", "(* a (** b c))"],
  ["-a * b", "(* (- a) b)"],
  ["!a.b == c", "(== (! a.b) c)"],
  ["-a.b[0]", "(- a.b[0])"],
]);

cases("associativity", [
  ["a - b - c", "(- (- a b) c)"],
  ["a / b * c % d", "(% (* (/ a b) c) d)"],
  ["a ** b ** c", "(** a (** b c))"],
  ["a ?? b ?? c", "(?? (?? a b) c)"],
  ["a |> b |> c", "(|> (|> a b) c)"],
  ["a ? b : c ? d : e", "(? a b (? c d e))"],
  ["a ? b ? c : d : e", "(? a (? b c d) e)"],
  ["a < b < c", "(< (< a b) c)"],
  ["(a - (b - c))", "(- a (- b c))"],
]);

cases("prefix operators stand between * and ** (0.8)", [
  ["-2 ** 2", "(- (** 2 2))"],
  ["2 ** -1", "(** 2 (- 1))"],
  ["2 ** -3 ** 2", "(** 2 (- (** 3 2)))"],
  ["!!a", "(! (! a))"],
  ["!-a", "(! (- a))"],
  ["a - -b", "(- a (- b))"],
  ["(-2) ** 2", "(** (- 2) 2)"],
]);

cases("in, not in, ranges", [
  ["a in b", "(in a b)"],
  ["a not in b && c", "(&& (not in a b) c)"],
  ["not in b", "(in not b)"],
  ["1 to 5", "(to 1 5)"],
  ["0 to n + 1 exclusive", "(to-exclusive 0 (+ n 1))"],
  ["0 to 3 exclusive |> f", "(|> (to-exclusive 0 3) f)"],
  ["(1 to 5)[0]", "(to 1 5)[0]"],
  ["x in 1 to 3", "(to (in x 1) 3)"],
]);

cases("the three uses of ?", [
  ["f()?", "(propagate (f))"],
  ["f()? .x", "(propagate (f)).x"],
  ["(f()?)", "(propagate (f))"],
  ["g(f()?, 1)", "(g (propagate (f)) 1)"],
  ["x?[0]", "x?[0]"],
  ["x?[0] ?? 1", "(?? x?[0] 1)"],
  ["c ? 1 : 2", "(? c 1 2)"],
  ["c ? -1 : !x", "(? c (- 1) (! x))"],
  ["c ? {a: 1} : {}", "(? c {a: 1} {})"],
  ["c ? fn() { 1 } : nil", "(? c (fn -> {1}) nil)"],
  ["c ? [] : [1]", "(? c [] [1])"],
  ["c\n  ? a\n  : b", "(? c a b)"],
  ["f()? in xs", "(in (propagate (f)) xs)"],
  ["a?.b?.c", "a?.b?.c"],
]);

cases("suffixes", [
  ["a.b.c", "a.b.c"],
  ["a.if.match", "a.if.match"],
  ["a?.b(1)?[0]", "(a?.b 1)?[0]"],
  ["a.b(1).c(2)", "((a.b 1).c 2)"],
  ["f(1, ...xs, 2)", "(f 1 ...xs 2)"],
  ["f(1\n  2)", "(f 1 2)"],
  ["f(\n  1,\n  2,\n)", "(f 1 2)"],
  ["(f)(x)", "(f x)"],
  ["xs[1:2]", "xs[1:2]"],
  ["xs[1:]", "xs[1:]"],
  ["xs[:2]", "xs[:2]"],
  ["xs[:]", "xs[:]"],
  ["xs[a ? b : c]", "xs[(? a b c)]"],
  ["1.foo", "1.foo"],
  ["[f(1)(2)]", "[((f 1) 2)]"],
  ["[f(1), (2)]", "[(f 1), 2]"],
  ["f(1)(2).g(3)(4)", "((((f 1) 2).g 3) 4)"],
  ["a\n  .b()\n  ?.c", "(a.b)?.c"],
]);

cases("explicit type arguments", [
  ["f<int>(x)", "(f<int> x)"],
  ["f<int, list<string>>(x)", "(f<int, list<string>> x)"],
  ["f < int > (x)", "(> (< f int) x)"],
  ["a < b", "(< a b)"],
  ["f(a < b, c > d)", "(f (< a b) (> c d))"],
]);

cases("literals", [
  ["9007199254740991", "9007199254740991"],
  ["9223372036854775807", "9223372036854775807"],
  ["1.50", "1.5"],
  ["250ms", "250ms"],
  ["3s", "3000ms"],
  ["5m", "300000ms"],
  ["2h", "7200000ms"],
  ["1d", "86400000ms"],
  ["1w", "604800000ms"],
  ["true", "true"],
  ["nil", "nil"],
  ["[]", "[]"],
  ["[1, 2,]", "[1, 2]"],
  ["[1\n2]", "[1, 2]"],
  ["[1\n 2\n]", "[1, 2]"],
  ["[...xs, 1]", "[...xs, 1]"],
  ["{}", "{}"],
  ['{a: 1, "b c": 2, [k]: 3, ...d, if: 4}', "{a: 1, b c: 2, [k]: 3, ...d, if: 4}"],
  ["{a: 1\n b: 2}", "{a: 1, b: 2}"],
  ["{a:\n 1}", "{a: 1}"],
]);

cases("closures, structs and dicts are told apart", [
  ["{ x -> x + 1 }", "(brace x -> {(+ x 1)})"],
  ["{ x, y -> x }", "(brace x y -> {x})"],
  ["{ -> 1 }", "(brace -> {1})"],
  ["{ x ->\n let y = x\n y }", "(brace x -> {let y = x; y})"],
  ["{a: { x -> x }}", "{a: (brace x -> {x})}"],
  ["fn(a, b = 2, ...c) { a }", "(fn a b c -> {a})"],
  ["Point {x: 1, y: 2}", "Point{x: 1, y: 2}"],
  ['Point {"x": 1}', "Point{x: 1}"],
  ["Point {}", "Point{}"],
  ["Point {if: 1}", "Point{if: 1}"],
  ["Point({x: 1})", "(Point {x: 1})"],
]);

cases("named arguments exist in four calls only", [
  ['ask_user("q", options: [1], default: 3)', '(ask_user "q" options: [1] default: 3)'],
  ["escalate_to(x)", "(escalate_to x)"],
  ["request_approval", "request_approval"],
]);

cases("expressions with blocks", [
  ["if a { 1 } else if b { 2 } else { 3 }", "(if a {1} else (if b {2} else {3}))"],
  ["if a { 1 }\n\nelse { 2 }", "(if a {1} else {2})"],
  ["try { 1 }", "(try {1})"],
  ["try { 1 } catch (e: MyErr) { 2 } finally { 3 }", "(try {1} catch e: MyErr {2} finally {3})"],
  ["try { 1 } catch e { 2 }", "(try {1} catch e {2})"],
  ["try { 1 }\ncatch { 2 }\nfinally { 3 }", "(try {1} catch {2} finally {3})"],
  ["try* f(x)", "(try* (f x))"],
  ["try* -x", "(try* (- x))"],
  ["retry 3 { f() }", "(retry 3 {(f)})"],
  ["deadline (1 + 2) { f() }", "(deadline (+ 1 2) {(f)})"],
  ["spawn { 5 }", "(spawn {5})"],
  ["scope { 1 }", "(scope {1})"],
  ["cost_route { 1 }", "(cost_route {1})"],
  ["scope + 1", "(+ scope 1)"],
  ["parallel 3 { i -> i }", "(parallel count 3 i {i})"],
  ["parallel each xs { f() }", "(parallel each xs {(f)})"],
  ["parallel settle xs with { max_concurrent: 2 } { x -> x }", "(parallel settle xs max 2 x {x})"],
  ["parallel each xs { x -> x } as stream", "(parallel each xs x {x} stream)"],
  ["parallel each { 1 }", "(parallel count each {1})"],
  ["parallel each {} { 1 }", "(parallel each {} {1})"],
  ["if scope { 1 }", "(if scope {1})"],
  ["if Flag { 1 }", "(if Flag {1})"],
  ["if Flag {}", "(if Flag {})"],
  ["if p == Point {} { 1 }", "(if (== p Point{}) {1})"],
  ["if f({a: 1}) { 2 }", "(if (f {a: 1}) {2})"],
]);

cases("match", [
  [
    "match v { 0 | 1 -> { a } n if n < 0 -> { b }\n _ -> { c } }",
    "(match v (0 | 1 -> {a}) (n if (< n 0) -> {b}) (_ -> {c}))",
  ],
  ["match v { E.V(a, _) -> { a } }", "(match v ((E.V a _) -> {a}))"],
  ["match v { {k: 1, m: x} -> { x } [a, 2] -> { a } }", "(match v ({k: 1, m: x} -> {x}) ([a, 2] -> {a}))"],
  ['match v { -1 -> { 1 } "a" |\n r"b" -> { 2 } }', '(match v ((- 1) -> {1}) ("a" | "b" -> {2}))'],
  ["match v { }", "(match v)"],
]);

describe("contextual words are ordinary names", () => {
  const names =
    "each settle with max_concurrent as stream gen where out not timeout default description summarize scope cost_route owned const";
  test.each(names.split(" "))("%s", (name) =>
    expect(tree(`${name} + ${name}(1).${name}`)).toBe(`(+ ${name} (${name} 1).${name})`),
  );
});
