/**
 * A paper ▸ PDF with what the machine has: `tectonic`, `latexmk`, `pdflatex` with `bibtex`, else a Chromium that prints the
 * page. Whatever compiles has an empty home, may read nothing outside of its folder, runs no program, and is ended with all its
 * children after 60 s.
 */
import { spawn } from "node:child_process";
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
import type { ExportFile } from "../../writing/text/index.ts";

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

/** By this engine, else by the first that is installed. Throws a `PdfError`. */
export async function pdfOf(sources: PdfSources, wanted?: PdfEngine): Promise<Uint8Array> {
  const { engine, program } = chosen(wanted);
  const folder = mkdtempSync(join(tmpdir(), "harn-pdf-"));
  try {
    for (const { path, content } of engine === "chromium" ? await sources.html() : await sources.latex()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    mkdirSync(join(folder, "home"));
    const log = engine === "chromium" ? await printPdf(program, folder) : await compile(engine, folder);
    const file = join(folder, "paper.pdf");
    if (!existsSync(file))
      throw new PdfError(`${engine} made no PDF:\n${log.replaceAll(folder, ".").slice(-4_000)}`);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function chosen(wanted: PdfEngine | undefined): { readonly engine: PdfEngine; readonly program: string } {
  for (const engine of wanted === undefined ? pdfEngines : [wanted]) {
    const program =
      engine === "chromium" ? chromiums.find(isInstalled) : isInstalled(engine) ? engine : undefined;
    if (program !== undefined) return { engine, program };
  }
  throw new PdfError(
    wanted === undefined
      ? "nothing here makes a PDF: install tectonic, latexmk, pdflatex (Debian: texlive-latex-recommended) or chromium"
      : `${wanted} is not installed: none of ${wanted === "chromium" ? chromiums.join(", ") : wanted} is in PATH`,
  );
}

async function compile(engine: Exclude<PdfEngine, "chromium">, folder: string): Promise<string> {
  if (engine === "tectonic") return await run(engine, ["--untrusted", "paper.tex"], folder);
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
