/** `harn build`: makes one executable of a script and the runtime. */
import { basename, extname, relative, resolve } from "node:path";
import type { Diagnostic } from "../../diagnostics/index.ts";
import { buildExecutable, mustBeFree } from "../../executable/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportError, UsageError } from "../../host/command/index.ts";
import type { ExecutableProgram } from "../../lower/index.ts";
import { isHooksModule, loadedManifest } from "../../manifest/index.ts";
import { manifestFindings } from "../../manifest/manifest-check.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import { checked, NodeModuleLoader, NotingLoader, programToRun, report } from "../../program/index.ts";
import { scriptFindings } from "../check/script-findings.ts";
import type { buildFlags } from "../flags/running.ts";

export async function buildCommand(script: string, { out }: FlagsOf<typeof buildFlags>): Promise<number> {
  if (script === "-")
    throw new UsageError("standard input has no folder that its imports are meant from: name a file");
  const { source, path, loader: files } = programToRun(script, undefined);
  const loader = new NotingLoader(files);
  const said: Diagnostic[] = [];
  const program = await checked(source, path, loader, (found) => {
    said.push(...found);
    return found.some(({ severity }) => severity === "error");
  });
  const faults = program === undefined ? [] : await programFaults(program, path, script);
  // A warning of a run may be an error of a check.
  const isFailed = report([
    ...said.filter((one) => !faults.some((fault) => isSameFinding(one, fault))),
    ...faults,
  ]);
  if (program === undefined || isFailed) return exitCode.failed;
  const file = asExecutable(resolve(ownPath(out ?? basename(script, extname(script)))));
  const shown = relative(ownProcess().cwd(), file) || file;
  mustBeFree(file, shown);
  const size = await buildExecutable({ program, modules: loader.found, file });
  if (size === undefined) {
    reportError(`harn: stopped; ${shown} was not written\n`);
    return exitCode.interrupted;
  }
  print(`${shown}: ${Math.round(size / 1e6)} MB, ${script} with Node ${process.versions.node}\n`);
  const system = `${process.platform} ${process.arch}`;
  if (system !== "linux x64")
    print(`note: it has started here, but executables for ${system} are not tested (docs/build.md)\n`);
  await sayWhatIsRead(path, shown);
  return exitCode.ok;
}

/** Windows starts files of this name only. */
const asExecutable = (file: string): string =>
  process.platform === "win32" && extname(file).toLowerCase() !== ".exe" ? `${file}.exe` : file;

/** Sections that a run reads when it needs them. Hooks and triggers are modules of the program, and in the file. */
const readWhereItRuns = ["asset_roots", "resume", "skills", "skill", "mcp", "llm", "capabilities"];

async function sayWhatIsRead(path: string, shown: string): Promise<void> {
  const manifest = await loadedManifest(path);
  const sections = readWhereItRuns.filter((name) => manifest?.tables[name] !== undefined);
  if (manifest === undefined || sections.length === 0) return;
  const named = sections.map((name) => `[${name}]`).join(", ");
  print(
    `note: ${named} of ${relative(ownProcess().cwd(), manifest.path)} is not in it: ${shown} reads the harn.toml of the folder where it runs\n`,
  );
}

/** Of others, who mend them: their imports are judged alone. */
const isOfPackage = (path: string): boolean => /[\\/]\.harn[\\/]packages[\\/]/.test(path);

/** `script`: the path of the entry file as it was typed. */
async function programFaults(
  program: ExecutableProgram,
  entry: string,
  script: string,
): Promise<Diagnostic[]> {
  const loader = new NodeModuleLoader();
  const { modules } = program.resolved;
  // The manifest's hooks stand in no file; what they call does.
  const others = modules.filter(
    ({ path }) => path !== entry && !loader.isStandard(path) && !isHooksModule(path),
  );
  const found = [...(await scriptFindings(script, false)), ...(await manifestFindings(entry, loader))];
  for (const { path, preflight } of others)
    found.push(
      ...(isOfPackage(path) ? preflight : await scriptFindings(relative(ownProcess().cwd(), path), false)),
    );
  const faults = found.filter(({ severity }) => severity === "error");
  return faults.filter((fault, at) => faults.findIndex((one) => isSameFinding(one, fault)) === at);
}

/** A fault of a module is found with it and with who imports it. */
const isSameFinding = (one: Diagnostic, other: Diagnostic): boolean =>
  one.code === other.code &&
  one.span.start === other.span.start &&
  one.source.text === other.source.text &&
  one.message === other.message;
