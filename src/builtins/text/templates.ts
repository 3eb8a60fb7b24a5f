/** Prompt templates (builtins.md §2.19, language.md §24). */

import { shape } from "../../effects/index.ts";
import { HostError, machineOfProgram, machineOfRuntime } from "../../host/index.ts";
import { spend, type Task } from "../../interp/index.ts";
import { isAbsolutePath, noteTemplate, utf8Length } from "../../model/index.ts";
import { defineBuiltins, dictOrLeftOut } from "../../table/index.ts";
import { ScriptError, thrown, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { joinPaths, normalizePath, parentPath, relativePath, segmentsOf } from "../files/path-text.ts";
import { observe } from "../observe/observed.ts";
import { projectRoot, sourceDirectory } from "../process/environment.ts";
import { TemplateMistake } from "./template-expression.ts";
import { renderTemplate, TemplateFailure, type TemplateFile } from "./template-render.ts";

/** A recorded read of a template file. */
function readTemplate(task: Task, path: string): string {
  return task.perform<string>({
    effect: "read",
    kind: "template.read",
    args: () => path,
    run: () => {
      try {
        return machineOfProgram(task.runtime.host).files.readText(path);
      } catch (error) {
        if (error instanceof HostError) throw thrown(error.message);
        throw error;
      }
    },
    result: shape.text,
  }) as string;
}

/** Under `[asset_roots]` of `harn.toml`: `name = "folder"` lines are all that this section holds. */
function assetRoot(toml: string, alias: string): string | undefined {
  const section = /^\[asset_roots\][^\n]*\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(toml)?.[1] ?? "";
  for (const line of section.split("\n")) {
    const [, name, folder] = /^\s*"?([\w.-]+)"?\s*=\s*"([^"]*)"/.exec(line) ?? [];
    if (name === alias) return folder;
  }
  return undefined;
}

/** The project that a folder belongs to; nil outside of projects. Looked for by the runtime: a script that may read one folder may use its templates. */
function templateRoot(task: Task, folder: string): string | null {
  const { host } = task.runtime;
  return observe(
    task,
    "template.root",
    shape.orNull(shape.text),
    () => projectRoot(task, folder, machineOfRuntime(host)) ?? null,
    folder,
  );
}

/** Relative and absolute includes stay inside the project; what `[asset_roots]` names is the project's own choice. */
function staysInside(path: string, full: string, root: string | null): boolean {
  if (root === null || path.startsWith("@")) return true;
  const way = relativePath(full, root);
  return way !== undefined && way !== ".." && !way.startsWith("../");
}

/** The full path of a template: absolute, `@/x`, `@alias/x`, or relative to a folder. */
function templatePath(task: Task, path: string, folder: string): string {
  if (!path.startsWith("@")) return isAbsolutePath(path) ? path : normalizePath(joinPaths([folder, path]));
  const [alias = "@", ...rest] = segmentsOf(path);
  if (rest.includes("..")) throw thrown(`package-root prompt path '${path}' must not contain '..'`);
  const root = templateRoot(task, folder);
  if (root === null) {
    throw thrown(
      `package-root prompt path '${path}' has no project root: no harn.toml found above ${folder}`,
    );
  }
  if (alias === "@") return joinPaths([root, ...rest]);
  const assets = assetRoot(readTemplate(task, joinPaths([root, "harn.toml"])), alias.slice(1));
  if (assets === undefined)
    throw thrown(`prompt path '${path}': no '${alias.slice(1)}' under [asset_roots] in harn.toml`);
  return joinPaths([root, assets, ...rest]);
}

function renderTemplateText(task: Task, file: TemplateFile, argument: Argument): string {
  const caller = file.name === "" ? "render_string" : "render";
  const bindings = dictOrLeftOut(task, caller, "bindings", argument)?.toMap() ?? new Map<string, Value>();
  const base = sourceDirectory(task);
  const includes = (path: string, from: TemplateFile): TemplateFile => {
    try {
      const full = templatePath(task, path, from.name === "" ? base : parentPath(from.name));
      const root = templateRoot(task, file.name === "" ? base : parentPath(file.name));
      if (!staysInside(path, full, root))
        throw new TemplateMistake(`include path ${path} escapes template root ${root}`);
      return { name: full, text: readTemplate(task, full) };
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw new TemplateMistake(`failed to read included template ${path}: ${textOf(error.value)}`);
    }
  };
  try {
    const { text, steps } = renderTemplate(file, bindings, includes, () => spend(task));
    const bytes = utf8Length(text);
    noteTemplate(task, { path: file.name, text: file.text, bytes, branches: steps });
    return text;
  } catch (error) {
    if (error instanceof TemplateFailure) throw thrown(error.message);
    throw error;
  }
}

/** Renders a template file as the builtin `render` does. */
export function renderFile(task: Task, path: string, bindings: Argument): string {
  const full = templatePath(task, path, sourceDirectory(task));
  let text: string;
  try {
    text = readTemplate(task, full);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw thrown(`Failed to read template ${full}: ${textOf(error.value)}`);
  }
  return renderTemplateText(task, { name: full, text }, bindings);
}

const fileDeclaration = {
  doc: "The text of a template file with `{{ … }}` filled from the bindings. The path is relative to the calling file.",
  sig: "(path: any, bindings?: dict) -> string",
  effect: "read" as const,
  performs: true,
  // Only calls that may wait tell the task where they stand, and the path depends on it.
  suspends: "may" as const,
  capability: "fs.read",
  run: (task: Task, path: Argument, bindings: Argument): Value => renderFile(task, textOf(path), bindings),
};

export const templates = defineBuiltins(
  "templates",
  {
    render: fileDeclaration,
    render_prompt: fileDeclaration,
    render_string: {
      doc: "A text with `{{ … }}` filled from the bindings. An unbound bare name stays.",
      sig: "(text: any, bindings?: dict) -> string",
      effect: "read",
      mayNeed: "fs.read",
      performs: true,
      suspends: "may",
      example: 'render_string("Hi {{ name | upper }}{{ if no }}!{{ end }}", {name: "ada"})  // Hi ADA',
      run: (task, text: Argument, bindings: Argument) =>
        renderTemplateText(task, { name: "", text: textOf(text) }, bindings),
    },
  },
  { bindings: "what the template may use, by name" },
);
