/**
 * Record → replay is the identity for generated scripts: the same as `replay-tasks.test.ts`, but through parser, lowering
 * and builtins, with closures, generators, files and random numbers.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryHost } from "../support/memory-host.ts";
import { recordAndReplayScript } from "../support/replay-script.ts";

const small = fc.integer({ min: 0, max: 25 });
const channel = fc.constantFrom("a", "b", "c");
const lines = (text: string[]): fc.Arbitrary<string[]> => fc.constant(text);

/** Statements; blocks are indented when printed. `print` marks every value that a difference could show in. */
const { block } = fc.letrec<{ block: string[]; statement: string[] }>((tie) => ({
  block: fc.array(tie("statement"), { maxLength: 5, depthIdentifier: "nest" }).map((parts) => parts.flat()),
  statement: fc.oneof(
    { depthIdentifier: "nest", maxDepth: 3 },
    small.map((ms) => [`sleep(${ms})`]),
    lines([`println("\${runtime_context().task_id} \${atomic_add(count, 1)}")`]),
    lines(["println(random_int(1, 1000000))"]),
    lines(["println(now_ms() % 1000)"]),
    lines([`println(read_file("a.txt").trim())`]),
    lines([`write_file("out.txt", "\${atomic_get(count)}")`, `println(read_file("out.txt"))`]),
    lines(["println(uuid())"]),
    lines([`throw "thrown \${atomic_get(count)}"`]),
    lines(["for t in ticks(3) { println(t % 100) }"]),
    channel.map((name) => [`println(send(${name}, atomic_add(count, 1)))`]),
    channel.map((name) => [`println(receive(${name}))`]),
    channel.map((name) => [`println(try_receive(${name}))`]),
    channel.map((name) => [`close_channel(${name})`]),
    fc
      .tuple(channel, channel, small)
      .map(([one, two, ms]) => [
        "select {",
        `  x from ${one} { println("one \${x}") }`,
        `  y from ${two} { println("two \${y}") }`,
        `  timeout ${ms} { println("late") }`,
        "}",
      ]),
    tie("block").map((body) => ["try {", ...body, '} catch e { println(e) } finally { println("finally") }']),
    tie("block").map((body) => ["mutex {", ...body, "}"]),
    fc
      .tuple(tie("block"), small)
      .map(([body, ms]) => ["try {", `deadline ${ms} {`, ...body, "}", "} catch e { println(e) }"]),
    fc
      .tuple(tie("block"), fc.constantFrom("await", "cancel", "cancel_graceful"))
      .map(([body, end]) => [
        "if true {",
        "let task = spawn {",
        ...body,
        "atomic_get(count)",
        "}",
        "sleep(3)",
        `println(${end}(task))`,
        "}",
      ]),
    tie("block").map((body) => ["spawn {", ...body, "}"]),
    fc
      .tuple(
        tie("block"),
        fc.constantFrom("parallel 3", "parallel each [3, 1, 2]", "parallel settle [1, 2]"),
        small,
      )
      .map(([body, form, max]) => [
        `println(${form} with { max_concurrent: ${max % 4} } { i ->`,
        "sleep(i)",
        ...body,
        "i",
        "})",
      ]),
    tie("block").map((body) => [
      "for x in parallel each [9, 4, 6] { i ->",
      "sleep(i)",
      ...body,
      "i",
      "} as stream { println(x) }",
    ]),
  ),
}));

const prelude = `let count = atomic(0)
let a = channel("a", 1)
let b = channel("b", 2)
let c = channel("c", 4)
gen fn ticks(n) -> Stream<int> {
  var i = 0
  while i < n {
    emit now_ms()
    sleep(2)
    i = i + 1
  }
}
`;

test("generated scripts replay to the same output and outcome", async () => {
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(block, async (lines) => {
      const text = `${prelude}${lines.join("\n")}\nprintln("end")\n`;
      const host = createMemoryHost({ files: { "/work/a.txt": "alpha\n" } });
      const { recorded, replayed, journal } = await recordAndReplayScript(text, host);
      if (journal.records.some((record) => record.t === "result" && (record.o ?? 0) > 1)) waited++;
      expect(replayed.guarded.kind).toBe("ended");
      expect(replayed.stdout).toBe(recorded.stdout);
      expect(replayed.error).toBe(recorded.error);
      expect(replayed.exitCode).toBe(recorded.exitCode);
    }),
    { numRuns: 150 },
  );
  expect(waited).toBeGreaterThan(30);
});
