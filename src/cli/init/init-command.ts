/**
 * `harn init`: copies a template of the package into a folder. Nothing is written when a file of it is there already, so
 * a project is never half of one and half of another.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, shippedFolder, UsageError } from "../../host/command/index.ts";
import { hostError } from "../../host/index.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import { makeFile } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";
import type { initFlags } from "../flags/running.ts";
import { type TemplateName, templateNames } from "./template-names.ts";

export type InitFlags = FlagsOf<typeof initFlags>;

/** A file of a template as it is written. */
interface NewFile {
  /** Below the project's folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The name of the project inside of the templates. */
const placeholder = "new-project";

export function initCommand(named: string | undefined, flags: InitFlags): number {
  const folder = resolve(ownPath(named ?? "."));
  const template = flags.template ?? templateNames[0];
  const files = templateFiles(template, projectName(folder));
  const there = files.map(({ path }) => path).filter((path) => existsSync(join(folder, path)));
  if (there.length > 0)
    throw new UsageError(
      `${shownFolder(folder)} has ${there.join(", ")} already; nothing was written. Name another folder, or move what is there`,
      "HARN-CLI-008",
    );
  for (const file of files) writeNew(folder, file);
  print(
    `${files.map(({ path }) => `${join(named ?? "", path)}\n`).join("")}\n${nextSteps(folder, template)}`,
  );
  return exitCode.ok;
}

/** The files of a template, in the order of their paths, made out to a project. */
function templateFiles(template: TemplateName, project: string): NewFile[] {
  const source = shippedFolder(`templates/${template}`);
  return source
    .names()
    .map((path) => ({
      // npm packs no `.gitignore`, so it ships without its dot.
      path: path.replace(/^gitignore$/, ".gitignore"),
      text: source.text(path).replaceAll(placeholder, project),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folder's name as one can be imported by. */
function projectName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" ? placeholder : name;
}

/** Somebody may have made the file since it was looked for: then it stays. */
function writeNew(folder: string, { path, text }: NewFile): void {
  const file = join(folder, path);
  try {
    makeFolders(dirname(file));
    makeFile(file, text);
  } catch (error) {
    throw new UsageError(`Error writing ${file}: ${hostError(error).message}`, "HARN-CLI-007");
  }
}

const shownFolder = (folder: string): string => relative(ownProcess().cwd(), folder) || "this folder";

/** As the reader has to type it: a harn of a project's own is found by `npx` alone, which says that it started this. */
const typedName = (): string => (ownProcess().env.npm_command === "exec" ? "npx --no-install harn" : "harn");

function nextSteps(folder: string, template: TemplateName): string {
  const enter = relative(ownProcess().cwd(), folder);
  const harn = typedName();
  const commands =
    template === "typescript"
      ? ["npm install", "npm start", "npm test"]
      : [`${harn} run --tape tape.jsonl main.harn`, `${harn} test`];
  return [
    "It runs without a key, on a tape of answers:",
    ...(enter === "" ? [] : [`  cd ${enter}`]),
    ...commands.map((command) => `  ${command}`),
    "README.md says how to go on.\n",
  ].join("\n");
}
