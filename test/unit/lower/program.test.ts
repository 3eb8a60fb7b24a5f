/** Programs as a whole: results, exit codes, errors with their traces, side-by-side runs, and what never waits. */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { defineBuiltins } from "../../../src/table/index.ts";
import { thrown } from "../../../src/values/index.ts";
import { runScript } from "../../support/run-script.ts";

describe("exit code (§19.5)", () => {
  it.each([
    ["pipeline default() { return 3 }", 3],
    ["pipeline default() { 7 }", 7],
    ["pipeline default() { return -1 }", 0],
    ["pipeline default() { return 300 }", 255],
    ['pipeline default() { return "text" }', 0],
    ["5", 0],
    ["return 5", 5],
    ["exit(4)", 4],
    ["exit(300)", 255],
    ["exit(-5)", 0],
    ["return 9223372036854775807", 255],
    ["exit(9223372036854775807)", 255],
    ["exit()", 0],
    ['fn f() { try { exit(2) } finally { log("no") } }\nf()', 2],
    ["1 / 0", 1],
    ['Err("x")?', 1],
  ])("%s", async (text, code) => {
    const run = await runScript(text);
    expect(run.outcome?.exitCode).toBe(code);
    expect(run.stdout).toBe("");
  });

  it("an Err result goes to standard error", async () => {
    const run = await runScript('pipeline default() { return Err({why: "broken"}) }');
    expect([run.stderr, run.outcome?.exitCode]).toEqual(["{why: broken}\n", 1]);
  });

  it("keeps what was printed before an error", async () => {
    const run = await runScript('log("kept")\nthrow "x"');
    expect([run.stdout, run.error]).toEqual(["[harn] kept\n", "Thrown: x"]);
  });

  it("gives pipeline parameters that the host supplies", async () => {
    const run = await runScript("pipeline default(task, other) { return task }", {
      params: new Map([["task", "do it"]]),
    });
    expect(run.outcome?.value).toBe("do it");
  });
});

describe("errors carry where they come from (§28.2)", () => {
  it("position of the failing operator, and one frame per call around it", async () => {
    const run = await runScript(
      "fn inner(x) {\n  return 10 / x\n}\nfn outer(x) {\n  let y = inner(x)\n  return y\n}\npipeline default() {\n  outer(0)\n}",
    );
    const error = run.outcome?.error?.error;
    expect(error?.source?.position(error.span!.start)).toEqual({ line: 2, column: 13 });
    expect(error?.trace.map((frame) => [frame.name, frame.source?.line(frame.span!.start)])).toEqual([
      ["outer", 5],
      ["pipeline", 9],
    ]);
  });

  it("also after waiting", async () => {
    const run = await runScript(
      "fn slow(x) {\n  sleep(1)\n  return 1 / x\n}\nfn f() {\n  let y = slow(0)\n  return y\n}\nf()",
    );
    const error = run.outcome?.error?.error;
    expect(error?.source?.line(error.span!.start)).toBe(3);
    expect(error?.trace.map((frame) => frame.name)).toEqual(["f", "pipeline"]);
  });

  it("a failed parameter check points at the call", async () => {
    const run = await runScript("fn f(n: int) { return n }\n\nf(nil)");
    expect(run.error).toBe("Runtime error: TypeError: parameter 'n' expected int, got nil (nil) (line 3)");
  });

  it("bugs of ours are no script errors", async () => {
    const broken = new Map(builtinTable());
    for (const spec of defineBuiltins("test", {
      broken: { doc: "", sig: "()", effect: "pure", run: () => (undefined as never as { x: never }).x },
    }))
      broken.set(spec.name, spec);
    const text = 'try { broken() } catch (e) { log("must not be caught") }';
    const run = runScript(text, { compile: { builtins: broken }, runtime: { builtins: broken } });
    await expect(run).rejects.toMatchObject({ name: "InternalError" });
  });
});

describe("synchronous until it cannot be", () => {
  it("a pure script never waits", async () => {
    const run = await runScript(`
      fn fib(n) { if n < 2 { return n }; return fib(n - 1) + fib(n - 2) }
      struct P { x: int }
      impl P { fn get(self) { return self.x } }
      fn gen() { yield 1; yield 2 }
      var d = {}
      for x in [1, 2, 3].map({ x -> x * 2 }) { d[x] = fib(x) }
      for v in gen() { d["g"] = v }
      let r = try { P {x: 1}.get() |> { x -> x + 1 } } catch (e) { 0 } finally { d.f = 1 }
      log(parallel each [1, 2] { x -> x * x })
      log("\${d} \${r}")`);
    expect(run.error).toBe("");
    expect(run.synchronous).toBe(true);
  });

  it("each form of statement goes on after waiting", async () => {
    const run = await runScript(`
      fn wait(x) { sleep(1); return x }
      fn gen(n) { for i in 1 to n { yield wait(i) } }
      fn f() {
        let {a, b = wait(2)} = {a: wait(1)}
        var out = ["\${a}\${b}", wait(3) + wait(4) * 2, [wait(5), wait(6)], {k: wait(7)}.k]
        if wait(true) { out = out + ["if"] }
        for x in [1, 2, 3] { if wait(x) == 2 { continue }; out = out + [x] }
        var i = 0
        while wait(i) < 3 { i += wait(1); if i == 2 { break } }
        out = out + [i, wait(1) == 1 ? wait("t") : "f", wait(false) || wait(true), nil ?? wait("n")]
        out = out + [match wait(5) { 5 if wait(true) -> { wait("five") } _ -> { 0 } }]
        out = out + [try { wait(1); throw "e" } catch (e) { wait("caught " + e) } finally { wait(0) }]
        out = out + [retry 2 { wait("r") }, wait("pipe") |> _.upper() |> wait]
        for v in gen(2) { out = out + [v] }
        for i in wait(1) to wait(2) { out = out + [i * 100] }
        out[wait(0)] = wait("first")
        let c = fn(p = wait("default")) { wait(p) }
        out = out + [c(), deadline 1s { wait("in time") }, [1, 2].map({ x -> wait(x) })]
        defer { log(wait("deferred")) }
        out = out + ["\${wait(1)}-\${wait(2)}", (wait(Ok(1)))?]
        return out
      }
      for part in f() { log(part) }`);
    expect(run.error).toBe("");
    expect(run.synchronous).toBe(false);
    expect(run.stdout.replaceAll("[harn] ", "").trim().split("\n")).toEqual([
      "deferred",
      "first",
      "11",
      "[5, 6]",
      "7",
      "if",
      "1",
      "3",
      "2",
      "t",
      "true",
      "n",
      "five",
      "caught e",
      "r",
      "PIPE",
      "1",
      "2",
      "100",
      "200",
      "default",
      "in time",
      "[1, 2]",
      "1-2",
      "1",
    ]);
  });
});

describe("runs", () => {
  it("two runs of one program share nothing", async () => {
    const files = { "m.harn": "var n = 0\npub fn bump() { n += 1; return n }" };
    const text = 'import { bump } from "./m"\nbump()\nlog(bump())';
    const [a, b] = await Promise.all([runScript(text, { files }), runScript(text, { files })]);
    expect([a.stdout, b.stdout]).toEqual(["[harn] 2\n", "[harn] 2\n"]);
  });

  it("ends endless loops and endless recursion", async () => {
    const spin = await runScript("deadline 20ms { while true { } }", {
      runtime: { host: (await import("../../../src/host/index.ts")).createNodeHost() },
    });
    expect(spin.error).toBe("Thrown: Deadline exceeded");
    const deep = await runScript("fn f(n) { return 1 + f(n + 1) }\nf(0)");
    expect(deep.error).toContain("Stack overflow: too many nested calls");
  });

  it("limits nested calls to what the runtime allows", async () => {
    const text = "fn f(n) { if n == 0 { return 0 }; return 1 + f(n - 1) }\nlog(f(50))";
    expect((await runScript(text, { runtime: { limits: { depth: 60 } } })).error).toBe("");
    expect((await runScript(text, { runtime: { limits: { depth: 40 } } })).error).toContain("Stack overflow");
  });

  it("script errors of builtins can be caught with their value", async () => {
    const table = new Map(builtinTable());
    for (const spec of defineBuiltins("test", {
      fails: {
        doc: "",
        sig: "()",
        effect: "pure",
        run: () => {
          throw thrown("native");
        },
      },
    }))
      table.set(spec.name, spec);
    const run = await runScript("log(try { fails() })", {
      compile: { builtins: table },
      runtime: { builtins: table },
    });
    expect(run.stdout).toBe("[harn] Result.Err(native)\n");
  });

  it("says which forms are not available yet", async () => {
    expect((await runScript("cost_route { log(1) }")).error).toContain("`cost_route { }` is not available");
  });
});
