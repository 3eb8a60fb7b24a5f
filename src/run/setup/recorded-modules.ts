/** The program of a recorded run as it was then, without reading any file. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { importKey, JournalProblem, type RunHeader, type recordedSources } from "../../effects/index.ts";
import type { ModuleLoader } from "../../resolve/index.ts";
import { SourceFile } from "../../source/index.ts";

/** Its script. Where no file is, and there may have been none, messages don't send anybody there: it is named as when it was begun. */
export function recordedScript({ cwd, entry }: RunHeader, text: string): SourceFile {
  const near = relative(cwd, entry);
  return new SourceFile(existsSync(entry) || near.startsWith("..") ? entry : near, text);
}

export function recordedModules(recorded: ReturnType<typeof recordedSources>): ModuleLoader {
  return {
    resolve: (specifier, from) => {
      const path = recorded.imports.get(importKey(from, specifier));
      return path === undefined ? { missing: specifier } : { path };
    },
    read: (path) => {
      const text = recorded.texts.get(path);
      if (text === undefined)
        throw new JournalProblem("unreadable", `the journal lacks the text of ${path}`, [
          "it was edited, or parts of it were lost",
        ]);
      return new SourceFile(path, text);
    },
  };
}
