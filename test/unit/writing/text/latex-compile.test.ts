/** The torture paper compiles with pdfTeX and BibTeX: no error, nothing undefined. Skipped where they are not installed. */
// long: compiles with LaTeX
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { exportPaper } from "../../../../src/writing/text/index.ts";
import { tempFolders } from "../../../support/temp-folder.ts";
import { torturePaper } from "./torture-paper.ts";

const has = (program: string): boolean => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
const isThere = has("pdflatex") && has("bibtex");
const freshFolder = tempFolders("latex");

const table = (cells: string): string => `| a | b |\n|---|--:|\n| x | ${cells} |`;
const columnsOf = async (body: string): Promise<string> => {
  const section = { id: "s", depth: 1, label: "s", title: "T", body };
  const { files } = await exportPaper({ ...torturePaper, sections: [section] }, "latex");
  return /\\begin\{longtable\}\{(.*)\}$/m.exec(String(files[0]?.content))?.[1] as string;
};

it("columns of a table that is wider than the page wrap, others are as wide as their cells", async () => {
  expect(await columnsOf(table("short"))).toBe("l r");
  const wide = await columnsOf(table("many words in a row ".repeat(12)));
  expect(wide).toMatch(/^l >\{\\raggedleft\\arraybackslash\}p\{\\dimexpr0\.9\d+\\linewidth/);
});

describe.skipIf(!isThere)(
  `the torture paper${isThere ? "" : " (skipped: no pdflatex and bibtex in PATH)"}`,
  () => {
    it.each([
      ["numeric", {}],
      ["author-year", {}],
      // The tree of files that Debian's lmodern is in.
      ["numeric", { TEXMFDEBIAN: "/without-lmodern" }],
    ] as const)(
      "compiles, %s, %o",
      async (citationStyle, environment) => {
        const folder = freshFolder();
        const { files } = await exportPaper({ ...torturePaper, citationStyle }, "latex");
        for (const { path, content } of files) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          writeFileSync(join(folder, path), content);
        }
        const latex = (): string =>
          spawnSync("pdflatex", ["-interaction=nonstopmode", "-no-shell-escape", "paper.tex"], {
            cwd: folder,
            encoding: "latin1",
            env: { ...process.env, openin_any: "p", TEXMFVAR: join(folder, "var"), ...environment },
          }).stdout;
        latex();
        const bibliography = spawnSync("bibtex", ["paper"], { cwd: folder, encoding: "utf8" });
        expect(bibliography.stdout).not.toMatch(/^I |error message/m);
        latex();
        latex();
        const log = latex();
        expect(log.match(/^! .*(\n.*){4}/gm)).toBeNull();
        expect(log).not.toMatch(/undefined|multiply defined/i);
        expect(log).toMatch(/Output written on paper\.pdf/);
        if (!has("pdftotext") && spawnSync("pdftotext", ["-v"]).status !== 0) return;
        const text = execFileSync("pdftotext", [join(folder, "paper.pdf"), "-"], { encoding: "utf8" });
        expect(text.normalize("NFKC")).toContain("Every special character: \\ { } $ & % # _");
        expect(text).toContain("Unsafe: $\\input{/etc/passwd}$");
        expect(text).not.toContain("root:");
        expect(readFileSync(join(folder, "paper.bbl"), "utf8")).toContain("who2021report");
      },
      120_000,
    );
  },
);
