/** Attack 45: builtins that work for long are ended by deadlines, stops and limits; patterns are bounded before they are compiled. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNodeHost } from "../../../src/host/index.ts";
import { regexSize } from "../../../src/values/index.ts";
import { harn } from "../../support/run-cli.ts";
import { runScript } from "../../support/run-script.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("long");

/** A hundred million rounds that give next to nothing. */
/** 25,600,000,000 turns: hours, where nothing ends them. */
const nested = `let t = "{{ for a in xs }}{{ for b in xs }}{{ for c in xs }}{{ for d in xs }}{{ end }}{{ end }}{{ end }}{{ end }}"
let xs = range(0, 400).to_list()
`;

describe("a template of nested loops", () => {
  it("ends at a deadline", () => {
    const file = join(folder, "deadline.harn");
    writeFileSync(
      file,
      `${nested}write_file("x", "y")\nprintln(try { deadline 300ms { render_string(t, {xs: xs}) } } catch (e) { e })`,
    );
    const run = harn(["run", file], { cwd: folder });
    expect(run).toMatchObject({ stdout: "Deadline exceeded\n", status: 0 });
    // A replay has no clock: it ends at the same step.
    expect(harn(["replay", "last"], { cwd: folder })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("ends at TERM", async () => {
    const file = join(folder, "term.harn");
    writeFileSync(file, `${nested}println("begun")\nrender_string(t, {xs: xs})`);
    const run = startHarn(["run", file], { cwd: folder });
    await run.shows("begun");
    await new Promise((resolve) => setTimeout(resolve, 1200));
    run.child.kill("SIGTERM");
    const late = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), 120_000));
    const ended = await Promise.race([run.ended, late]);
    run.child.kill("SIGKILL");
    expect(ended).not.toBe("late");
  });

  it("ends at the limit of steps, and its text is bounded", async () => {
    const ran = await runScript(`${nested}render_string(t, {xs: xs})`, {
      runtime: { limits: { steps: 100_000 } },
    });
    expect(ran.error).toContain("step limit reached");
    const long = await runScript(
      'let big = "x".repeat(1000000)\nrender_string("{{ for a in xs }}{{ big }}{{ end }}", {big: big, xs: range(0, 100).to_list()})',
    );
    expect(long.error).toContain("the text is longer than 67108864 characters");
  });
});

describe("what the machine or a library refuses", () => {
  it("is an error that catch sees", async () => {
    const run = await runScript(
      `println(try { glob("x".repeat(70000)) } catch e { e })
for name in ["a/".repeat(3000), "x".repeat(5000)] { println(try { compute_content_hash(name) } catch e { "caught" }) }`,
      { runtime: { host: createNodeHost({ cwd: folder }) } },
    );
    expect([run.error, run.stdout]).toEqual([
      "",
      "glob: the pattern has 70000 characters, at most 65536 are possible\ncaught\ncaught\n",
    ]);
  });
});

describe("an exact test over huge counts", () => {
  it("ends at the limit of steps, and is the same for small ones", async () => {
    const run = await runScript(
      "stats_fisher(900000000000000, 900000000000000, 900000000000000, 900000000000000)",
      { runtime: { limits: { steps: 100_000 } } },
    );
    expect(run.error).toContain("step limit reached");
    // What R gives.
    const known = await runScript("println(stats_fisher(1, 9, 11, 3))\nprintln(stats_fisher(3, 1, 1, 3))");
    expect(known.stdout).toMatch(/^0\.00275945618522\d*\n0\.485714285714\d*\n$/);
  });
});

describe("an outline of a long text", () => {
  it("looks at its limits, and at each line a bounded number of times", async () => {
    const script = (lines: number): string =>
      `code_outline("class A { f() {} }\\n@x class B {}\\n".repeat(${lines}), {language: "javascript"})`;
    const run = await runScript(script(100_000), { runtime: { limits: { steps: 50_000 } } });
    expect(run.error).toContain("step limit reached");
    // Four times as long takes some four times as much, not sixteen.
    const used = async (lines: number): Promise<number> => {
      const started = process.cpuUsage();
      await runScript(script(lines));
      return process.cpuUsage(started).user;
    };
    await used(2000);
    const [some, more] = [await used(8000), await used(32_000)];
    expect(more / some).toBeLessThan(10);
  });
});

describe("data in the place of options", () => {
  it("is told by its first names and a count", async () => {
    const run = await runScript(
      `let data = json_parse("{" + range(5000).map({ i -> "\\"k\${i}\\": 1" }).to_list().join(",") + "}")
println(try { tool_synthesize(data) } catch e { "refused" })`,
    );
    expect(run.stdout).toBe("refused\n");
    const lines = run.stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toContain("4980 more options of this call are unknown");
  });
});

describe("a pattern of many groups", () => {
  it("is refused before it takes memory: instructions times groups", async () => {
    const run = await runScript(
      `println(try { regex_match("(a?)".repeat(6000), "aaaa") } catch e { e })
println(regex_match("(a?)".repeat(600), "aaaa") != nil)
println(regex_match("(?:a?)".repeat(4000), "aaaa") != nil)`,
    );
    expect(run.stdout).toMatch(
      /^Invalid regex: the pattern is too large: about \d+ instructions times 6000 groups/,
    );
    expect(run.stdout).toMatch(/\ntrue\ntrue\n$/);
  });
});

describe("queries", () => {
  it("that multiply are cut off", async () => {
    for (const query of [".. | .. | .. | .. | .. | ..", "{a: .[], b: .[], c: .[], d: .[]}", ".. == .."]) {
      const began = process.cpuUsage();
      const ran = await runScript(
        `let xs = range(0, 2000).map({ i -> [i, [i]] }).to_list()\njq(xs, "${query.replaceAll('"', '\\"')}").count`,
      );
      expect(ran.error, query).toMatch(/^Thrown: jq: the query has more than 1000000 results/);
      expect(process.cpuUsage(began).user / 1e6).toBeLessThan(20);
    }
  });
});

describe("regular expressions", () => {
  it.each([
    ["abc", 3],
    ["a{1000}", 1000],
    ["(ab){10}", 40],
    ["((a{100}){100}){100}", 1_000_000],
    ["[a-z]{5}", 5],
    ["\\pL{10}", 600],
    ["a{2,}", 2],
    ["\\Qa{99}\\E", 5],
    ["[]{9}]{9}", 9],
    ["\\{9}", 3],
    ["x{a}", 4],
  ])("%s has about %d instructions", (pattern, size) => {
    const found = regexSize(pattern);
    expect(found).toBeGreaterThanOrEqual(size * 0.9);
    expect(found).toBeLessThanOrEqual(size * 2 + 8);
  });

  it("are bounded before they are compiled", async () => {
    const before = process.memoryUsage().rss;
    for (const pattern of [
      '"a{1000}".repeat(3400)',
      '"((a{100}){100}){100}"',
      '"(" + "a{999}".repeat(3000) + ")*"',
      '"\\\\pL{500}".repeat(300)',
    ]) {
      const ran = await runScript(`regex_match(${pattern}, "aaa")`);
      expect(ran.error).toMatch(/^Thrown: Invalid regex: .*(too large|repeat)/);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it("that are large are not used on long texts", async () => {
    const ran = await runScript('regex_match("a{900}b".repeat(20), "a".repeat(1000000))');
    expect(ran.error).toContain("is too large for a text of 1000000 characters");
    const small = await runScript('println(regex_match("b+$", "a".repeat(1000000)))');
    expect(small.error).toBe("");
  });
});
