/** Attack 45: builtins that work for long are ended by deadlines, stops and limits; patterns are bounded before they are compiled. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
