/**
 * A paper ▸ PDF with what the machine has: `tectonic`, `latexmk`, `pdflatex` with `bibtex`, else a Chromium that prints the
 * page. Whatever compiles has an empty home, may read nothing outside of its folder, runs no program, and is ended with all its
 * children after 60 s. Characters that an engine has no glyph for are told.
 */
import { execFile, spawn } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { ExportFile, Finding } from "../../writing/text/index.ts";

const limitMs = 60_000;
const chromiums = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
export const pdfEngines = ["tectonic", "latexmk", "pdflatex", "chromium"] as const;
export type PdfEngine = (typeof pdfEngines)[number];

/** Why there is no PDF, for people; with the log of the engine when it made none. */
export class PdfError extends Error {
  override readonly name = "PdfError";
}

/** Makes the two forms that engines take, the one that is needed. */
export interface PdfSources {
  latex(): Promise<readonly ExportFile[]>;
  html(): Promise<readonly ExportFile[]>;
}

export interface Pdf {
  readonly bytes: Uint8Array;
  readonly engine: PdfEngine;
  /** Characters of the paper that it does not show: it has a `?`, a box or nothing there. */
  readonly missing: readonly string[];
}

/**
 * By this engine, else by the first that is installed and shows every character, else by that which misses the fewest. Throws a
 * `PdfError`.
 */
export async function pdfOf(sources: PdfSources, wanted?: PdfEngine): Promise<Pdf> {
  const made: Pdf[] = [];
  for (const { engine, program } of chosen(wanted)) {
    try {
      const pdf = await pdfBy(sources, engine, program);
      if (pdf.missing.length === 0) return pdf;
      made.push(pdf);
    } catch (error) {
      // The second engine of a list is a favour.
      if (made.length === 0) throw error;
    }
  }
  return made.reduce((best, one) => (one.missing.length < best.missing.length ? one : best));
}

/** The paper's, with the characters that this PDF lacks in place of those that pdfTeX does. */
export const findingsOfPdf = (findings: readonly Finding[], { missing }: Pdf): Finding[] => [
  ...findings.filter(({ kind }) => kind !== "unmapped-character"),
  ...missing.map((text): Finding => ({ kind: "unmapped-character", section: "", offset: 0, text })),
];

async function pdfBy(sources: PdfSources, engine: PdfEngine, program: string): Promise<Pdf> {
  const folder = mkdtempSync(join(tmpdir(), "harn-pdf-"));
  try {
    const files = engine === "chromium" ? await sources.html() : await sources.latex();
    for (const { path, content } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    mkdirSync(join(folder, "home"));
    const log = engine === "chromium" ? await printPdf(program, folder) : await compilePdf(engine, folder);
    const file = join(folder, "paper.pdf");
    if (!existsSync(file))
      throw new PdfError(`${engine} made no PDF:\n${log.replaceAll(folder, ".").slice(-4_000)}`);
    const source = files.map(({ content }) => (typeof content === "string" ? content : "")).join("\n");
    const missing =
      engine === "chromium"
        ? await withoutFont(source)
        : missingGlyphs(source, engine, pdfLog(folder) ?? log);
    return { bytes: readFileSync(file), engine, missing };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What TeX wrote: all of it, in UTF-8. */
function pdfLog(folder: string): string | undefined {
  const file = join(folder, "paper.log");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** pdfTeX prints `?` for what the preamble declares so; the others log what their font lacks. */
function missingGlyphs(source: string, engine: PdfEngine, log: string): string[] {
  const declared =
    engine === "tectonic" ? [] : [...source.matchAll(/\\DeclareUnicodeCharacter\{([0-9A-F]+)\}\{\?\}/g)];
  const logged = [...log.matchAll(/^Missing character: There is no (\S+)/gm)];
  const characters = [
    ...declared.map(([, code]) => String.fromCodePoint(Number.parseInt(code as string, 16))),
    ...logged.map(([, character]) => character as string),
  ];
  return [...new Set(characters)];
}

/** Characters that no font of this machine has, by fontconfig, which Chromium asks too; none where its program is missing. */
async function withoutFont(source: string): Promise<string[]> {
  const listed = await new Promise<string>((resolve) => {
    execFile("fc-list", [":", "charset"], { maxBuffer: 64 * 1024 * 1024, timeout: 10_000 }, (_error, out) =>
      resolve(out),
    );
  });
  if (listed === "") return [];
  const ranges = new Set([...listed.matchAll(/[0-9a-f]+(?:-[0-9a-f]+)?/g)].map(([range]) => range));
  const bounds = [...ranges].map((range) => range.split("-").map((one) => Number.parseInt(one, 16)));
  // ASCII and what is not to be seen have no glyph to miss.
  const shown = new Set(source.replace(/[\p{C}\p{Z}\p{M} -~]/gu, ""));
  return [...shown].filter((character) => {
    const code = character.codePointAt(0) as number;
    return !bounds.some(([from = 0, to = from]) => code >= from && code <= to);
  });
}

/** Those that are to be tried, in order: the one that is wanted, or all that are installed. */
function chosen(wanted: PdfEngine | undefined): { readonly engine: PdfEngine; readonly program: string }[] {
  const found = (wanted === undefined ? pdfEngines : [wanted]).flatMap((engine) => {
    const program =
      engine === "chromium" ? chromiums.find(isInstalled) : isInstalled(engine) ? engine : undefined;
    return program === undefined ? [] : [{ engine, program }];
  });
  if (found.length > 0) return found;
  throw new PdfError(
    wanted === undefined
      ? "nothing here makes a PDF: install tectonic, latexmk, pdflatex (Debian: texlive-latex-recommended) or chromium"
      : `${wanted} is not installed: none of ${wanted === "chromium" ? chromiums.join(", ") : wanted} is in PATH`,
  );
}

async function compilePdf(engine: Exclude<PdfEngine, "chromium">, folder: string): Promise<string> {
  if (engine === "tectonic") return await run(engine, ["--untrusted", "--keep-logs", "paper.tex"], folder);
  if (engine === "latexmk")
    return await run(
      engine,
      ["-norc", "-pdf", "-interaction=nonstopmode", "-latexoption=-no-shell-escape", "paper.tex"],
      folder,
    );
  const latex = () => run(engine, ["-interaction=nonstopmode", "-no-shell-escape", "paper.tex"], folder);
  let log = await latex();
  if (existsSync(join(folder, "references.bib"))) {
    await run("bibtex", ["paper"], folder);
    log = await latex();
  }
  for (let pass = 0; pass < 2 && /Rerun|undefined references/.test(log); pass++) log = await latex();
  return log;
}

const printPdf = (browser: string, folder: string): Promise<string> =>
  run(
    browser,
    [
      "--headless",
      "--disable-gpu",
      "--no-sandbox",
      "--disable-javascript",
      `--user-data-dir=${join(folder, "home")}`,
      "--no-pdf-header-footer",
      `--print-to-pdf=${join(folder, "paper.pdf")}`,
      join(folder, "paper.html"),
    ],
    folder,
  );

function killProcessGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended with all its children.
  }
}

/** What it printed; the whole group is gone afterwards. */
function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const home = join(folder, "home");
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TEXMFVAR: home,
      openin_any: "p",
      openout_any: "p",
      max_print_line: "1000",
    },
  });
  return new Promise((resolve, reject) => {
    let log = "";
    const take = (data: Buffer): void => {
      log = (log + data.toString("latin1")).slice(-200_000);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const end = (): void => killProcessGroup(child.pid as number);
    const timer = setTimeout(() => {
      log += `\n${program} was ended after ${limitMs / 1000} s`;
      end();
    }, limitMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new PdfError(`can't run ${program}: ${error.message}`));
    });
    // Before its output ends: what it left running would hold that open.
    child.on("exit", end);
    child.on("close", () => {
      clearTimeout(timer);
      resolve(log);
    });
  });
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
