/** Syntax trees kept between runs: what comes back is what was put in, and nothing else is ever believed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AstCache, astCacheFolder } from "../../../../src/program/ast-cache.ts";
import { astShape } from "../../../../src/program/ast-shape.ts";
import { checksum } from "../../../../src/program/checksum.ts";
import { SourceFile } from "../../../../src/source/index.ts";
import { parse } from "../../../../src/syntax/index.ts";
import { cleanEnvironment } from "../../../support/command-environment.ts";
import { programsBelow } from "../../../support/programs.ts";
import { launcher } from "../../../support/project.ts";
import { harn } from "../../../support/run-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("ast");

let folder: string;
let cache: AstCache<unknown>;
beforeEach(() => {
  folder = freshFolder();
  cache = new AstCache(join(folder, "ast"), "shape-1");
});

const entries = (): string[] => readdirSync(join(folder, "ast")).map((name) => join(folder, "ast", name));
const only = (): string => {
  const [entry, ...more] = entries();
  if (entry === undefined || more.length > 0) throw new Error(`expected one entry, got ${more.length + 1}`);
  return entry;
};

/** Every program that the project has. */
const programs = ["test/golden", "examples", "stdlib"].flatMap(programsBelow);

describe("a kept tree", () => {
  it("is the tree of the text, for every program of the project", () => {
    let kept = 0;
    for (const file of programs) {
      const text = readFileSync(file, "utf8");
      const { program, diagnostics } = parse(new SourceFile(file, text));
      if (diagnostics.length > 0) continue;
      cache.set(text, program);
      // `undefined` members are not kept; nothing tells them from absent ones. `toEqual` sees all else.
      expect(cache.get(text), file).toEqual(program);
      kept++;
    }
    expect(kept).toBeGreaterThan(100);
  });

  it("has its large ints, infinite floats and signs", () => {
    const tree = { big: 9223372036854775807n, inf: Infinity, zero: -0, list: [1, -5n], text: "$" };
    cache.set("x", tree);
    const back = cache.get("x") as typeof tree;
    expect(back).toEqual(tree);
    expect(Object.is(back.zero, -0)).toBe(true);
  });

  it("may hold any text", () => {
    const tree = { s: "\u0000\ud83d\ude00\u2028", __proto__x: 1 };
    cache.set('let a = "\ud83d\ude00"\n', tree);
    expect(cache.get('let a = "\ud83d\ude00"\n')).toEqual(tree);
  });

  it("is not given for another text, shape or folder", () => {
    cache.set("a", { n: 1 });
    expect(cache.get("b")).toBeUndefined();
    expect(new AstCache(join(folder, "ast"), "shape-2").get("a")).toBeUndefined();
    expect(new AstCache(join(folder, "other"), "shape-1").get("a")).toBeUndefined();
    expect(cache.get("a")).toEqual({ n: 1 });
  });

  it("is for its owner alone", () => {
    cache.set("a", {});
    expect(statSync(only()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "ast")).mode & 0o777).toBe(0o700);
  });
});

describe("a damaged entry is a miss", () => {
  const tree = { kind: "Program", items: [{ kind: "IntLit", value: 1, start: 0, end: 1 }] };

  it("wherever a byte is changed", () => {
    cache.set("1", tree);
    const entry = only();
    const good = readFileSync(entry);
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 1;
      writeFileSync(entry, bad);
      expect(cache.get("1"), `byte ${at}`).toBeUndefined();
    }
    writeFileSync(entry, good);
    expect(cache.get("1")).toEqual(tree);
  });

  it("wherever it is cut off, and when something follows", () => {
    cache.set("1", tree);
    const entry = only();
    const good = readFileSync(entry);
    for (let length = 0; length < good.length; length++) {
      writeFileSync(entry, good.subarray(0, length));
      expect(cache.get("1"), `${length} bytes`).toBeUndefined();
    }
    writeFileSync(entry, Buffer.concat([good, Buffer.from("}")]));
    expect(cache.get("1")).toBeUndefined();
  });

  it("when it belongs to another text", () => {
    cache.set("1", tree);
    const first = only();
    cache.set("2", { kind: "other" });
    const second = entries().find((entry) => entry !== first)!;
    writeFileSync(second, readFileSync(first));
    expect(cache.get("2")).toBeUndefined();
  });

  it("when it is a folder, or foreign", () => {
    cache.set("1", tree);
    const entry = only();
    writeFileSync(entry, JSON.stringify(tree));
    expect(cache.get("1")).toBeUndefined();
    rmSync(entry);
    mkdirSync(entry);
    expect(cache.get("1")).toBeUndefined();
    expect(() => cache.set("1", tree)).not.toThrow();
  });
});

describe("without a usable folder", () => {
  it("nothing is kept and nothing fails", () => {
    const none = new AstCache(undefined, "shape-1");
    none.set("a", { n: 1 });
    expect(none.get("a")).toBeUndefined();
    const file = join(folder, "file");
    writeFileSync(file, "");
    const under = new AstCache(join(file, "ast"), "shape-1");
    under.set("a", { n: 1 });
    expect(under.get("a")).toBeUndefined();
  });

  it("the folder is the user's", () => {
    expect(astCacheFolder({ XDG_CACHE_HOME: "/x", HOME: "/h" })).toBe("/x/harn/ast");
    expect(astCacheFolder({ HOME: "/h" })).toBe("/h/.cache/harn/ast");
    expect(astCacheFolder({})).toBeUndefined();
  });
});

describe("the folder does not grow without end", () => {
  it("the oldest entries go", () => {
    const busy = new AstCache<number>(join(folder, "ast"), "shape-1", { keep: 10, pruneEvery: 1 });
    for (let n = 0; n < 40; n++) busy.set(`text ${n}`, n);
    expect(entries().length).toBe(10);
    expect(busy.get("text 39")).toBe(39);
  });
});

describe("shape and checksum", () => {
  it("the shape is one word and does not change by itself", () => {
    expect(astShape()).toMatch(/^\S+$/);
    expect(astShape()).toBe(astShape());
  });

  it("the checksum sees every bit and the length", () => {
    const seen = new Set<string>();
    for (let length = 0; length < 40; length++) {
      const bytes = new Uint8Array(length);
      seen.add(checksum(bytes));
      for (let bit = 0; bit < length * 8; bit++) {
        const changed = bytes.slice();
        changed[bit >> 3] = 1 << (bit & 7);
        seen.add(checksum(changed));
      }
    }
    expect(seen.size).toBe(40 + (39 * 40 * 8) / 2);
  });
});

describe("harn run with a kept tree", () => {
  const env = (): Record<string, string> => ({ XDG_CACHE_HOME: folder });
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const count = (): number => readdirSync(join(folder, "harn", "ast")).length;

  it("says and does the same as without", () => {
    const script = write(
      "s.harn",
      `import "./m"
/** Adds. */
fn boom(n) {
  let big = 9223372036854775807
  println("\${big} \${${"9".repeat(400)}.0} \${-0.0} \${n} \\u{1F600}")
  throw twice("x")
}
boom(1)
`,
    );
    write("m.harn", "pub fn twice(s) { return s + s }\n");
    const first = harn(["run", script], { env: env() });
    const kept = count();
    const second = harn(["run", script], { env: env() });
    // Two trees, and that the whole has no finding.
    expect(kept).toBe(3);
    expect(count()).toBe(3);
    expect(first.stderr).toContain("s.harn:6:3");
    expect(first.stdout).toContain("9223372036854775807");
    expect(second).toEqual(first);
  });

  it("shows the new text of a changed import, and its errors", () => {
    const script = write("s.harn", 'import "./m"\nprintln(name())\n');
    write("m.harn", 'pub fn name() { return "old" }\n');
    expect(harn(["run", script], { env: env() }).stdout).toBe("old\n");
    write("m.harn", 'pub fn name() { return "new" }\n');
    expect(harn(["run", script], { env: env() }).stdout).toBe("new\n");
    write("m.harn", "pub fn name( {\n");
    expect(harn(["run", script], { env: env() }).status).toBe(1);
  });

  it("keeps nothing of a program with findings", () => {
    const script = write("bad.harn", "let a = (\n");
    const first = harn(["run", script], { env: env() });
    const second = harn(["run", script], { env: env() });
    expect(first.status).toBe(1);
    expect(second).toEqual(first);
    expect(first.stderr).toContain("HARN-PAR-");
  });

  it("runs with a cache full of rubbish, and repairs it", () => {
    const script = write("s.harn", 'println("fine")\n');
    harn(["run", script], { env: env() });
    const paths = readdirSync(join(folder, "harn", "ast")).map((name) => join(folder, "harn", "ast", name));
    const good = paths.map((path) => readFileSync(path));
    for (const path of paths) writeFileSync(path, "rubbish");
    expect(harn(["run", script], { env: env() })).toMatchObject({ stdout: "fine\n", stderr: "", status: 0 });
    expect(paths.map((path) => readFileSync(path))).toEqual(good);
  });

  it("runs where nothing may be written", () => {
    const script = write("s.harn", 'println("fine")\n');
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    const run = harn(["run", script], { env: { XDG_CACHE_HOME: join(closed, "x") } });
    expect(run).toMatchObject({ stdout: "fine\n", stderr: "", status: 0 });
  });

  it("many at once write the same entry", async () => {
    const script = write("s.harn", 'println("fine")\n');
    const runs = Array.from({ length: 6 }, async () => {
      const child = spawn(launcher, ["run", script], { env: cleanEnvironment(env()) });
      let out = "";
      child.stdout.on("data", (data) => {
        out += data;
      });
      const [code] = await once(child, "close");
      return `${code} ${out}`;
    });
    expect(new Set(await Promise.all(runs))).toEqual(new Set(["0 fine\n"]));
    expect(count()).toBe(2);
  });
});
