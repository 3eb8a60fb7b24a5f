/** Reports of the test runner: differences, text, JUnit, JSON, lcov. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines, renderDiff } from "../../../src/tools/test/diff.ts";
import {
  CoverageSum,
  coverageText,
  coverageTotals,
  type FileReport,
  fileText,
  junitXml,
  lcovText,
  type TestResult,
  testJson,
  testSummaryJson,
  testSummaryText,
} from "../../../src/tools/test/index.ts";
import { inlineValue, valueLines } from "../../../src/tools/test/value-lines.ts";
import { fromJson } from "../../../src/values/index.ts";

const result = (more: Partial<TestResult>): TestResult => ({
  file: "/t/a.harn",
  name: "test_a",
  kind: "pipeline",
  line: 1,
  status: "passed",
  durationMs: 1.5,
  stdout: "",
  stderr: "",
  seed: "s/a.harn/test_a",
  ...more,
});

const report = (...results: TestResult[]): FileReport => ({
  file: "/t/a.harn",
  results,
  inputs: [],
  coverage: [],
});

const shown = (path: string): string => path.replace("/t/", "");
const text = { colour: false, verbose: false, timing: false, shown };

describe("diffLines", () => {
  it("keeps both sides: what has no + is the expectation, what has no - the actual text", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (expected, actual) => {
        const diff = diffLines(expected, actual);
        expect(diff.filter(({ mark: sign }) => sign !== "+").map((line) => line.text)).toEqual(expected);
        expect(diff.filter(({ mark: sign }) => sign !== "-").map((line) => line.text)).toEqual(actual);
      }),
    );
  });

  it("is as short as it can be", () => {
    const diff = diffLines(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"]);
    expect(diff.map(({ mark: sign, text }) => sign + text)).toEqual([" a", "-b", "+x", " c", " d", "+e"]);
  });

  it("of huge texts ends soon", () => {
    const many = (word: string): string[] => Array.from({ length: 20_000 }, (_, i) => `${word}${i}`);
    expect(diffLines(many("a"), many("b"))).toHaveLength(40_000);
    expect(renderDiff(many("a"), many("b"), false).split("\n").length).toBeLessThan(210);
  });

  it("leaves equal stretches out and colours only when asked", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const changed = lines.with(10, "other");
    expect(renderDiff(lines, changed, false).split("\n")).toEqual([
      "- expected",
      "+ actual",
      "  …",
      ...["line 7", "line 8", "line 9"].map((line) => `  ${line}`),
      "- line 10",
      "+ other",
      ...["line 11", "line 12", "line 13"].map((line) => `  ${line}`),
      "  …",
    ]);
    expect(renderDiff(lines, changed, true)).toContain("\u001b[31m- line 10\u001b[0m");
  });

  it("shows nothing that could steer a terminal", () => {
    expect(renderDiff(["\u001b[2J"], ["b"], false)).not.toContain("\u001b");
  });
});

describe("values on lines", () => {
  it("breaks what does not fit", () => {
    const value = fromJson({ a: 1, list: Array.from({ length: 3 }, () => "a rather long text of its own") });
    expect(valueLines(value)).toEqual([
      "{",
      "  a: 1,",
      "  list: [",
      ...Array.from({ length: 3 }, () => '    "a rather long text of its own",'),
      "  ],",
      "}",
    ]);
    expect(inlineValue(fromJson({ a: [1, "b"] }))).toBe('{a: [1, "b"]}');
  });
});

describe("text", () => {
  it("is a line per file when all is well", () => {
    expect(fileText(report(result({}), result({ name: "test_b" })), text)).toBe(
      "ok  a.harn  2 tests, 3 ms\n",
    );
    expect(fileText(report(), text)).toBe("");
  });

  it("shows failures with what the test printed", () => {
    const failed = result({
      status: "failed",
      message: "Thrown: no",
      detail: "where\nit is",
      stdout: "one\ntwo\n",
    });
    expect(fileText(report(failed), text)).toBe(
      "FAIL  a.harn  1 of 1 test failed, 2 ms\n  FAIL test_a  Thrown: no\n      where\n      it is\n      stdout:\n        one\n        two\n",
    );
  });

  it("shows the end of a long output", () => {
    const stdout = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join("");
    const shownText = fileText(report(result({ status: "timeout", message: "late", stdout })), text);
    expect(shownText).toContain("… 40 lines before");
    expect(shownText).toContain("line 99");
    expect(shownText).not.toContain("line 39\n");
  });

  it("sums up, with the seed", () => {
    const reports = [report(result({}), result({ status: "failed" }), result({ status: "timeout" }))];
    expect(testSummaryText(reports, 1234, "abc", text)).toBe(
      "\n1 passed, 1 failed, 1 timed out in 1.2 s; seed abc\n",
    );
    expect(testSummaryText(reports, 1, "abc", { ...text, timing: true })).toContain(
      "slowest:\n  2 ms  a.harn test_a",
    );
  });
});

describe("JSON", () => {
  it("is a line per test and one with the totals", () => {
    expect(JSON.parse(testJson(result({ status: "failed", message: "no" }), shown))).toEqual({
      type: "test",
      file: "a.harn",
      name: "test_a",
      kind: "pipeline",
      line: 1,
      status: "failed",
      duration_ms: 1.5,
      message: "no",
      detail: null,
      stdout: "",
      stderr: "",
      seed: "s/a.harn/test_a",
    });
    expect(JSON.parse(testSummaryJson([report(result({}))], 5, "s", { found: 4, hit: 3 }))).toMatchObject({
      type: "summary",
      passed: 1,
      failed: 0,
      coverage: { lines: 4, hit: 3 },
    });
  });
});

describe("JUnit", () => {
  it("counts failures and errors, and escapes what XML does not allow", () => {
    const xml = junitXml(
      [
        report(
          result({}),
          result({
            name: 'a<b>&"c"',
            status: "failed",
            message: "x < y\nz",
            detail: "\u001b[31mred\u001b[0m \u0000",
          }),
          result({ name: "test_t", status: "timeout", message: "late", stdout: "]]> & out" }),
        ),
        report(),
      ],
      1500,
      shown,
    );
    expect(xml).toContain(
      '<testsuites name="harn test" tests="3" failures="1" errors="1" skipped="0" time="1.500">',
    );
    expect(xml.match(/<testsuite /g)).toHaveLength(1);
    expect(xml).toContain('name="a&lt;b&gt;&amp;&quot;c&quot;"');
    expect(xml).toContain('<failure type="failed" message="x &lt; y&#10;z">red \ufffd</failure>');
    expect(xml).toContain('<error type="timeout" message="late">late</error>');
    expect(xml).toContain("<system-out>]]&gt; &amp; out</system-out>");
    expect(xml).toContain('classname="a.harn" name="test_a" file="a.harn" line="1" time="0.002"/>');
  });
});

describe("coverage", () => {
  const files = [
    {
      path: "/t/a.harn",
      statements: [
        [0, 1, 2],
        [5, 1, 0],
        [9, 2, 0],
        [12, 4, 0],
        [20, 9, 0],
        [30, 10, 1],
      ] as const,
    },
    { path: "/t/b.harn", statements: [[0, 1, 1]] as const },
  ];

  it("counts a line once, by its most often run statement", () => {
    expect(coverageTotals(files)).toEqual({ found: 6, hit: 3 });
    expect(lcovText(files, shown)).toBe(
      "TN:\nSF:a.harn\nDA:1,2\nDA:2,0\nDA:4,0\nDA:9,0\nDA:10,1\nLF:5\nLH:2\nend_of_record\n" +
        "TN:\nSF:b.harn\nDA:1,1\nLF:1\nLH:1\nend_of_record\n",
    );
  });

  it("says what is missing, least covered first", () => {
    expect(coverageText(files, shown)).toBe(
      "coverage: 50.0% of lines (3 of 6)\n  a.harn   40.0%  2 of 5 lines, missing 2-4, 9\n  b.harn  100.0%  1 of 1 lines\n",
    );
    expect(coverageText([], shown)).toBe("coverage: the tests ran no code outside themselves\n");
  });

  it("adds up what several processes counted", () => {
    const sum = new CoverageSum();
    sum.addReport(files);
    sum.addReport([{ path: "/t/b.harn", statements: [[0, 1, 4]] }]);
    expect(sum.report().find(({ path }) => path === "/t/b.harn")!.statements).toEqual([[0, 1, 5]]);
  });
});
