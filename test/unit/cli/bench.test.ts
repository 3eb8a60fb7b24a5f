/** `harn bench`: figures of a script in one warm process. Times differ, so their order and their ratio are looked at. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benchFigures, benchTimeText } from "../../../src/cli/bench/bench-command.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const cwd = tempFolder("bench");
const bench = (...args: string[]): ReturnType<typeof harn> => harn(["bench", ...args], { cwd });

function file(name: string, text: string): string {
  writeFileSync(join(cwd, name), text);
  return name;
}

describe("figures", () => {
  it("are minimum, median, and the width of the middle half", () => {
    expect(benchFigures([4, 1, 3, 2, 100])).toEqual({ runs: 5, min_ms: 1, median_ms: 3, spread_ms: 2 });
    expect(benchFigures([1, 2, 3, 4])).toEqual({ runs: 4, min_ms: 1, median_ms: 2.5, spread_ms: 1.5 });
    expect(benchFigures([7])).toEqual({ runs: 1, min_ms: 7, median_ms: 7, spread_ms: 0 });
  });

  it("are shown with three digits", () => {
    expect([1234, 123.4, 12.34, 0.1234, 0.0012].map(benchTimeText)).toEqual([
      "1.23 s",
      "123 ms",
      "12.3 ms",
      "0.123 ms",
      "0.001 ms",
    ]);
  });
});

describe("harn bench", () => {
  it("shows the figures of a script and nothing that it prints, and records nothing", () => {
    const { stdout, stderr, status } = bench(file("print.harn", "println(now_ms() > 0)\n"), "-n", "5");
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toMatch(
      /^print\.harn {2}min [\d.]+ ms {2}median [\d.]+ ms {2}spread [\d.]+ ms {2}\(5 runs\)\n$/,
    );
    expect(existsSync(join(cwd, ".harn"))).toBe(false);
  });

  it("runs it as often as asked, behind some runs that do not count, with its own arguments", () => {
    const script = file("count.harn", 'append_file("count.txt", "${argv[0]}\\n")\n');
    const report = JSON.parse(bench(script, "-n", "4", "--json", "--", "x").stdout);
    expect(report).toMatchObject({ file: "count.harn", runs: 4 });
    expect(report.min_ms).toBeLessThanOrEqual(report.median_ms);
    const lines = readFileSync(join(cwd, "count.txt"), "utf8").trim().split("\n");
    expect(new Set(lines)).toEqual(new Set(["x"]));
    expect(lines.length).toBeGreaterThanOrEqual(4 + 3);
  });

  it("compares with another script", () => {
    const wait = (ms: number): string => file(`wait-${ms}.harn`, `sleep(${ms}ms)\n`);
    const [quick, slow] = [wait(2), wait(40)];
    const report = JSON.parse(bench(quick, "--compare", slow, "-n", "3", "--json").stdout);
    expect(report.compare).toMatchObject({ file: slow, runs: 3 });
    expect(report.compare.min_ms).toBeGreaterThan(30);
    expect(report.ratio).toBeGreaterThan(1.5);
    const text = bench(quick, "--compare", slow, "-n", "3").stdout;
    expect(text).toMatch(/\nwait-40\.harn takes [\d.]+ times as long as wait-2\.harn\n$/);
  });

  it("plays a tape from its start each time", () => {
    file("tape.jsonl", '{"text": "one"}\n');
    const script = file("ask.harn", 'require llm_call("x").text == "one"\n');
    expect(bench(script, "--tape", "tape.jsonl", "-n", "3")).toMatchObject({ stderr: "", status: 0 });
  });

  it("measures only what ends well", () => {
    const thrown = bench(file("throw.harn", 'throw "no"\n'));
    expect(thrown).toMatchObject({ stdout: "", status: 1 });
    expect(thrown.stderr).toContain("Thrown: no");
    const left = bench(file("exit.harn", "exit(3)\n"));
    expect(left).toMatchObject({
      stdout: "",
      stderr: "harn: exit.harn ended with 3: only what ends well is measured (HARN-CLI-008)\n",
      status: 3,
    });
    expect(bench(file("bad.harn", "let = 1\n"))).toMatchObject({ stdout: "", status: 1 });
    expect(bench("print.harn", "-n", "0")).toMatchObject({
      stderr: "harn: -n: expected a whole number from 1 to 100000, got 0 (HARN-CLI-003)\n",
      status: 2,
    });
    expect(readdirSync(cwd)).not.toContain(".harn");
  });
});
