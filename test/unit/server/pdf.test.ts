/**
 * Papers as PDF: the engines that are installed here are run, the others stand in as programs that tell how they were called.
 * The first that is there is taken; each works in an empty home, without a shell, and is gone with its children at the end.
 */
// suite: processes
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { PdfError, pdfEngines, pdfOf } from "../../../src/server/pdf/index.ts";
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
    ["tectonic", "--untrusted paper.tex"],
    ["latexmk", "-norc -pdf -interaction=nonstopmode -latexoption=-no-shell-escape paper.tex"],
    ["pdflatex", "-interaction=nonstopmode -no-shell-escape paper.tex"],
  ])("%s is called so", async (engine, args) => {
    const log = freshFolder();
    programs({ [engine]: reports(log), bibtex: ":" });
    expect(isPdf(await pdfOf(sources))).toBe(true);
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
        const bytes = await pdfOf(sources, engine);
        expect(isPdf(bytes)).toBe(true);
        expect(bytes.length).toBeGreaterThan(20_000);
        expect(Buffer.from(bytes).includes("root:")).toBe(false);
        expect(readdirSync(dirname(freshFolder())).length).toBeLessThanOrEqual(before + 1);
      },
    );
});
