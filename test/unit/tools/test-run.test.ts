/** The test runner over a machine in memory: what is a test, what passes, what each failure says (language.md §25). */
import { describe, expect, it } from "vitest";
import { runTestFile } from "../../../src/tools/test/index.ts";
import { memoryBench, plainOptions, runTests } from "../../support/test-bench.ts";

const brief = async (...args: Parameters<typeof runTests>): Promise<string[]> => {
  const { results } = await runTests(...args);
  return results.map(({ name, status, message }) => [name, status, message].filter(Boolean).join(" | "));
};

describe("which pipelines are tests", () => {
  it("only the prefix and the attribute count, and other pipelines are not run", async () => {
    const text = `
pipeline default() { println("default ran") }
pipeline test_a() { assert(true) }
@test
pipeline b() { assert(true) }
pipeline latest_news() { assert(false) }
pipeline testing() { assert(false) }
`;
    const { results } = await runTests(text);
    expect(results.map(({ name, line }) => [name, line])).toEqual([
      ["test_a", 3],
      ["b", 5],
    ]);
    expect(results.map(({ stdout }) => stdout)).toEqual(["", ""]);
  });

  it("a filter selects by name or by path", async () => {
    const text = "pipeline test_one() { }\npipeline test_two() { }\n";
    expect(await brief(text, { filter: "two" })).toEqual(["test_two | passed"]);
    expect(await brief(text, { filter: "a.ha" })).toHaveLength(2);
    expect(await brief(text, { filter: "/t/" })).toEqual([]);
    expect(await brief(text, { filter: "nothing" })).toEqual([]);
  });

  it("a parent's body runs before a test that extends it", async () => {
    const text = `
pipeline base() { let x = 20 }
pipeline test_child() extends base { assert_eq(x, 20) }
`;
    expect(await brief(text)).toEqual(["test_child | passed"]);
  });

  it("a file that does not compile is one failure", async () => {
    expect(await brief("pipeline test_a() { let x = }")).toEqual([
      "(file) | failed | Expected expression, got } at 1:29",
    ]);
    const { results } = await runTests("pipeline test_a() { nowhere(1) }");
    expect(results[0]).toMatchObject({ name: "test_a", status: "failed" });
    expect(results[0]!.detail).toContain("a.harn:1:21");
  });
});

describe("how tests end", () => {
  it("an escaping error fails, a caught one does not", async () => {
    const text = `
pipeline test_throws() { throw "boom" }
pipeline test_catches() { try { throw "boom" } catch e { assert_eq(e, "boom") } }
pipeline test_zero() { let n = 0
  return 1 / n }
`;
    expect(await brief(text)).toEqual([
      "test_throws | failed | Thrown: boom",
      "test_catches | passed",
      "test_zero | failed | Runtime error: Division by zero (line 5)",
    ]);
  });

  it("a returned value is nobody's business, a returned Err and exit(n) are", async () => {
    const text = `
pipeline test_value() { return 42 }
pipeline test_err() { return Err("no") }
pipeline test_exit() { exit(3) }
pipeline test_exit_well() { exit(0) }
`;
    expect(await brief(text)).toEqual([
      "test_value | passed",
      "test_err | failed | it returned Err: no",
      "test_exit | failed | it called exit(3)",
      "test_exit_well | passed",
    ]);
  });

  it("a test that waits too long is stopped, its finally runs, and the next one runs", async () => {
    const text = `
pipeline test_waits() { try { sleep(60s) } finally { println("tidied") } }
pipeline test_after() { assert(true) }
`;
    const { results } = await runTests(text, { timeoutMs: 1500 });
    expect(results.map(({ status, message }) => [status, message])).toEqual([
      ["timeout", "stopped at its limit of 1500 ms"],
      ["passed", undefined],
    ]);
    expect(results[0]!.stdout).toBe("tidied\n");
  });

  it("what a test printed comes with it", async () => {
    const { results } = await runTests('pipeline test_a() { println("out")\n eprintln("err") }');
    expect(results[0]).toMatchObject({ stdout: "out\n", stderr: "err\n" });
  });
});

describe("differences", () => {
  const detail = async (body: string): Promise<string> =>
    (await runTests(`pipeline test_a() { ${body} }`)).results[0]!.detail ?? "";

  it("of short values stand side by side, with strings in quotes", async () => {
    expect(await detail('assert_eq("1", 1)')).toContain('expected: 1\nactual:   "1"');
    expect(await detail("assert_eq([1, 2], [1, 3])")).toContain("expected: [1, 3]\nactual:   [1, 2]");
  });

  it("of long values are shown key by key", async () => {
    const long = (last: number): string =>
      `{a: 1, b: ["one long text", "another long text", "a third long text"], c: {d: ${last}, e: "more text"}}`;
    const text = await detail(`assert_eq(${long(1)}, ${long(2)})`);
    expect(text).toContain("- expected\n+ actual\n");
    expect(text).toContain('-   c: {d: 2, e: "more text"},\n+   c: {d: 1, e: "more text"},');
  });

  it("of texts are shown line by line", async () => {
    const text = await detail('assert_eq("a\\nb \\nc", "a\\nb\\nc")');
    expect(text).toContain("  a\n- b\n+ b·\n  c");
  });

  it("a message of one's own keeps the difference", async () => {
    const { results } = await runTests('pipeline test_a() { assert_eq(1, 2, "sums differ") }');
    expect(results[0]!.message).toBe("Thrown: sums differ");
    expect(results[0]!.detail).toContain("expected: 2\nactual:   1");
  });
});

describe("isolation", () => {
  it("no state of one test reaches another", async () => {
    const text = `
var shared = 0
pipeline test_a() {
  shared = shared + 1
  assert_eq(shared, 1)
  llm_mock({text: "left over"})
}
pipeline test_b() {
  shared = shared + 1
  assert_eq(shared, 1)
  assert_eq(len(llm_mock_calls()), 0)
  let answer = llm_call("hello", nil, {})
  assert(answer.text != "left over")
}
`;
    expect(await brief(text)).toEqual(["test_a | passed", "test_b | passed"]);
  });

  it("each test has a seed of its own, and the same one every time", async () => {
    const text =
      "pipeline test_a() { println(random_int(0, 1000000000)) }\npipeline test_b() { println(random_int(0, 1000000000)) }";
    const draw = async (seed: string): Promise<string[]> =>
      (await runTests(text, { seed })).results.map(({ stdout }) => stdout);
    const first = await draw("one");
    expect(first[0]).not.toBe(first[1]);
    expect(await draw("one")).toEqual(first);
    expect(await draw("two")).not.toEqual(first);
  });

  it("keys are not visible, and the mock answers", async () => {
    const bench = memoryBench(
      {
        "/t/a.harn":
          'pipeline test_a() { assert_eq(env("OPENAI_API_KEY"), nil)\nassert_eq(env("KEEP"), "yes") }',
      },
      { OPENAI_API_KEY: "sk-secret", KEEP: "yes" },
    );
    const { results } = await runTestFile(bench, "/t/a.harn", plainOptions);
    expect(results[0]).toMatchObject({ status: "passed" });
    expect(bench.machines[0]!.env.get("HARN_LLM_PROVIDER")).toBe("mock");
  });
});

describe("expectation programs", () => {
  const expectation = async (text: string, more: Readonly<Record<string, string>>): Promise<string> => {
    const { results } = await runTests(text, {}, more);
    const [{ status, message, detail } = { status: "none", message: "", detail: "" }] = results;
    return [status, message, detail].filter(Boolean).join("\n");
  };

  it("compares standard output after trimming its end", async () => {
    expect(await expectation('println("a")\nprintln("")', { "/t/a.expected": "a" })).toBe("passed");
    expect(await expectation('println("a")', { "/t/a.expected": "a\r\n\n" })).toBe("passed");
    expect(await expectation('println("a")\nprintln("c")', { "/t/a.expected": "a\nb" })).toBe(
      "failed\nthe output is not the expected one\n- expected\n+ actual\n  a\n- b\n+ c",
    );
  });

  it("ignores the numbers of timers", async () => {
    const text = 'println("[timer] x: 17ms")';
    expect(await expectation(text, { "/t/a.expected": "[timer] x: 3ms\n" })).toBe("passed");
  });

  it("an error fails a program that should have printed", async () => {
    expect(await expectation('throw "no"', { "/t/a.expected": "" })).toContain("failed\nThrown: no");
  });

  it("any one line of an .error file is enough, also as a regular expression", async () => {
    const boom = 'println("before")\nthrow "boom 17"';
    expect(await expectation(boom, { "/t/a.error": "boom\n" })).toBe("passed");
    expect(await expectation(boom, { "/t/a.error": "other\nre:boom \\d+$\n" })).toBe("passed");
    expect(await expectation(boom, { "/t/a.error": "other" })).toBe(
      "failed\nthe error is not the expected one\nexpected an error containing:\n  other\nbut the error was:\n  Thrown: boom 17",
    );
    expect(await expectation("let x = 1", { "/t/a.error": "boom" })).toContain("but no error came");
    expect(await expectation(boom, { "/t/a.error": "re:(" })).toContain("( is no regular expression");
  });

  it("static errors are compared by their message", async () => {
    expect(await expectation("let x = ", { "/t/a.error": "Unexpected end of file" })).toBe("passed");
    expect(await expectation("nowhere()", { "/t/a.error": "call target `nowhere`" })).toBe("passed");
  });
});

describe("--determinism", () => {
  it("a test whose output depends on chance differs, one with a given seed does not", async () => {
    const text = "pipeline test_a() { println(random_int(0, 1000000000)) }";
    const { results } = await runTests(text, { determinism: true });
    expect(results[0]).toMatchObject({ status: "failed", message: "two runs of this test differ" });
    expect(results[0]!.detail).toMatch(
      /^standard output, first run \(-\) and second run \(\+\):\n- \d+\n\+ \d+/,
    );
    expect(await brief(text, { determinism: true, hasSeed: true })).toEqual(["test_a | passed"]);
  });

  it("effects are compared too", async () => {
    const text = `pipeline test_a() { if random_int(0, 1000000000) % 2 == 0 { now_ms() } else { cwd() } }`;
    const seeds = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const runs = await Promise.all(seeds.map((seed) => runTests(text, { determinism: true, seed })));
    const details = runs.map(({ results }) => results[0]!.detail ?? "");
    expect(details.some((detail) => detail.startsWith("effects (path, number, kind)"))).toBe(true);
  });

  it("a deterministic test passes", async () => {
    const text = 'pipeline test_a() { write_file("x.txt", "1")\n println(read_file("x.txt")) }';
    expect(await brief(text, { determinism: true })).toEqual(["test_a | passed"]);
  });
});

describe("--coverage", () => {
  it("counts statements of what tests call, in imported files too", async () => {
    const lib =
      "pub fn used(x) {\n  if x {\n    return 1\n  }\n  return 2\n}\npub fn unused() {\n  return 3\n}\n";
    const text =
      'import "lib"\npipeline test_a() {\n  assert_eq(used(true), 1)\n  assert_eq(used(true), 1)\n}\n';
    const { coverage } = await runTests(text, { coverage: true }, { "/t/lib.harn": lib });
    const lines = coverage.map(({ path, statements }) => [
      path,
      statements.map(([, line, hits]) => [line, hits]),
    ]);
    expect(lines).toEqual([
      [
        "lib.harn",
        [
          [2, 2],
          [3, 2],
          [5, 0],
          [8, 0],
        ],
      ],
    ]);
  });

  it("generators, closures, branches and loops are counted", async () => {
    const text = `fn pulls() {
  for i in 1 to 3 {
    yield i
  }
  yield 9
}
fn apply(f) {
  return f(1)
}
pipeline test_a() {
  var total = 0
  for x in pulls() { total = total + x }
  assert_eq(total, 15)
  assert_eq(apply({ n ->
    let m = n + 1
    m
  }), 2)
}
`;
    const { coverage, results } = await runTests(text, { coverage: true });
    expect(results[0]!.message).toBeUndefined();
    expect(coverage[0]!.statements.map(([, line, hits]) => [line, hits])).toEqual([
      [2, 1],
      [3, 3],
      [5, 1],
      [8, 1],
    ]);
  });

  it("costs nothing when off: nothing is counted", async () => {
    const { coverage } = await runTests("fn f() { return 1 }\npipeline test_a() { f() }");
    expect(coverage).toEqual([]);
  });
});
