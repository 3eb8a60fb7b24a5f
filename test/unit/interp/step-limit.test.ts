/** `limits.steps`: a whole run ends after so many calls and rounds of loops, whatever it does to go on. */
import { expect, test } from "vitest";
import { Interruption } from "../../../src/interp/index.ts";
import { runScript } from "../../support/run-script.ts";

const limited = (text: string, steps = 5000) => runScript(text, { runtime: { limits: { steps } } });

const endless = [
  "while true { }",
  "var i = 0\nwhile i < i + 1 { i += 1 }",
  "for i in 0 to 1000000000000 { let x = i }",
  "fn f(n) { return f(n + 1) }\nf(0)",
  "fn g() { while true { yield 1 } }\nfor x in g() { }",
  "while true { try { while true { } } catch { } }",
  "while true { sleep(1) }",
  "let h = spawn { while true { sleep(1) } }\nawait(h)",
  "parallel 3 { i -> while true { sleep(1) } }",
  "parallel settle [1, 2, 3] { i -> while true { sleep(1) } }",
  "for x in (parallel each [1, 2] { i -> while true { sleep(1) } } as stream) { }",
  "try { while true { } } finally { while true { } }",
  "while true { await(spawn { 1 }) }",
];

test.each(endless)("%s", async (text) => {
  const run = await limited(text);
  expect(run.error).toContain(
    "Runtime error: step limit reached: the program made 5000 calls and rounds of loops",
  );
  expect(run.outcome?.exitCode).toBe(124);
  expect(run.outcome?.error?.error.span).toBeDefined();
});

test("a program below the limit does not notice it, and one without a limit has none", async () => {
  expect((await limited("for i in 0 to 4000 { }\nprintln(1)")).stdout).toBe("1\n");
  expect((await runScript("for i in 0 to 300000 { }\nprintln(1)")).stdout).toBe("1\n");
});

test("no catch stops it; finally and defer blocks run", async () => {
  const run = await limited(
    'defer { println("defer") }\ntry { while true { } } catch { println("no") } finally { println("finally") }',
  );
  expect(run.stdout).toBe("finally\ndefer\n");
  expect(new Interruption("limit")).not.toBeInstanceOf(Error);
});
