/** What the resolver reports before a run, and what it finds out about functions. */
import { describe, expect, it } from "vitest";
import { compileScript, runScript } from "../../support/run-script.ts";

const codes = (text: string, files?: Record<string, string>): string[] =>
  compileScript(text, files ? { files } : {}).diagnostics.map(
    (one) => `${one.code}@${one.source.line(one.span.start)}`,
  );

describe("a `main` that never runs", () => {
  it.each([
    ["fn main() { log(1) }", true],
    ["fn main(args) { log(args) }", true],
    ["fn main(harness) { log(harness) }", true],
    ["fn helper() { return 1 }\nlog(helper())\nfn main(n: int) { return main(n - 1) }", true],
    ["fn main(harness: Harness) { log(1) }", false],
    ["fn main() { log(1) }\nmain()", false],
    ['fn main() { log(1) }\nlog("${main()}")', false],
    ["fn main() { log(1) }\nlet table = {start: main}", false],
    ["fn start() { main() }\nfn main() { log(1) }\nstart()", false],
    ["pub fn main() { log(1) }", false],
    ["fn main() { log(1) }\npipeline default(task) { log(2) }", false],
  ])("%s", (text, warned) => {
    const { program, diagnostics } = compileScript(text);
    expect(program).toBeDefined();
    expect(diagnostics.map((one) => [one.code, one.severity])).toEqual(
      warned ? [["HARN-ORC-013", "warning"]] : [],
    );
    if (warned) expect(diagnostics[0]?.help).toContain("fn main(harness: Harness)");
  });

  it("is no matter of a file that is imported, nor of an interactive session", () => {
    const files = { "m.harn": "fn main() { log(1) }\npub fn f() { return 1 }" };
    expect(compileScript('import "./m"\nlog(f())', { files }).diagnostics).toEqual([]);
    expect(compileScript("fn main() { log(1) }", { compile: { interactive: true } }).diagnostics).toEqual([]);
  });
});

describe("names", () => {
  it("refuses unknown variables, also in code that would not run", () => {
    const { program, diagnostics } = compileScript("fn unused() { return nothing_such }\nlog(1)");
    expect(program).toBeUndefined();
    expect(diagnostics.map((one) => [one.code, one.severity])).toEqual([["HARN-NAM-001", "error"]]);
  });

  it("says what `null` is, and where a variable is declared below", () => {
    const helps = compileScript("fn f() { return k }\nlet k = 1\nlog(null)").diagnostics.map(
      (one) => one.help,
    );
    expect(helps[0]).toContain("declared below, on line 2");
    expect(helps[1]).toContain("`nil`");
  });

  it("refuses what makes an imported file fail, in its own words", () => {
    const { program, diagnostics } = compileScript('import "./m"\nlog(f())', {
      files: { "m.harn": "let k = 1\npub fn f() { return kk }\npub fn g() { k = 2 }" },
    });
    expect(program).toBeUndefined();
    expect(diagnostics.map((one) => [one.code, one.source.name])).toEqual([
      ["HARN-NAM-001", "m.harn"],
      ["HARN-OWN-001", "m.harn"],
    ]);
  });

  it("knows the variables of the pipelines that one extends, whichever is the entry", () => {
    const text =
      "pipeline base(task) { let k = 1\nfn of() { return k } }\n" +
      "pipeline child(task) extends base { log(k); log(of) }\npipeline default(task) { log(1) }";
    expect(codes(text)).toEqual([]);
  });

  it("assumes nothing about names when an import is unknown", () => {
    expect(codes('import "./gone"\nlog(maybe_from_there)')).toEqual([]);
  });

  it("refuses unknown call targets with a suggestion", () => {
    const { program, diagnostics } = compileScript("fn total(x) { return x }\ntotl(1)");
    expect(program).toBeUndefined();
    expect(diagnostics[0]?.help).toBe("did you mean `total`?");
    expect(diagnostics[0]?.span).toEqual({ ...diagnostics[0]?.span, start: 25, end: 29 });
  });

  it("lets names of the host pass", () => {
    expect(codes("__internal(1)\nhostlib_x(2)")).toEqual([]);
  });

  it("does not check calls when an import is unknown", () => {
    expect(codes('import "./gone"\nmaybe_from_there(1)')).toEqual([]);
  });

  it("reports unresolved imports for `check` only", () => {
    const compiled = compileScript('import "./gone"\nlog(1)');
    expect(compiled.program).toBeDefined();
    expect(compiled.preflight.map((one) => one.message)).toEqual(["preflight: unresolved import './gone'"]);
  });

  it("reports several errors in source order", () => {
    expect(codes("break\nnope_nope(1)\nlet a = try* 5\ncontinue")).toEqual([
      "HARN-CMP-001@1",
      "HARN-NAM-002@2",
      "HARN-CMP-005@3",
      "HARN-CMP-001@4",
    ]);
  });

  it("knows names of imported modules, also in a circle", () => {
    const files = {
      "a.harn": 'import "./b"\nfn fa() { return fb() }',
      "b.harn": 'import "./a"\nfn fb() { return 1 }',
    };
    expect(codes('import "./a"\nfa()\nfb()', files)).toEqual(["HARN-NAM-002@3"]);
  });
});

describe("captures", () => {
  const fnOf = (text: string, name: string) =>
    compileScript(text).program!.resolved.entry.functions.get(name)!;

  it("functions without outer variables are static, also when they call each other", () => {
    const text = "fn a(n) { return n == 0 ? 0 : b(n - 1) }\nfn b(n) { return a(n) }";
    expect([fnOf(text, "a").isStatic, fnOf(text, "b").isStatic]).toEqual([true, true]);
  });

  it("constants need no capture, other variables do, through every function between", () => {
    const text =
      "let limit = 5\nvar state = 1\nfn a() { return limit }\nfn b() { return { -> { -> state } } }\nfn c() { return b() }";
    expect(fnOf(text, "a").isStatic).toBe(true);
    expect(fnOf(text, "b").captures.map((one) => one.name)).toEqual(["state"]);
    expect(fnOf(text, "c").captures.map((one) => one.name)).toEqual(["b"]);
  });

  it("slots of closed scopes are used again, unless a deferred block may read them", () => {
    const blocks = "if true { let a = [1] }\nif true { let b = [2] }\nif true { let c = [3] }";
    const plain = fnOf(`fn f() {\n${blocks}\n}`, "f").frameSize;
    const kept = fnOf(`fn f() {\ndefer { log(1) }\n${blocks}\n}`, "f").frameSize;
    expect(kept).toBeGreaterThanOrEqual(plain + 3);
  });

  it("finds out which functions may wait", () => {
    const text =
      "fn pure(n) { return n + 1 }\nfn waits() { sleep(1) }\nfn calls() { return waits() }\nfn gen() { yield waits() }\nfn makes() { return gen() }";
    expect(["pure", "waits", "calls", "makes"].map((name) => fnOf(text, name).suspends)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("depth", () => {
  const nested = (open: string, close: string, n: number) => `${open.repeat(n)}1${close.repeat(n)}`;

  it("reports nesting that no later stage could follow, instead of overflowing", () => {
    const deep = `${"if true { ".repeat(250)}log(1)${" }".repeat(250)}`;
    expect(codes(deep)).toEqual([]);
    for (const text of [`log(${"2 ** ".repeat(3000)}1)`, `log(${nested("(", ")", 200)})`]) {
      const { diagnostics } = compileScript(text);
      for (const one of diagnostics) expect(one.code).toMatch(/HARN-PAR/);
    }
  });

  it.each([
    ["additions", `log(${"1 + ".repeat(10_000)}0)`, "[harn] 10000\n"],
    ["conditions", `log(${"true && ".repeat(10_000)}false)`, "[harn] false\n"],
    ["members", `let d = {}\nlog(try { d${".x".repeat(10_000)} } catch (e) { "nil" })`, "[harn] nil\n"],
    ["signs", `log(${"!".repeat(10_000)}true)`, "[harn] true\n"],
    ["else if", `if false { } ${"else if false { } ".repeat(5_000)}else { log("end") }`, "[harn] end\n"],
  ])("10,000 %s run", async (_name, text, expected) => {
    const run = await runScript(text);
    if (run.error === "") expect(run.stdout).toBe(expected);
    else expect(run.error).toMatch(/nested|deep|Stack overflow/);
  });
});
