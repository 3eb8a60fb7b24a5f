/** The session behind `harn repl`: what inputs see of each other, completion, types. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinGlobals, builtinTable } from "../../../src/builtins/index.ts";
import { Runtime } from "../../../src/interp/index.ts";
import { runProgram } from "../../../src/lower/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { type CompletionPorts, complete, type Evaluation, Session } from "../../../src/tools/repl/index.ts";
import { display } from "../../../src/values/index.ts";
import { liveEffects } from "../../support/concurrent.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { memoryModules } from "../../support/run-script.ts";

interface Shell {
  readonly session: Session;
  readonly printed: string[];
  /** The value's text, or what went wrong. */
  enter(text: string): Promise<string>;
  evaluate(text: string): Promise<Evaluation>;
}

function shell(files: Readonly<Record<string, string>> = {}): Shell {
  const printed: string[] = [];
  const runtime = new Runtime({
    effects: liveEffects(),
    host: createMemoryHost(),
    console: { write: (text) => printed.push(text), writeError: () => {} },
    builtins: builtinTable(),
  });
  const session = new Session({
    builtins: builtinTable(),
    globals: builtinGlobals,
    parse,
    loader: memoryModules(files),
    run: async (program, options) => runProgram(runtime, program, options),
  });
  let count = 0;
  const evaluate = (text: string): Promise<Evaluation> =>
    session.evaluate(text, { name: `<${++count}>`, path: "repl.harn", last: false });
  const enter = async (text: string): Promise<string> => show(await evaluate(text), session);
  return { session, printed, evaluate, enter };
}

function show(evaluation: Evaluation, session: Session): string {
  switch (evaluation.kind) {
    case "done":
      return evaluation.value === undefined ? evaluation.notes.join("\n") : display(evaluation.value);
    case "refused":
      return `refused: ${evaluation.diagnostics.map((one) => one.message).join("; ")}`;
    case "failed": {
      const { error } = evaluation.outcome;
      if (error === undefined) return "internal";
      const { source } = session.transcript.localise(error.error);
      return `failed in ${source?.name}: ${error.text}`;
    }
    case "exit":
      return `exit ${evaluation.code}`;
    default:
      return evaluation.kind;
  }
}

/** Enters everything and gives the last answer. */
async function last(...inputs: readonly string[]): Promise<string> {
  const { enter } = shell();
  let answer = "";
  for (const input of inputs) answer = await enter(input);
  return answer;
}

describe("what stays", () => {
  it("variables, with the values that they have now", async () => {
    expect(await last("let a = 1", "var b = 2", "b = b + a", "b = b * 10", "[a, b]")).toBe("[1, 30]");
    expect(await last("var d = {x: [1]}", "d.x[0] = 5", "let e = d", "d.y = 1", "[d, e]")).toBe(
      "[{x: [5], y: 1}, {x: [5]}]",
    );
    expect(
      await last("let [p, ...q] = [1, 2, 3]", "let {k, other: o} = {k: 4, other: 5}", "[p, q, k, o]"),
    ).toBe("[1, [2, 3], 4, 5]");
    expect(await last("let a = nil", "a", "a == nil")).toBe("true");
  });

  it("a let stays immutable", async () => {
    expect(await last("let a = 1", "a = 2")).toContain("Cannot assign to 'a': variable is immutable");
  });

  it("functions, which see each other and the newest variables", async () => {
    expect(await last("fn f(n) { return n + k }", "let k = 10", "f(1)")).toBe("11");
    expect(
      await last(
        "fn even(n) { if n == 0 { return true }\nreturn odd(n - 1) }\nfn odd(n) { if n == 0 { return false }\nreturn even(n - 1) }",
        "even(10)",
      ),
    ).toBe("true");
    expect(await last('@deprecated(since: "1")\nfn old() { return 1 }', "old()")).toBe("1");
    expect(await last('@acp_tool(name: "t")\nfn tooled(a) { return a }', "tooled(7)")).toBe("7");
    expect(await last("let add = { a, b -> a + b }", "add(2, 3)")).toBe("5");
    expect(await last("fn gen3() { for i in 1 to 3 { yield i } }", "gen3().iter().to_list()")).toBe(
      "[1, 2, 3]",
    );
  });

  it("structs with methods that come later, enums, aliases, interfaces", async () => {
    expect(
      await last(
        "struct P { x: int }",
        "let p = P {x: 4}",
        "impl P { fn twice(self) { return self.x * 2 } }",
        "p.twice()",
      ),
    ).toBe("8");
    expect(
      await last("enum C { A, B(n: int) }", "let c = C.B(3)", 'match c { C.A -> { "a" } C.B(n) -> { n } }'),
    ).toBe("3");
    expect(await last("type Id = int", "fn f(i: Id) -> Id { return i }", "f(3)")).toBe("3");
  });

  it("imports, whose modules keep their state", async () => {
    const { enter } = shell({
      "m.harn":
        "let hits = atomic(0)\npub fn hit() { atomic_add(hits, 1)\nreturn atomic_get(hits) }\npub fn other() { return 1 }\n",
    });
    await enter('import "m.harn"');
    expect(await enter("hit()")).toBe("1");
    expect(await enter("hit() + other()")).toBe("3");
    expect(await enter('import { nope } from "m.harn"')).toContain("'nope' is not defined in m.harn");
    expect(await enter("hit()")).toBe("3");
  });

  it("state of the run: mocks, registries", async () => {
    expect(await last('llm_mock({text: "canned"})', 'llm_call("hello", nil, {}).text')).toBe("canned");
  });
});

describe("declaring again", () => {
  it("replaces variables, also by way of the old value", async () => {
    expect(await last("let x = 5", "let x = x * 2", "x")).toBe("10");
    expect(await last("let x = 5", "var x = [x]", "x = x + [1]", "x")).toBe("[5, 1]");
    expect(await last("let x = 1\nlet x = x + 1\nlet x = x + 1", "x")).toBe("3");
    expect(await last("let a = 1\nlet b = 2", "let {a, c: b} = {a: b, c: a}", "[a, b]")).toBe("[2, 1]");
  });

  it("replaces functions everywhere, and lets kinds change", async () => {
    expect(await last("fn f() { return 1 }", "fn g() { return f() }", "fn f() { return 2 }", "g()")).toBe(
      "2",
    );
    expect(await last("fn f() { return 1 }", "let f = 3", "f")).toBe("3");
    expect(await last("let f = 3", "fn f() { return 1 }", "f()")).toBe("1");
    expect(
      await last(
        "struct P { x: int }",
        "impl P { fn a(self) { return 1 } }",
        "struct P { y: int }",
        "P {y: 2}",
      ),
    ).toBe("P {y: 2}");
  });

  it("gives up an old function that no longer fits", async () => {
    const { enter } = shell();
    await enter("fn h(n: int) -> int { return n }");
    await enter("fn g() -> int { return h(1) }");
    const answer = await enter('fn h(n: int) -> string { return "s" }');
    expect(answer).toMatch(/forgotten, because it no longer fits: g \(.*expected int, got string/);
    expect(await enter("h(1)")).toBe("s");
  });
});

describe("mistakes", () => {
  it("leave everything as it was", async () => {
    const { enter } = shell();
    await enter("let x = 1");
    expect(await enter("fn x() { return nowhere() }")).toContain("refused: call target `nowhere`");
    expect(await enter("x")).toBe("1");
    expect(await enter("let = ")).toContain("refused: ");
    expect(await enter("x")).toBe("1");
  });

  it("what was bound before an error stays", async () => {
    expect(await last('let a = 1\nlet b = 2\nthrow "no"\nlet c = 3', "[a, b]")).toBe("[1, 2]");
  });

  it("are shown in the input in which they are", async () => {
    const { enter } = shell();
    await enter("let unrelated = 1");
    await enter('fn f() {\n  throw "no"\n}');
    expect(await enter("f()")).toBe("failed in <2>: Thrown: no");
    expect(await enter("let a = )")).toBe("refused: Expected expression, got ) at 1:9");
    expect(await enter("\nbreak")).toMatch(/^refused: Compile error at line 2: /);
    const refused = await shell().evaluate("  1 +* 2");
    expect(refused.kind === "refused" && refused.diagnostics[0]).toMatchObject({
      span: { start: 5, end: 6 },
    });
  });

  it("exit is no mistake", async () => {
    expect(await last("exit(3)")).toBe("exit 3");
    expect(await last("exit(0)")).toBe("exit 0");
  });

  it("pipelines are declared elsewhere", async () => {
    expect(await last("pipeline default() { println(1) }")).toContain("pipelines are not run here");
  });
});

describe("any sequence of inputs", () => {
  const names = ["a", "b", "f", "P", "println"];
  const pieces = [
    "let N = 1",
    "var N = [N]",
    "N = 2",
    "N.x = 3",
    "let {x: N, ...M} = {x: 1, y: 2}",
    "fn N(a) { return M }",
    "fn N() -> int { return 1 + M() }",
    "N()",
    "N(1, 2)",
    "struct N { x: int }",
    "impl N { fn m(self) { return M } }",
    "N {x: 1}",
    "enum N { A, B(x: int) }",
    "N.A",
    "type N = int",
    'import "m.harn"',
    'import { m } from "m.harn"',
    "throw N",
    "return N",
    "break",
    "let = N",
    "N N",
    "[N, M]",
    "for N in [1, 2] { M }",
    "let N = { M -> M }",
    'tool N(a: int) { description "d" a }',
    "pipeline N() { M }",
    '@acp_tool(name: "N")\nfn N(a) { return a }',
    "interface N { fn m(self) -> int }",
    "N |> M",
    "match N { M -> { 1 } }",
    "const N = 2",
    "// N",
    'skill N { description "d" }',
  ];
  const input = fc
    .tuple(fc.constantFrom(...pieces), fc.constantFrom(...names), fc.constantFrom(...names))
    .map(([piece, n, m]) => piece.replaceAll("N", n).replaceAll("M", m));

  it("ends in answers, never in a failure of the session", async () => {
    const entries = fc.array(fc.array(input, { minLength: 1, maxLength: 3 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(entries, async (texts) => {
        const { enter } = shell({ "m.harn": "pub fn m() { return 1 }\npub fn f() { return 2 }\n" });
        for (const text of texts) expect(await enter(text.join("\n"))).not.toBe("internal");
        expect(await enter("let final_one = 20")).not.toContain("refused");
        expect(await enter("final_one + 1")).toBe("21");
      }),
      { numRuns: 60 },
    );
  });
});

describe("incomplete inputs", () => {
  const cases = [
    "fn f() {",
    "[1,",
    "f(",
    "1 +",
    'let s = """a',
    "/* a",
    "if x {\n  1\n",
    "match x {",
    'r#"a',
    "{a: 1,",
  ];
  for (const text of cases)
    it(`waits after ${JSON.stringify(text)}`, async () => {
      expect((await shell().evaluate(text)).kind).toBe("incomplete");
    });

  for (const text of ['"abc', ")", "let 1 = 2", "1 2"])
    it(`does not wait after ${JSON.stringify(text)}`, async () => {
      expect((await shell().evaluate(text)).kind).toBe("refused");
    });
});

describe("completion", () => {
  const ports: CompletionPorts = {
    builtins: builtinTable().keys(),
    keywords: ["return", "retry"],
    globals: ["argv"],
    commands: [":type", ":doc"],
    paths: (prefix) => ["lib/a.harn", "lib/b.harn"].filter((path) => path.startsWith(prefix)),
  };
  const session = async (): Promise<Session> => {
    const { session, enter } = shell();
    await enter("let retries = 3");
    await enter('let config = {retry_limit: 1, inner: {deep: "x"}}');
    await enter("fn retrieve() { return 1 }");
    await enter("enum Color { Red, Green }");
    await enter("struct P { xs: list }\nimpl P { fn sum_all(self) { return 1 } }");
    await enter("let p = P {xs: [1]}");
    return session;
  };
  const at = async (line: string): Promise<readonly string[]> =>
    complete(line, await session(), { ...ports, builtins: builtinTable().keys() })[0];

  it("of names: variables, functions, keywords, builtins", async () => {
    expect(await at("1 + retr")).toEqual(expect.arrayContaining(["retries", "retrieve", "retry"]));
    expect(await at("print")).toEqual(expect.arrayContaining(["print", "println"]));
    expect(await at("Col")).toEqual(["Color"]);
  });

  it("of members: methods by type, keys, fields, variants", async () => {
    expect(await at("config.retry")).toEqual(["retry_limit"]);
    expect(await at("config.inner.d")).toEqual(["deep"]);
    expect(await at("config.inner.deep.starts")).toEqual(["starts_with"]);
    expect(await at("config?.inn")).toEqual(["inner"]);
    expect(await at('"abc".tri')).toContain("trim");
    expect(await at("[1, 2].fil")).toContain("filter");
    expect(await at("p.sum")).toEqual(["sum_all"]);
    expect(await at("p.xs.rev")).toContain("reverse");
    expect(await at("Color.")).toEqual(["Green", "Red"]);
    expect(await at("nobody.x")).toEqual([]);
  });

  it("of files and commands, and of nothing inside a text", async () => {
    expect(await at('import "lib/')).toEqual(["lib/a.harn", "lib/b.harn"]);
    expect(await at('import { a } from "lib/b')).toEqual(["lib/b.harn"]);
    expect(await at(":load lib/a")).toEqual(["lib/a.harn"]);
    expect(await at(":t")).toEqual([":type"]);
    expect(await at('println("retr')).toEqual([]);
  });
});

describe("types", () => {
  it("are those of the checker, with what variables hold now", async () => {
    const { session, enter } = shell();
    await enter('let xs = [1, 2]\nlet d = {a: "x"}\nfn f(n: int) -> string { return "s" }');
    const type = (text: string): string | undefined => session.typeOf(text).type;
    expect(type("xs")).toBe("list<int>");
    expect(type("d.a")).toBe("string");
    expect(type("f(1)")).toBe("string");
    expect(type("1 + 2.0")).toBe("float");
    expect(type('throw_error("never run")')).not.toBeUndefined();
    expect(type("let y = 1")).toBeUndefined();
    expect(session.typeOf("nope").diagnostics[0]!.message).toContain("Undefined variable: nope");
    expect(session.typeOf("(").diagnostics).toHaveLength(1);
    expect(await enter("xs")).toBe("[1, 2]");
  });
});
