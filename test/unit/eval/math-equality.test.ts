/** Mathematical equality: each pair of the table in docs/evals.md, both ways where the target is no prose; and texts that only look like it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mathEqual } from "../../../src/eval/score/mathematics/equality.ts";
import { projectRoot } from "../../support/project.ts";

const usual = { abs: 0, rel: 1e-9, percent: "fraction" } as const;

const docs = readFileSync(join(projectRoot, "docs/evals.md"), "utf8");
const table = docs.slice(docs.indexOf("### Mathematical equality"), docs.indexOf("### Multiple choice"));
const rows = [...table.matchAll(/^\| [^|]*\| `(.+?)` \| `(.+?)` \| (yes|no) \|$/gmu)].map(
  ([, answer = "", target = "", equal = ""]) => ({ answer, target, equal }),
);

describe("the table of pairs", () => {
  it("is there", () => expect(rows.length).toBeGreaterThan(45));

  it.each(rows)("$answer | $target | $equal", ({ answer, target, equal }) => {
    expect(mathEqual(answer, target, usual)).toBe(equal === "yes");
    // A target is an answer and no prose around one.
    if (!/boxed|answer|So /iu.test(answer)) expect(mathEqual(target, answer, usual)).toBe(equal === "yes");
  });
});

describe("beyond it", () => {
  it.each([
    ["60%", "60", { percent: "same" as const }, true],
    ["0.333", "1/3", { rel: 0.01 }, true],
    ["0.333", "1/3", { abs: 0.0001 }, false],
    ["10^400", "10^500", {}, false],
    ["\\infty", "-\\infty", {}, false],
    ["", "5", {}, false],
    ["1/0", "2/0", {}, false],
    ["x(x-1)", "x^2 - x", {}, true],
    ["(0,1/2]", "(0, 0.5]", {}, true],
    ["\\emptyset", "\\{\\}", {}, true],
    ["$12$", "12", {}, true],
    ["sin 30°", "1/2", {}, true],
    ["5xy", "5yx", {}, true],
  ])("%s | %s | %j", (answer, target, options, equal) =>
    expect(mathEqual(answer, target, { ...usual, ...options })).toBe(equal),
  );

  it("comes to an end with whatever a model writes", () => {
    const hostile = ["(", "{", "1+", "1,", "$", "\\text{", "9^", "answer is ", "1,234", "a ", "*", "\\frac"];
    for (const part of hostile)
      for (const target of ["1", "{1, 2}"]) expect(mathEqual(part.repeat(5000), target, usual)).toBe(false);
  });
});
