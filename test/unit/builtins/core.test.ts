/** Conversions, results, errors, assertions, strings, regex, maths: what builtins.md §2.3–2.6 says of odd input. */
import { describe, expect, it } from "vitest";
import { Duration, err, Float, okResult, SetValue } from "../../../src/values/index.ts";
import { machine } from "../../support/builtin-call.ts";

type Case = readonly [call: readonly [string, ...unknown[]], shown: string];
const f = (x: number): Float => new Float(x);

/** The call as a test name; values that JSON has not show as what they hold. */
function title(call: readonly unknown[]): string {
  return JSON.stringify(call, (_key, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}

function cases(heading: string, all: readonly Case[]): void {
  describe(heading, () => {
    const named = all.map(([call, shown]) => [title(call), call, shown] as const);
    it.each(named)("%s", (_title, [name, ...args], shown) => {
      expect(machine().show(name, ...args)).toBe(shown);
    });
  });
}

cases("conversions", [
  [["to_int", "12"], "12"],
  [["to_int", "+12"], "12"],
  [["to_int", " 12"], "nil"],
  [["to_int", "1_000"], "nil"],
  [["to_int", "1.5"], "nil"],
  [["to_int", "9223372036854775807"], "9223372036854775807"],
  [["to_int", "9223372036854775808"], "nil"],
  [["to_int", "-9223372036854775808"], "-9223372036854775808"],
  [["to_int", f(-3.9)], "-3"],
  [["to_int", f(Number.NaN)], "nil"],
  [["to_int", f(1e19)], "nil"],
  [["to_int", true], "1"],
  [["to_int", []], "nil"],
  [["to_int"], "nil"],
  [["to_float", "1e3"], "1000.0"],
  [["to_float", "-inf"], "-inf"],
  [["to_float", "nan"], "NaN"],
  [["to_float", " 1"], "nil"],
  [["to_float", "0x10"], "nil"],
  [["to_float", true], "nil"],
  [["to_float", 10], "10.0"],
  [["to_list", "ab"], "[ab]"],
  [["to_list", new SetValue([1, 2])], "[1, 2]"],
  [["to_list"], "[nil]"],
  [["len", "👩‍👧a"], "4"],
  [["len", 5], "0"],
  [["len", { a: 1 }], "1"],
  [["pair", 1], "! Type error: pair: expected 2 arguments, got 1"],
  [["range", "a"], "! Type error: range(n): expected integer argument"],
  [["range", 1, "a"], "! Type error: range(a, b): expected integer arguments"],
  [["range", 1, 2, 3], "! Type error: range expects 1 or 2 integer arguments, got 3"],
  [["range"], "! Type error: range expects 1 or 2 integer arguments, got 0"],
  [["is_same", 1, f(1)], "false"],
  [["is_same", [1], [1]], "false"],
]);

cases("results and errors", [
  [["Ok"], "Result.Ok(nil)"],
  [["unwrap", err("bad")], "! Runtime error: unwrap called on Err: bad"],
  [["unwrap", 3], "3"],
  [["unwrap_err", okResult(1)], "! Runtime error: unwrap_err called on non-Err"],
  [["unwrap_err", 1], "! Runtime error: unwrap_err called on non-Err"],
  [["throw_error", "m", "timeout"], "! {category: timeout, message: m}"],
  [["throw_error", "m", "nonsense"], "! {category: generic, message: m}"],
  [["throw_error"], "! {category: generic, message: }"],
  [["unreachable"], "! Runtime error: unreachable code was reached"],
  [["unreachable", 3], "! Runtime error: unreachable code was reached: 3"],
  [["error_category", "HTTP 429: slow down"], "rate_limit"],
  [["error_category", "x500"], "server_error"],
  [["error_category", "5000"], "generic"],
  [["error_category", "418 then 503"], "overloaded"],
  [["error_category", "timeout"], "generic"],
  [["error_category", "Deadline exceeded"], "timeout"],
  [["error_category", "Connection Refused"], "transient_network"],
  [["error_category", { category: "odd" }], "odd"],
  [["error_category", {}], "generic"],
  [["error_category", 5], "generic"],
  [["error_is", "404", "nope"], '! Runtime error: error_is: unknown error category "nope"'],
]);

cases("assertions", [
  [["assert", 0], "! Assertion failed"],
  [["assert", false, 42], "! 42"],
  [["assert", "x"], "nil"],
  [["assert_eq", 1, 2], "! Assertion failed: expected 2, got 1"],
  [["assert_eq", 1, f(1)], "nil"],
  [["assert_eq", 1, 2, "mine"], "! mine"],
  [["assert_eq", 1], "! assert_eq requires at least 2 arguments"],
  [["assert_ne", 1, 1], "! Assertion failed: values should not be equal: 1"],
  [["assert_ne", 1], "! assert_ne requires at least 2 arguments"],
]);

cases("strings", [
  [["trim", 5], "5"],
  [["trim"], ""],
  [["trim", null], "nil"],
  [["split", "a b"], "[a, b]"],
  [["split", "ab", ""], "[, a, b, ]"],
  [["replace", "ab", "", "-"], "-a-b-"],
  [["replace", "aXbX", "X"], "ab"],
  [["replace", "a", "a", "$&"], "$&"],
  [["substring", "hello world", 6, 3], "wor"],
  [["substring", "héllo", -3, 2], "hé"],
  [["substring", "abc", 1, -1], ""],
  [["substring", "abc", 9], ""],
  [["substring", "a😀b", 1, 1], "😀"],
  [["join", [1, null, "a"], "-"], "1-nil-a"],
  [["join", "abc", "-"], ""],
  [["contains", { a: 1 }, "a"], "false"],
  [["contains", [1, 2], f(2)], "true"],
  [["format", "{} {} {}", 1, "a"], "1 a {}"],
  [["format", "{a} {b} {}", { a: 1 }], "1 {b} {}"],
  [["format", "{a}", { a: "{a}" }], "{a}"],
  [["format", "{0}", 1], "{0}"],
  [["str_pad", "ab", 5, "xy", "both"], "xabxy"],
  [["str_pad", "ab", 4, ""], "ab  "],
  [
    ["str_pad", "ab", 4, " ", "middle"],
    '! str_pad: side: expected "left", "right" or "both", got string "middle"',
  ],
  [
    ["unicode_normalize", "a", "X"],
    '! unicode_normalize: form: expected "NFC", "NFD", "NFKC" or "NFKD", got string "X"',
  ],
  [["camel_to_snake", "HTTPServer"], "http_server"],
  [["camel_to_kebab", "getURL2"], "get-url2"],
  [["snake_to_camel", "__a__b_"], "aB"],
  [["snake_to_pascal", ""], ""],
  [["title_case", "o'NEIL  big-bang"], "O'neil  Big-bang"],
  [["dirname", "x"], ""],
  [["dirname", "/"], ""],
  [["dirname", "/a"], "/"],
  [["dirname", "a/b/"], "a"],
  [["extname", ".env"], ""],
  [["extname", "a.tar.gz"], ".gz"],
  [["repeat", "ab", -1], ""],
  [["repeat", "ab", 1e9], "! Runtime error: repeat: result is too long for one string"],
  [["word_wrap", "aaa bbb ccccccccc d", 7], "aaa bbb\nccccccccc\nd"],
  [["dedent", "\n  a\n   b\n"], "\na\n b\n"],
  [["index_of", "😀a", "a"], "1"],
  [["index_of", "abab", "ab", 1], "2"],
  [["index_of", "ab", "x"], "-1"],
]);

cases("regular expressions", [
  [["regex_match", "x", "abc"], "nil"],
  [["regex_match", "(a)(b)", "abab"], "[ab, ab]"],
  [["regex_match", "A", "a", "i"], "[a]"],
  [["regex_match", "^b", "a\nb", "m"], "[b]"],
  [["regex_match", "a.b", "a\nb", "s"], "[a\nb]"],
  [["regex_match", " a [ ] b # end", "a b", "x"], "[a b]"],
  [["regex_match", "a", "a", "q"], "! Invalid regex: unsupported regex flag 'q', expected one of i/m/s/x"],
  [["regex_match", "a"], "nil"],
  [["regex_replace", "(?P<first>\\w) (\\w)", "${first}-$2-$$-$9", "a b"], "a-b-$-"],
  [["regex_replace", "", "-", "ab"], "-a-b-"],
  [["regex_captures", "x", "abc"], "[]"],
  [["regex_captures", "(?P<k>a)|(b)", "\nb"], "[{end: 2, groups: [nil, b], line: 2, match: b, start: 1}]"],
  [["regex_split", "a1b", "\\d"], "[a, b]"],
  [["regex_split", "😀1b", "\\d"], "[😀, b]"],
]);

describe("patterns of strangers", () => {
  it("are refused with the reason when they are wrong", () => {
    expect(machine().show("regex_match", "(", "a")).toMatch(/^! Invalid regex: .+/);
    expect(machine().show("regex_match", "(?=a)", "a")).toMatch(/^! Invalid regex: /);
  });

  it("take linear time", () => {
    // An engine that backtracks would never end.
    expect(machine().show("regex_match", "(a+)+$", `${"a".repeat(5000)}b`)).toBe("nil");
  });
});

cases("mathematics", [
  [["abs", "x"], "nil"],
  [["abs", -(2n ** 63n)], "9223372036854776000"],
  [["floor", f(-1.5)], "-2"],
  [["floor", f(1e300)], "9223372036854775807"],
  [["ceil", f(Number.POSITIVE_INFINITY)], "! Runtime error: cannot convert non-finite float to int"],
  [["round", f(2.5)], "3"],
  [["round", f(-2.5)], "-3"],
  [["round", f(0.49999999999999994)], "0"],
  [["round", f(1.005), 2], "1.01"],
  [["round", 7, 2], "7"],
  [["sign", f(-0.1)], "-1"],
  [["pow", 2, 10], "1024"],
  [["pow", 2, -1], "0.5"],
  [["pow", 2, 63], "9223372036854776000"],
  [["pow", 3, 39], "4052555153018976267"],
  [["min", 1, f(2)], "1.0"],
  [["max", 1], "nil"],
  [["max", [1, 2]], "nil"],
  [["is_nan", 1], "false"],
  [["mean", []], "0.0"],
  [["median", []], "! Runtime error: median: items must not be empty"],
  [["mean", 3], "! mean: items: expected list<int | float>, got int 3"],
  [["mean", ["a"]], '! mean: items[0]: expected int | float, got string "a"'],
  [["variance", [1], true], "! Runtime error: sample variance requires at least 2 values"],
  [["percentile", [1, 2], 101], "! percentile: p: expected float from 0 to 100, got int 101"],
  [["percentile", [40, 10, 20, 30], 50], "25.0"],
]);

cases("durations and dates", [
  [["duration_to_human", new Duration(11_640_000)], "3h 14m"],
  [["duration_to_human", new Duration(-90_061_001)], "-1d 1h 1m"],
  [["duration_to_human", new Duration(0)], "0s"],
  [["duration_to_human", 5], "! duration_to_human: expected duration, got int"],
  [["duration_ms", "x"], "! duration_ms: expected number, got string"],
  [["date_parse", "2024-02-29"], "1709164800"],
  [["date_parse", "2024-01-01T00:00:00.5Z"], "1704067200.5"],
  [["date_parse", "2024-01-01T00:00:00-05:30"], "1704087000"],
  [["date_parse", "2024/1/2 3h"], "1704164400"],
  [["date_parse", "1969-12-31 23:59:59"], "-1"],
  [["date_parse", "2024-13-01"], "! Invalid month: 13 (must be 1-12)"],
  [["date_parse", "2024-01-32"], "! Invalid day: 32 (must be 1-31)"],
  [["date_parse", "2024-02-31"], "! Invalid date: 2024-02-31"],
  [["date_parse", "soon"], "! Cannot parse date: soon"],
  [["date_format", 0], "1970-01-01 00:00:00"],
  [["date_format", -1, "%s %j %a %b %f %3f %z %:z %Z %%"], "-1 365 Wed Dec 000000000 000 +0000 +00:00 UTC %"],
  [["date_format", 1714000000, "%H:%M %Z", "America/New_York"], "19:06 EDT"],
  [["date_format"], "! date_format: missing timestamp argument"],
  [["date_format", "x"], "! date_format: expected timestamp number or date dict, got string"],
  [["date_format", 0, "%Y", "Mars/Base"], "! date_format: unknown timezone 'Mars/Base'"],
  [["date_in_zone", 0], "! date_in_zone: missing timezone argument"],
  [["date_to_zone", 0, "UTC"], "1970-01-01T00:00:00+00:00"],
  [["date_to_zone", f(0.25), "Asia/Kolkata"], "1970-01-01T05:30:00.250+05:30"],
  [["date_from_components", 5], "! date_from_components: expected dict, got int"],
  [["date_from_components", { year: 2024 }], "! date_from_components: missing month"],
  [
    ["date_from_components", { year: "x", month: 1, day: 1 }],
    '! date_from_components: year: expected int, got string "x"',
  ],
  [
    ["date_from_components", { year: 2024, month: 3, day: 10, hour: 2, minute: 30 }, "America/New_York"],
    "! date_from_components: local time does not exist in that timezone",
  ],
  [["date_from_components", { year: 2024, month: 11, day: 3, hour: 1 }, "America/New_York"], "1730610000"],
  [["date_add", 0, new Duration(1500)], "1.5"],
  [["weekday_name", { timestamp: 0 }], "Thursday"],
]);
