/** `harn check` and `harn run` with types, through the real launcher. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("types");

const env = { XDG_CACHE_HOME: join(folder, "cache") };

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const run = (...args: string[]) => harnHere(args, { cwd: folder, env });

interface Finding {
  readonly code: string;
  readonly message: string;
}

/** What `harn check` finds; of the linter's findings nothing is said here. */
async function findings(...args: string[]): Promise<Finding[]> {
  const lines = (await run("check", "--json", ...args)).stdout.split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Finding)
    .filter((one) => !one.code.startsWith("HARN-LNT"));
}

describe("types on the command line", () => {
  it("an error stops the run before anything is printed", async () => {
    const { stdout, stderr, status } = await run("run", file("a.harn", 'println("no")\nlet n: int = "x"\n'));
    expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
    expect(stderr).toContain("'n' declared as int, but assigned string");
    expect(stderr).toContain("--> a.harn:2:1");
  });

  it("a warning goes to standard error and does not stop it, however often it is run", async () => {
    const name = file("b.harn", "fn f(a, b) { return a }\nprintln(f(1, 2, 3))\n");
    for (let i = 0; i < 2; i++) {
      const { stdout, stderr, status } = await run("run", name);
      expect({ stdout, status }).toEqual({ stdout: "1\n", status: 0 });
      expect(stderr).toContain("Function 'f' expects 2 arguments, got 3");
    }
  });

  it("check shows both, with code and help", async () => {
    const { stderr, status } = await run("check", file("c.harn", 'fn f(a) { a = 1 }\nlog("a" + 1)\n'));
    expect(status).toBe(1);
    expect(stderr).toContain("(HARN-OWN-001)\n");
    expect(stderr).toContain("(HARN-TYP-002)\n");
    expect(stderr).toContain('use interpolation: `"a1"`');
  });

  it("--strict-types judges more, also after a clean check without it", async () => {
    const name = file("d.harn", "let x = channel(5)\nlen(5)\n");
    expect(await findings(name)).toEqual([]);
    expect((await findings("--strict-types", name)).map((one) => one.message)).toEqual([
      "Argument 1 ('name'): expected string, got int",
    ]);
    expect((await run("check", "--strict-types", name)).status).toBe(1);
    expect(await findings(name)).toEqual([]);
  });

  it("nil for an optional argument of a builtin is its default", async () => {
    const name = file(
      "n.harn",
      'fn parts(by: string?) -> list { return split("a b", by) }\nprintln(parts(nil))\nlet c = channel(nil, 3)\nlen(c)\n',
    );
    const types = (await findings("--strict-types", name)).filter((one) => one.code === "HARN-TYP-006");
    expect(types).toEqual([]);
  });

  it("a clean program is judged again when a file that it imports has changed", async () => {
    const main = file("e.harn", 'import "./lib"\nfn f(p: Point) { return p }\nprintln(f(make()).x)\n');
    file("lib.harn", "struct Point { x: int }\npub fn make() -> Point { return Point {x: 1} }\n");
    expect(await run("run", main)).toMatchObject({ stdout: "1\n", status: 0 });
    expect(await run("run", main)).toMatchObject({ stdout: "1\n", status: 0 });
    file("lib.harn", "struct Point { x: int }\npub fn make() -> int { return 5 }\n");
    const { stderr, status } = await run("run", main);
    expect(status).toBe(1);
    expect(stderr).toContain("Argument 1 ('p'): expected Point, got int");
  });

  it("as JSON, with the place", async () => {
    const found = await findings(file("f.harn", "fn f(n: int) { return n }\nf(true)\n"));
    expect(found[0]).toMatchObject({
      code: "HARN-TYP-006",
      severity: "error",
      start: { line: 2, column: 3 },
      end: { line: 2, column: 7 },
      label: "expected int, found bool",
    });
  });
});
