/** bin/code-cache.cjs: what V8 made of the files of dist/ is kept with the functions that ran, and never in the way. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("code-cache");
const keeper = join(projectRoot, "bin/code-cache.cjs");
/** Started as the launcher starts it: without `-e`. */
const load = join(freshFolder(), "load.cjs");
writeFileSync(
  load,
  "const [keeper, dist] = process.argv.slice(2); require(keeper).keep(dist); console.log(require(dist + '/main.cjs'))",
);

/** A `dist` of one file with a hundred functions, which are called or not. */
function distWith(answer: string, calls: boolean): string {
  const dist = freshFolder();
  const functions = Array.from({ length: 100 }, (_, n) => `function f${n}(a) { return [a, ${n}, "x" + a]; }`);
  const called = calls ? functions.map((_, n) => `f${n}(1);`) : [];
  // Written before it is needed: both forms have the same length.
  const rest = calls ? [] : functions.map((_, n) => `//f${n}(1)`);
  writeFileSync(
    join(dist, "main.cjs"),
    [...functions, ...called, ...rest, `module.exports = "${answer}";`].join("\n"),
  );
  return dist;
}

function answerOf(dist: string, ...flags: string[]): string {
  const done = spawnSync(process.execPath, [...flags, load, keeper, dist], { encoding: "utf8" });
  expect(done.stderr).toBe("");
  return done.stdout.trim();
}

/** Paths of what is kept, the folder of Node and flags first. */
function keptIn(dist: string): string[] {
  const cache = join(dist, "code-cache");
  return readdirSync(cache).flatMap((key) =>
    readdirSync(join(cache, key)).map((name) => join(cache, key, name)),
  );
}

function onlyKept(dist: string): string {
  const [file, ...others] = keptIn(dist);
  if (file === undefined || others.length > 0)
    throw new Error(`kept are ${keptIn(dist).join(", ") || "none"}`);
  return file;
}

describe("What V8 made of the files of dist", () => {
  it("is kept with the functions that ran, and read by the next process, which writes nothing", () => {
    const dist = distWith("yes", true);
    expect(answerOf(dist)).toBe("yes");
    const kept = statSync(onlyKept(dist));
    const idle = distWith("yes", false);
    answerOf(idle);
    expect(kept.size).toBeGreaterThan(1.5 * statSync(onlyKept(idle)).size);
    expect(answerOf(dist)).toBe("yes");
    expect(statSync(onlyKept(dist)).ino).toBe(kept.ino);
    expect(kept.mode & 0o777).toBe(0o600);
  });

  it("is written anew when it was cut off", () => {
    const dist = distWith("yes", true);
    answerOf(dist);
    const whole = statSync(onlyKept(dist)).size;
    for (const left of [0, 10, whole - 1]) {
      truncateSync(onlyKept(dist), left);
      expect(answerOf(dist)).toBe("yes");
      expect(statSync(onlyKept(dist)).size).toBe(whole);
    }
  });

  it("is not taken for that of another source of the same length", () => {
    const dist = distWith("yes", true);
    answerOf(dist);
    const main = join(dist, "main.cjs");
    writeFileSync(main, readFileSync(main, "utf8").replace('"yes"', '"not"'));
    utimesSync(main, 1_000_000_000, 1_000_000_000);
    expect(answerOf(dist)).toBe("not");
    expect(keptIn(dist)).toHaveLength(2);
  });

  it("is kept for each set of flags", () => {
    const dist = distWith("yes", true);
    answerOf(dist);
    const file = onlyKept(dist);
    const { ino } = statSync(file);
    expect(answerOf(dist, "--stack-size=2000")).toBe("yes");
    expect(answerOf(dist)).toBe("yes");
    expect(keptIn(dist)).toHaveLength(2);
    expect(statSync(file).ino).toBe(ino);
  });

  it("is read, and never written, by a process with flags of its own", () => {
    const dist = distWith("yes", true);
    const preload = join(freshFolder(), "preload.cjs");
    writeFileSync(preload, "");
    expect(answerOf(dist, "--require", preload)).toBe("yes");
    expect(existsSync(join(dist, "code-cache"))).toBe(false);
    answerOf(dist);
    const { ino } = statSync(onlyKept(dist));
    expect(answerOf(dist, "--no-flush-bytecode")).toBe("yes");
    expect(statSync(onlyKept(dist)).ino).toBe(ino);
  });

  it("is done without where its folder can't be written", () => {
    const dist = distWith("yes", true);
    writeFileSync(join(dist, "code-cache"), "");
    expect(answerOf(dist)).toBe("yes");
  });

  it("leaves a file that imports when it runs to Node, and keeps what that requires", () => {
    const dist = freshFolder();
    mkdirSync(join(dist, "chunks"));
    writeFileSync(join(dist, "chunks/a.cjs"), 'exports.name = require("node:path").basename(__filename);');
    writeFileSync(join(dist, "b.mjs"), "export const two = 2;");
    writeFileSync(
      join(dist, "main.cjs"),
      'import("./b.mjs").then(({ two }) => console.log(two)); module.exports = require("./chunks/a.cjs").name;',
    );
    for (const _ of [1, 2]) expect(answerOf(dist)).toBe("a.cjs\n2");
    expect(onlyKept(dist)).toContain("a.cjs-");
  });
});
