/** `harn lint` as a user types it, its part in `harn check`, and the [lint] table of harn.toml. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("lint");

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("findings", () => {
  test("are warnings with code, place and rule; the exit code stays 0", async () => {
    const path = file("a.harn", "var a = 1\nlog(a)\n");
    const { stdout, stderr, status } = await harnHere(["lint", path]);
    expect(status).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain(
      "warning: variable `a` is declared as `var` but never reassigned (HARN-LNT-015)",
    );
    expect(stderr).toContain("lint[mutable-never-reassigned]");
    expect(stderr).toContain("1 of 1 can be repaired with --fix");
  });

  test("a clean file says so", async () => {
    const path = file("clean.harn", "log(1)\n");
    expect(await harnHere(["lint", path])).toMatchObject({
      stdout: `${path}: no issues found\n`,
      stderr: "",
      status: 0,
    });
  });

  test("break outside of a loop is an error", async () => {
    const path = file("break.harn", "fn f() {\n  break\n}\n\nf()\n");
    const { stderr, status } = await harnHere(["lint", path]);
    expect(status).toBe(1);
    expect(stderr).toContain("error: `break` used outside of a loop (HARN-LNT-003)");
  });

  test("undefined functions", async () => {
    const { stderr } = await harnHere(["lint", file("undefined.harn", "nope_nope(1)\n")]);
    expect(stderr).toContain("function `nope_nope` is not defined");
  });

  test("--json gives one object for each", async () => {
    const path = file("json.harn", "var a = 1\nlog(a)\n");
    const { stdout, status } = await harnHere(["lint", "--json", path]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      code: "HARN-LNT-015",
      rule: "mutable-never-reassigned",
      fixable: true,
      start: { line: 1, column: 5 },
    });
  });

  test("--rules lists them", async () => {
    const { stdout, status } = await harnHere(["lint", "--rules"]);
    expect(status).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(30);
    expect(stdout).toMatch(/^require-file-header +HARN-LNT-024 .*\(--fix, opt-in\)$/m);
  });
});

describe("--fix", () => {
  test("repairs what it can and shows the rest", async () => {
    const path = file("fix.harn", 'var a = 1\nlog(to_string("x"))\nif a == 2 {\n  let a = 3\n  log(a)\n}\n');
    const { stdout, stderr, status } = await harnHere(["lint", "--fix", path]);
    expect(status).toBe(0);
    expect(stdout).toBe(`fixed 2 findings in ${path}\n`);
    expect(stderr).toContain("shadows a variable in an outer scope");
    expect(stderr).not.toContain("LNT-015");
    expect(readFileSync(path, "utf8")).toBe('let a = 1\nlog("x")\nif a == 2 {\n  let a = 3\n  log(a)\n}\n');
  });

  test("an import that does something when it is loaded stays", async () => {
    file("loud.harn", 'let x = log("loaded")\n\npub fn f() {\n  return x\n}\n');
    file("quiet.harn", "pub fn g() {\n  return 1\n}\n");
    const path = file("user.harn", 'import { f } from "./loud"\nimport { g } from "./quiet"\n\nlog(1)\n');
    await harnHere(["lint", "--fix", path]);
    expect(readFileSync(path, "utf8")).toBe('import { f } from "./loud"\n\nlog(1)\n');
  });

  test("standard input has no file to repair", async () => {
    expect((await harnHere(["lint", "--fix", "-"], { input: "var a = 1" })).status).toBe(2);
    expect((await harnHere(["lint", "-"], { input: "var a = 1\nlog(a)\n" })).stderr).toContain("LNT-015");
  });

  test("a file with syntax errors is not touched", async () => {
    const path = file("broken.harn", "var = 1");
    expect((await harnHere(["lint", "--fix", path])).status).toBe(1);
    expect(readFileSync(path, "utf8")).toBe("var = 1");
  });
});

describe("[lint]", () => {
  test("disabled, enabled and severity", async () => {
    file(
      "project/harn.toml",
      '[lint]\ndisabled = ["shadow-variable"]\nenabled = ["require-file-header"]\n\n[lint.severity]\nmutable-never-reassigned = "error"\nunused-function = "off"\n',
    );
    const text =
      "var a = 1\n\nfn f(a) {\n  let b = a\n  if b {\n    let b = 1\n    log(b)\n  }\n}\n\nlog(a)\n";
    const { stderr, status } = await harnHere(["lint", file("project/a.harn", text)]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: .*\(HARN-LNT-015\)$/m);
    expect(stderr).toContain("file is missing a `/** */` header doc block");
    expect(stderr).not.toContain("shadows");
    expect(stderr).not.toContain("never used");
    const fixed = file("project/b.harn", "log(1)\n");
    await harnHere(["lint", "--fix", fixed]);
    expect(readFileSync(fixed, "utf8")).toBe("/** b */\n\nlog(1)\n");
  });

  test("a misspelt rule is an error", async () => {
    file("wrong/harn.toml", '[lint]\ndisabled = ["shadow-variabel"]\n');
    const { stderr, status } = await harnHere(["lint", file("wrong/a.harn", "log(1)\n")]);
    expect(status).toBe(1);
    expect(stderr).toContain("did you mean shadow-variable?");
  });
});

describe("harn check", () => {
  test("shows lint findings beside the others, each once; the exit code stays", async () => {
    const path = file("check.harn", "var a = 1\nlog(a)\n");
    const { stderr, status } = await harnHere(["check", path]);
    expect(status).toBe(0);
    expect(stderr).toContain("lint[mutable-never-reassigned]");
    const broken = await harnHere(["check", file("check2.harn", "fn f() {\n  break\n}\n\nf()\n")]);
    expect(broken.status).toBe(1);
    expect(broken.stderr).not.toContain("LNT-003");
  });
});

test("a missing file", async () => {
  const { stderr, status } = await harnHere(["lint", "no-such.harn"]);
  expect(status).toBe(1);
  expect(stderr).toContain("Error reading no-such.harn: no such file or folder");
});

describe("harn check and the layout", () => {
  test("leaves the layout to harn fmt --check, unless the project made it an error", async () => {
    const text =
      'import "std/text"\nimport "std/fs"\nvar a = [\n  1,\n  2\n]\n/// Old.\nfn f() {\n  return a\n}\nf()\n';
    const path = file("layout/a.harn", text);
    const { stderr, status } = await harnHere(["check", path]);
    expect(status).toBe(0);
    expect([...stderr.matchAll(/lint\[([\w-]+)\]/g)].map(([, rule]) => rule)).toEqual([
      "mutable-never-reassigned",
    ]);
    expect((await harnHere(["lint", path])).stderr).toContain("lint[trailing-comma]");
    file("layout/harn.toml", '[lint]\nseverity = { import-order = "error" }\n');
    const strict = await harnHere(["check", path]);
    expect(strict.status).toBe(1);
    expect(strict.stderr).toContain("lint[import-order]");
    expect(strict.stderr).not.toContain("lint[trailing-comma]");
  });
});
