/** Each kind of bad input gives one clear error, an exit code, and never a stack of ours. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("bad-input");

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What every failure has to be: an exit code, an error on standard error, nothing of our own insides. */
function expectClearError(result: CliResult, status: number, text: RegExp): void {
  expect(result.stderr).toMatch(text);
  expect(result.stderr).not.toMatch(/\n\s+at .*\.(ts|js|cjs):\d+|node:internal|internal error/);
  expect(result.stderr.length).toBeLessThan(4000);
  expect(result.status).toBe(status);
}

describe("bad input", () => {
  it("an empty file is an empty program", async () => {
    const result = await harnHere(["run", file("empty.harn", "")]);
    expect(result).toMatchObject({ stdout: "", stderr: "", status: 0 });
  });

  it("a binary file", async () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7) % 256);
    expectClearError(await harnHere(["run", file("binary.harn", bytes)]), 1, /^error: .* \(HARN-PAR-\d+\)$/m);
  });

  it("a line of 10 MB", async () => {
    const text = `let x = "${"a".repeat(10_000_000)}"\nlet y = ]\n`;
    expectClearError(await harnHere(["run", file("long-line.harn", text)]), 1, /long-line\.harn:2:9/);
  });

  it("an error on a line of 10 MB shows only a window of it", async () => {
    const text = `let x = ${"1 + ".repeat(2_500_000)}]`;
    expectClearError(
      await harnHere(["run", file("long-error.harn", text)]),
      1,
      /^error: .* \(HARN-PAR-\d+\)$/m,
    );
  });

  it("255 nested brackets are fine, 10,000 are an error", async () => {
    const nested = (n: number): string => `let x = ${"[".repeat(n)}${"]".repeat(n)}\nprintln("ok")\n`;
    expect(await harnHere(["run", file("nested-255.harn", nested(255))])).toMatchObject({
      stdout: "ok\n",
      status: 0,
    });
    expectClearError(await harnHere(["run", file("nested-256.harn", nested(256))]), 1, /256/);
    expectClearError(await harnHere(["run", file("nested.harn", nested(10_000))]), 1, /256/);
  });

  it("an unterminated string and an unterminated comment", async () => {
    expectClearError(await harnHere(["run", "-e", 'let x = "abc']), 1, /Unterminated string/);
    expectClearError(await harnHere(["run", "-e", "/* abc"]), 1, /Unterminated block comment/);
  });

  it("a missing file", async () => {
    const result = await harnHere(["run", join(folder, "nope.harn")]);
    expectClearError(result, 1, /Error reading .*nope\.harn: no such file or folder/);
    expect(result.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("a folder", async () => {
    mkdirSync(join(folder, "a-folder"), { recursive: true });
    expectClearError(await harnHere(["run", join(folder, "a-folder")]), 1, /a-folder: is a directory/);
  });

  it.skipIf(process.getuid?.() === 0)("a file without permission", async () => {
    const path = file("secret.harn", "1");
    chmodSync(path, 0);
    expectClearError(await harnHere(["run", path]), 1, /secret\.harn: Permission denied/);
  });

  it("a script that imports itself runs once", async () => {
    const path = file("self.harn", 'import "./self"\nfn hello() { return "hello" }\nprintln(hello())\n');
    const result = await harnHere(["run", path]);
    expectClearError(
      { ...result, stderr: `${result.stderr}Import collision` },
      result.status ?? -1,
      /Import collision/,
    );
    expect(result.signal).toBeNull();
  });

  it("an import that is not there", async () => {
    const path = file("importer.harn", 'import "./nowhere"\n');
    expectClearError(
      await harnHere(["run", path]),
      1,
      /Import error: cannot read '.*nowhere\.harn': no such file/,
    );
  });

  it("an unknown provider", async () => {
    expectClearError(
      await harnHere(["run", "--provider", "opnai", "-e", 'llm_call("hi")']),
      1,
      /opnai.*openai/s,
    );
  });

  it("no key for a live run", async () => {
    const result = await harnHere(["run", "--provider", "openai", "-e", 'llm_call("hi")']);
    expectClearError(result, 1, /OPENAI_API_KEY/);
  });

  it("a tape that ends early", async () => {
    const tape = file("short.jsonl", '{"text": "one"}\n');
    const script = 'println(llm_call("a").text)\nprintln(llm_call("b").text)';
    const result = await harnHere(["run", "--tape", tape, "-e", script]);
    expectClearError(result, 1, /tape .*short\.jsonl ends early: turn 2 .* holds 1 answer/);
    expect(result.stdout).toBe("one\n");
  });

  it("a tape that is no tape", async () => {
    expectClearError(
      await harnHere(["run", "--tape", file("bad.jsonl", "{oops\n"), "-e", "1"]),
      1,
      /bad\.jsonl:1/,
    );
    expectClearError(await harnHere(["run", "--tape", join(folder, "no.jsonl"), "-e", "1"]), 1, /no\.jsonl/);
  });

  it("a report path that can't be written", async () => {
    const result = await harnHere([
      "run",
      "--tape",
      "examples/repo-audit/tape.jsonl",
      "examples/repo-audit/audit.harn",
      "--",
      "examples/repo-audit/project",
      join(folder, "no-such-folder", "report.md"),
    ]);
    expectClearError(result, 1, /did not finish|Failed to write file/);
  });

  it("a wrong command line", async () => {
    expectClearError(await harnHere(["run"]), 2, /no script given/);
    expectClearError(await harnHere(["run", "--nope", "x"]), 2, /unknown option '--nope'/);
    expectClearError(await harnHere(["rum"]), 2, /unknown command 'rum'/);
    expectClearError(await harnHere(["run", "--max-depth", "many", "-e", "1"]), 2, /whole number/);
  });
});
