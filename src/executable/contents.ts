/** What lies in an executable besides Node: the bundle with what V8 made of it, files that ship with it, the program. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderOnDisk, shippedFolder, UsageError } from "../host/command/index.ts";
import { ownProcess } from "../process/index.ts";
import { AstCache, astShape, type BuiltProgram, builtProgramFile } from "../program/index.ts";
import type { SourceFile } from "../source/index.ts";
import { parse } from "../syntax/index.ts";
import { licences, licencesFolder } from "./licences.ts";
import { nodeFlags } from "./node-flags.ts";
import { warmProgram } from "./warm-programs.ts";

/** What the command line reads of its bundle; the rest of `dist` is for programs that import it. */
const needed = /^(cli\.cjs$|chunks\/|libraries\/|viewer\/)/;

/** Name → file. What is made for this executable is written into `folder`. */
export function contentsOf(
  program: BuiltProgram,
  sources: readonly SourceFile[],
  node: string,
  folder: string,
): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of ["dist", "stdlib", "templates"]) {
    const shipped = shippedFolder(name);
    for (const file of shipped.names())
      if (name !== "dist" || needed.test(file)) files[`${name}/${file}`] = join(shipped.path, file);
  }
  const made = (name: string, content: string | Uint8Array): void => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    files[name] = path;
  };
  for (const [name, text] of Object.entries(licences(node))) made(`${licencesFolder}/${name}`, text);
  made(builtProgramFile, JSON.stringify(program));
  const trees = new AstCache(undefined, astShape());
  for (const source of sources) {
    const { program: tree, diagnostics } = parse(source);
    if (diagnostics.length === 0) made(...trees.packed(source.text, tree));
  }
  const compiled = folderOnDisk(
    compiledBundle({ ...files, [builtProgramFile]: warmedProgram(folder) }, node, folder),
  );
  for (const name of compiled.names()) files[`code-cache/${name}`] = join(compiled.path, name);
  return files;
}

function warmedProgram(folder: string): string {
  const file = join(folder, "warm.json");
  const entry = "warm.harn";
  const program: BuiltProgram = { entry, modules: [{ name: entry, text: warmProgram() }], imports: [] };
  writeFileSync(file, JSON.stringify(program));
  return file;
}

/** Runs a program that touches what most do, as the executable will, and keeps what V8 made of the bundle. */
function compiledBundle(files: Readonly<Record<string, string>>, node: string, folder: string): string {
  const into = join(folder, "code-cache");
  const list = join(folder, "warm-files.json");
  mkdirSync(into);
  writeFileSync(list, JSON.stringify(files));
  const { NODE_OPTIONS: _, ...env } = ownProcess().env;
  const done = spawnSync(node, [...nodeFlags(), join(shippedFolder("bin").path, "warm.cjs"), list, into], {
    env: { ...env, XDG_CACHE_HOME: folder, HARN_STATE_DIR: join(folder, "state") },
    cwd: folder,
    encoding: "utf8",
  });
  if (done.status !== 0)
    throw new UsageError(
      `the runtime can't be compiled: ${done.error?.message ?? done.stderr}`,
      "HARN-CLI-008",
    );
  return into;
}
