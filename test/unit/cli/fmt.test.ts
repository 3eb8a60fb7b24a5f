/** `harn fmt` as a user types it: files in place, folders, standard input, --check, and what goes wrong. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("fmt");

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("in place", () => {
  test("a file is rewritten and named; a second time nothing happens", async () => {
    const path = file("a.harn", "let a=1\nlet b = [1,2] // two\n");
    const first = await harnHere(["fmt", path]);
    expect(first).toMatchObject({ stdout: `formatted ${path}\n`, stderr: "", status: 0 });
    expect(readFileSync(path, "utf8")).toBe("let a = 1\nlet b = [1, 2] // two\n");
    expect(await harnHere(["fmt", path])).toMatchObject({ stdout: "", stderr: "", status: 0 });
  });

  test("permissions and links stay", async () => {
    const path = file("x.harn", "let a=1");
    chmodSync(path, 0o755);
    const link = join(folder, "link.harn");
    symlinkSync(path, link);
    expect((await harnHere(["fmt", link])).status).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("let a = 1\n");
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  test("folders, one bad file does not keep the others from it", async () => {
    const good = file("many/good.harn", "let a=1");
    const bad = file("many/bad.harn", "let = 1");
    const { stdout, stderr, status } = await harnHere(["fmt", join(folder, "many")]);
    expect(status).toBe(1);
    expect(stdout).toBe(`formatted ${good}\n`);
    expect(stderr).toContain(`harn: ${bad} is not formatted: it has syntax errors`);
    expect(stderr).toContain("HARN-PAR-001");
    expect(readFileSync(bad, "utf8")).toBe("let = 1");
  });

  test("widths come from harn.toml", async () => {
    file("project/harn.toml", "[fmt]\nline_width = 20\nseparator_width = 30\n");
    const path = file("project/src/a.harn", "f(aaaaaaaa, bbbbbbbbbb)\n// -----\ng()");
    expect((await harnHere(["fmt", path])).status).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(
      `f(\n  aaaaaaaa,\n  bbbbbbbbbb,\n)\n\n// ${"-".repeat(27)}\ng()\n`,
    );
  });
});

describe("--check", () => {
  test("names the files, shows how, changes nothing", async () => {
    const path = file("check.harn", "let a=1\n");
    const { stdout, status } = await harnHere(["fmt", "--check", path]);
    expect(status).toBe(1);
    expect(stdout).toContain(`${path}: would be reformatted\n`);
    expect(stdout).toContain("- let a=1\n+ let a = 1");
    expect(readFileSync(path, "utf8")).toBe("let a=1\n");
  });

  test("is silent about canonical files", async () => {
    const path = file("canonical.harn", "let a = 1\n");
    expect(await harnHere(["fmt", "--check", path])).toMatchObject({ stdout: "", stderr: "", status: 0 });
  });
});

describe("standard input", () => {
  test("goes to standard output", async () => {
    expect(await harnHere(["fmt", "-"], { input: "let a=1 // x" })).toMatchObject({
      stdout: "let a = 1 // x\n",
      status: 0,
    });
    expect(await harnHere(["fmt", "-", "--check"], { input: "let a=1" })).toMatchObject({ status: 1 });
    expect(await harnHere(["fmt", "-"], { input: "let = 1" })).toMatchObject({ stdout: "", status: 1 });
  });

  test("stands alone", async () => {
    expect(await harnHere(["fmt", "-", "a.harn"])).toMatchObject({ status: 2 });
  });
});

describe("bad input", () => {
  test.each([
    ["missing", ["no-such.harn"], "Error reading"],
    ["binary", [file("binary.harn", "let a = \0")], "HARN-PAR-008"],
    ["an empty folder", [join(folder, "empty")], "there is no .harn file below"],
  ])("%s", async (_, args, message) => {
    mkdirSync(join(folder, "empty"), { recursive: true });
    const { stderr, status } = await harnHere(["fmt", ...args]);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test("a broken manifest names file and key", async () => {
    file("broken/harn.toml", '[fmt]\nline_width = "wide"\n');
    const path = file("broken/a.harn", "let a=1");
    const { stderr, status } = await harnHere(["fmt", path]);
    expect(status).toBe(1);
    expect(stderr).toContain("harn.toml: [fmt]: line_width: expected a whole number from 20 on");
    file("torn/harn.toml", "[fmt\n");
    expect((await harnHere(["fmt", file("torn/a.harn", "let a=1")])).stderr).toContain(
      "harn.toml cannot be read",
    );
  });

  test("bytes that are no text stay as they are", async () => {
    const path = join(folder, "latin.harn");
    const bytes = Buffer.from([...Buffer.from('let a="'), 0xe9, ...Buffer.from('"')]);
    writeFileSync(path, bytes);
    const { stderr, status } = await harnHere(["fmt", path]);
    expect(status).toBe(1);
    expect(stderr).toContain("is not UTF-8; it is left as it was");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("no files", async () => expect((await harnHere(["fmt"])).status).toBe(2));
});
