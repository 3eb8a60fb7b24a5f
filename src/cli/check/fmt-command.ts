/** `harn fmt`: canonical formatting of files in place, of folders, or of standard input (language.md §26). */

import { renderDiagnostics } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  colourOnStderr,
  colourOnStdout,
  exitCode,
  print,
  reportData,
  reportFailure,
  reportPainted,
  reportPaintedError,
  UsageError,
} from "../../host/command/index.ts";
import { loadedManifest, Settings } from "../../manifest/index.ts";
import { type ProgramText, readProgram, scriptFiles } from "../../program/index.ts";
import type { SourceFile } from "../../source/index.ts";
import { type FormatOptions, type FormatResult, loadFormatter } from "../../tools/index.ts";
import { replaceFile } from "../../tools/local/index.ts";
import type { fmtFlags } from "../flags/checking.ts";

export type FmtFlags = FlagsOf<typeof fmtFlags>;

/** Formats each file; with `--check` only says what it would change. One bad file does not keep the others from it. */
export async function fmtCommand(paths: readonly string[], flags: FmtFlags): Promise<number> {
  if (paths.includes("-") && paths.length > 1)
    throw new UsageError("standard input (`-`) is formatted alone; name no other file");
  let code: number = exitCode.ok;
  for (const path of paths[0] === "-" ? ["-"] : scriptFiles(paths)) {
    try {
      if (!(await formatOne(path, flags.check === true))) code = exitCode.failed;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      reportFailure(error);
      code = exitCode.failed;
    }
  }
  return code;
}

/** False when the file has errors, or is not formatted although it should be. */
async function formatOne(path: string, check: boolean): Promise<boolean> {
  const text = readProgram(path, undefined);
  const formatted = await tryFormat(text.source, await optionsFor(text));
  if (!formatted.ok) {
    const rendered = renderDiagnostics(formatted.diagnostics, { colour: colourOnStderr() });
    reportPaintedError(`${rendered}\n\n`);
    throw new UsageError(`${text.source.name} is not formatted: it has syntax errors`, "HARN-CLI-008");
  }
  if (check) return !formatted.changed || (await showChange(text.source, formatted.text));
  if (text.path === undefined) reportData(formatted.text);
  else if (formatted.changed) {
    replaceFile(text.path, text.source.text, formatted.text);
    print(`formatted ${path}\n`);
  }
  return true;
}

async function tryFormat(source: SourceFile, options: FormatOptions): Promise<FormatResult> {
  const { format, FormatFault } = await loadFormatter();
  try {
    return format(source, options);
  } catch (error) {
    if (error instanceof FormatFault)
      throw new UsageError(`${error.message}; please report it`, "HARN-CLI-008");
    if (error instanceof RangeError)
      throw new UsageError(`${source.name} is nested too deeply to be formatted`, "HARN-CLI-008");
    throw error;
  }
}

/** What `--check` prints about a file that is not canonical. Always false. */
async function showChange(source: SourceFile, text: string): Promise<boolean> {
  const { renderChange } = await loadFormatter();
  print(`${source.name}: would be reformatted\n`);
  reportPainted(`${renderChange(source.text, text, colourOnStdout())}\n`);
  return false;
}

/** `[fmt]` of the manifest above the file. */
export async function optionsFor(text: ProgramText): Promise<FormatOptions> {
  const settings = new Settings(await loadedManifest(text.path ?? "."), "fmt");
  const lineWidth = settings.count("line_width", 20);
  const separatorWidth = settings.count("separator_width", 10);
  return {
    ...(lineWidth === undefined ? {} : { lineWidth }),
    ...(separatorWidth === undefined ? {} : { separatorWidth }),
  };
}
