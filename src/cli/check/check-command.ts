/** `harn check`: syntax, names, types, lint and unresolved imports, without running anything. */

import { type Diagnostic, diagnosticToJson, renderDiagnostics } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  colourOnStderr,
  exitCode,
  print,
  reportAsJson,
  reportPaintedError,
} from "../../host/command/index.ts";
import { manifestFindings } from "../../manifest/manifest-check.ts";
import { canonicalPath, compile, NodeModuleLoader, readProgram, scriptFiles } from "../../program/index.ts";
import { loadCapabilities } from "../../tools/index.ts";
import type { checkFlags } from "../flags/checking.ts";
import { scriptFindings } from "./script-findings.ts";

export type CheckFlags = FlagsOf<typeof checkFlags>;

/** Checks every file named, and every script below a folder that is named. Warnings do not change the exit code. */
export async function checkCommand(paths: readonly string[], flags: CheckFlags): Promise<number> {
  let failed = false;
  const manifests = new Set<string>();
  for (const path of scriptFiles(paths)) {
    if (flags.capabilities === true) {
      failed = (await showCapabilities(path, flags.json === true)) || failed;
      continue;
    }
    const found = await scriptFindings(path, flags.strictTypes === true);
    // A manifest is judged once, with the first script below it.
    const ofManifest = (await manifestFindings(path, new NodeModuleLoader())).filter(
      (one) => !manifests.has(one.source.name),
    );
    for (const one of ofManifest) manifests.add(one.source.name);
    found.push(...ofManifest);
    failed ||= found.some((one) => one.severity === "error");
    showFindings(path, found, flags.json === true);
  }
  return failed ? exitCode.failed : exitCode.ok;
}

/** Names what a script uses; true when it cannot be read. */
async function showCapabilities(path: string, json: boolean): Promise<boolean> {
  const text = readProgram(path, undefined);
  const { program, diagnostics } = await compile(text.source, canonicalPath(text), new NodeModuleLoader());
  if (program === undefined) {
    showFindings(
      path,
      diagnostics.filter((one) => one.severity === "error"),
      json,
    );
    return true;
  }
  const { capabilityUses } = await loadCapabilities();
  const uses = capabilityUses(program.resolved);
  if (json) {
    print(
      `${JSON.stringify({ file: path, capabilities: [...new Set(uses.map((use) => use.capability))], uses })}\n`,
    );
    return false;
  }
  const groups = [...new Set(uses.map((use) => use.capability))];
  print(`${path}: ${groups.length === 0 ? "needs no capability" : groups.join(", ")}\n`);
  for (const { capability, builtin, at } of uses) print(`  ${capability.padEnd(9)} ${builtin} (${at})\n`);
  return false;
}

function showFindings(path: string, found: readonly Diagnostic[], json: boolean): void {
  if (json) {
    for (const one of found) reportAsJson(diagnosticToJson(one));
  } else if (found.length === 0) print(`${path}: ok\n`);
  else reportPaintedError(`${renderDiagnostics(found, { colour: colourOnStderr() })}\n`);
}
