/**
 * Papers as PDF: the engines that are installed here are run, the others stand in as programs that tell how they were called.
 * The first that is there is taken; each works in an empty home, without a shell, and is gone with its children at the end.
 */
// suite: processes
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findingsOfPdf, PdfError, pdfEngines, pdfOf } from "../../../src/server/pdf/index.ts";
import { exportPaper } from "../../../src/writing/text/index.ts";
import { findChromium } from "../../support/chromium.ts";
import { tempFolders } from "../../support/temp-folder.ts";
import { torturePaper } from "../writing/text/torture-paper.ts";

const freshFolder = tempFolders("pdf-engines");
const path = process.env.PATH ?? "";
afterEach(() => {
  process.env.PATH = path;
});

const sources = {
  latex: async () => (await exportPaper(torturePaper, "latex")).files,
  html: async () => (await exportPaper(torturePaper, "html")).files,
};
const isThere = (program: string): boolean =>
  path.split(delimiter).some((folder) => existsSync(join(folder, program)));
const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString() === "%PDF-";

/** A PATH with these programs alone, and those that scripts need. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const folder = freshFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  // Only what /bin/sh itself can do: nothing else may be found.
  process.env.PATH = folder;
  return folder;
}
const reports = (folder: string) =>
  `echo "$0 $*|$HOME|$openin_any|$PWD" >> ${folder}/calls; printf '%s' '%PDF-x' > paper.pdf`;

describe("engines that stand in", () => {
  it.each([
    ["tectonic", "--untrusted --keep-logs paper.tex"],
    ["latexmk", "-norc -pdf -interaction=nonstopmode -latexoption=-no-shell-escape paper.tex"],
    ["pdflatex", "-interaction=nonstopmode -no-shell-escape paper.tex"],
  ])("%s is called so", async (engine, args) => {
    const log = freshFolder();
    programs({ [engine]: reports(log), bibtex: ":" });
    expect(isPdf((await pdfOf(sources)).bytes)).toBe(true);
    const [call, home, openin, cwd] = (
      readFileSync(join(log, "calls"), "utf8").split("\n")[0] as string
    ).split("|");
    expect(call).toMatch(new RegExp(`/${engine} ${args.replaceAll("-", "\\-")}$`));
    expect(home).toBe(`${cwd}/home`);
    expect(openin).toBe("p");
    expect(existsSync(cwd as string)).toBe(false);
  });

  it("the first of the list is taken, and the one that is asked for", async () => {
    const log = freshFolder();
    const all = Object.fromEntries(pdfEngines.map((name) => [name, reports(log)]));
    programs({ ...all, bibtex: ":" });
    await pdfOf(sources);
    await pdfOf(sources, "latexmk");
    const names = readFileSync(join(log, "calls"), "utf8").match(/\/\w+ /g);
    expect(names).toEqual(["/tectonic ", "/latexmk "]);
  });

  it("characters that its font lacks are told, and another engine is tried that has them", async () => {
    const lacking = (log: string) => `printf '%s' '%PDF-x' > paper.pdf; printf '%s\\n' ${log} > paper.log`;
    const some =
      "'Missing character: There is no 中 (U+4E2D) in font [lmroman10-regular]:mapping=tex-text;!'";
    programs({
      tectonic: lacking(some),
      chromium: lacking("''"),
      "fc-list": "echo ':charset=20-7e 4e00-9fff'",
    });
    const paper = { ...sources, html: async () => [{ path: "paper.html", content: "中 \u1230" }] };
    expect(await pdfOf(paper, "tectonic")).toMatchObject({ engine: "tectonic", missing: ["中"] });
    expect(await pdfOf(paper, "chromium")).toMatchObject({ engine: "chromium", missing: ["\u1230"] });
    programs({ tectonic: lacking(some), chromium: lacking("''"), "fc-list": "echo ':charset=1200-7000'" });
    expect(await pdfOf(paper)).toMatchObject({ engine: "chromium", missing: [] });
    const finding = { section: "", offset: 0, text: "" };
    expect(
      findingsOfPdf(
        [
          { ...finding, kind: "unmapped-character" },
          { ...finding, kind: "raw-html" },
        ],
        { bytes: new Uint8Array(), engine: "tectonic", missing: ["中"] },
      ),
    ).toEqual([
      { ...finding, kind: "raw-html" },
      { ...finding, kind: "unmapped-character", text: "中" },
    ]);
  });

  it("what pdfTeX prints as `?` is told, in references too", async () => {
    programs({ pdflatex: "printf '%s' '%PDF-x' > paper.pdf", bibtex: ":" });
    const paper = { ...torturePaper, title: "A", abstract: "", sections: [], authors: [] };
    const references = torturePaper.references.slice(0, 1).map((one) => ({
      ...one,
      item: { ...one.item, title: "本" },
    }));
    const { files, findings } = await exportPaper({ ...paper, references }, "latex");
    expect(findings).toContainEqual({ kind: "unmapped-character", section: "", offset: 0, text: "本" });
    expect((await pdfOf({ ...sources, latex: async () => files })).missing).toContain("本");
  });

  it("a failure brings the engine's log, without our folder", async () => {
    programs({ tectonic: 'echo "in $PWD: ! Undefined control sequence"' });
    const error = await pdfOf(sources).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(PdfError);
    expect((error as Error).message).toBe("tectonic made no PDF:\nin .: ! Undefined control sequence\n");
  });

  it("without any all four are named; without the one that is asked for that one", async () => {
    programs({});
    await expect(pdfOf(sources)).rejects.toThrow(/tectonic, latexmk, pdflatex .* or chromium/);
    await expect(pdfOf(sources, "tectonic")).rejects.toThrow("tectonic is not installed");
    await expect(pdfOf(sources, "chromium")).rejects.toThrow(
      "none of chromium, chromium-browser, google-chrome",
    );
  });

  it("what an engine leaves running is ended with it", async () => {
    const log = freshFolder();
    programs({ tectonic: `(while :; do :; done) & echo $! > ${log}/pid; ${reports(log)}` });
    await pdfOf(sources);
    const pid = Number(readFileSync(join(log, "pid"), "utf8"));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

/** A killed child that nobody has waited for yet counts as gone. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const found = findChromium();
const chromium = "path" in found ? found.path : undefined;
describe("engines that are installed", () => {
  const cases = [
    ["tectonic", isThere("tectonic")],
    ["latexmk", isThere("latexmk") && isThere("pdflatex")],
    ["pdflatex", isThere("pdflatex") && isThere("bibtex")],
    ["chromium", chromium !== undefined],
  ] as const;
  for (const [engine, there] of cases)
    it.skipIf(!there)(
      `${engine} prints the torture paper${there ? "" : " (skipped: it is not installed)"}`,
      async () => {
        if (engine === "chromium" && !isThere("chromium")) {
          // One that is named by HARN_TEST_BROWSER only.
          const folder = freshFolder();
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, "chromium"), `#!/bin/sh\nexec ${chromium} "$@"\n`);
          chmodSync(join(folder, "chromium"), 0o755);
          process.env.PATH = `${folder}${delimiter}${path}`;
        }
        const before = readdirSync(dirname(freshFolder())).length;
        const { bytes } = await pdfOf(sources, engine);
        expect(isPdf(bytes)).toBe(true);
        expect(bytes.length).toBeGreaterThan(20_000);
        expect(Buffer.from(bytes).includes("root:")).toBe(false);
        expect(readdirSync(dirname(freshFolder())).length).toBeLessThanOrEqual(before + 1);
      },
    );
});
