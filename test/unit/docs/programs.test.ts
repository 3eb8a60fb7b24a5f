/** What stands around a program of the documentation is said in one way, and a comment that says nothing is refused. */
import { describe, expect, it } from "vitest";
import { blocksOf } from "../../support/doc-pages.ts";
import { type DocProgram, docPrograms } from "../../support/doc-programs.ts";

const block = (info: string, text: string, mark = ""): string =>
  `${mark === "" ? "" : `<!-- ${mark} -->\n`}\`\`\`${info}\n${text}\n\`\`\`\n\n`;
const programsOf = (...texts: string[]): DocProgram[] => docPrograms(blocksOf("docs/a.md", texts.join("")));
const importing = 'import { harn } from "harn";';

describe("a program of the documentation", () => {
  it("is the blocks up to the next one that imports something; the last says what it prints", () => {
    const [first, second, ...more] = programsOf(
      block("ts", importing),
      block("output", "1"),
      block("sh", "ls"),
      block("ts", "console.log(1);"),
      block("output", "2"),
      block("ts", importing),
    );
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      place: "docs/a.md:1",
      file: "program.ts",
      text: `${importing}\nconsole.log(1);\n`,
      output: "2\n",
      served: undefined,
      notRun: undefined,
    });
    expect(second?.output).toBeUndefined();
  });

  it("has files of its page and a server beside it, where it says so", () => {
    const programs = programsOf(
      block("harn", "println(1)", "file: a.harn"),
      block("ts", importing, "file: half.ts"),
      block("ts", importing, "with: a.harn half.ts; beside: harn serve a.harn --jobs 1"),
      block("harn", "println(2)", "with: half.ts"),
      block("harn", "println(3)"),
    );
    expect(programs.map(({ file, language }) => [file, language])).toEqual([
      ["half.ts", "ts"],
      ["program.ts", "ts"],
      ["program.harn", "harn"],
    ]);
    expect(programs.map(({ files }) => [...files])).toEqual([
      [],
      [
        ["a.harn", "println(1)\n"],
        ["half.ts", `${importing}\n`],
      ],
      [["half.ts", `${importing}\n`]],
    ]);
    expect(programs.map(({ served }) => served)).toEqual([undefined, ["a.harn", "--jobs", "1"], undefined]);
  });

  it("is not run where it says why", () => {
    const [one] = programsOf(block("ts", importing, "not run: it asks example.com"));
    expect(one?.notRun).toBe("it asks example.com");
  });

  it.each([
    ["wiht: a.harn", "says none of `file: …`, `with: …`, `beside: …`, `not run: …`"],
    ["not run", "says none of"],
    ["not run: ", "says none of"],
    ["with: b.harn", "no block of its page is `b.harn`"],
    ["beside: docker run postgres", "what runs beside a program is `harn serve …`"],
    ["file: ../b.ts", "`../b.ts` is not a file"],
    ["file: a.harn", "docs/a.md:2 is `a.harn`"],
  ])("may not say `%s`", (mark, problem) => {
    expect(() =>
      programsOf(block("harn", "println(1)", "file: a.harn"), block("ts", importing, mark)),
    ).toThrow(`docs/a.md:7: ${problem}`.replace("7: says", `7: \`${mark}\` says`));
  });

  it("says what stands around it before its first block", () => {
    expect(() => programsOf(block("ts", importing), block("ts", "more();", "not run: no"))).toThrow(
      "docs/a.md:6: it goes on with docs/a.md:1",
    );
  });
});
