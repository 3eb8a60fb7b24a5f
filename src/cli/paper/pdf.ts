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
import { exitCode } from "../exit-codes.ts";
import { UsageError } from "../usage-error.ts";

const limitMs = 60_000;
const chromiums = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** `html` is asked for when only a browser is there. Throws a `UsageError` with the engine's log. */
export async function pdfOf(
  latex: readonly ExportFile[],
  html: () => Promise<readonly ExportFile[]>,
): Promise<Uint8Array> {
  const engine = ["tectonic", "latexmk", "pdflatex"].find(isInstalled);
  const browser = chromiums.find(isInstalled);
  if (engine === undefined && browser === undefined)
    throw new UsageError(
      "nothing here makes a PDF: install tectonic, latexmk, pdflatex (Debian: texlive-latex-recommended) or chromium",
      exitCode.failed,
    );
  const folder = mkdtempSync(join(tmpdir(), "harn-pdf-"));
  try {
    for (const { path, content } of engine === undefined ? await html() : latex) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    mkdirSync(join(folder, "home"));
    const log = engine === undefined ? await print(browser as string, folder) : await compile(engine, folder);
    const file = join(folder, "paper.pdf");
    if (!existsSync(file))
      throw new UsageError(`${engine ?? browser} made no PDF:\n${log.slice(-4_000)}`, exitCode.failed);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function compile(engine: string, folder: string): Promise<string> {
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

const print = (browser: string, folder: string): Promise<string> =>
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
    const end = (): void => {
      try {
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // It has ended with all its children.
      }
    };
    const timer = setTimeout(end, limitMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new UsageError(`can't run ${program}: ${error.message}`, exitCode.failed));
    });
    child.on("close", () => {
      clearTimeout(timer);
      end();
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
