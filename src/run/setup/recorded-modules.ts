/** The modules of a recorded run as they were then, without looking at any file. */
import { importKey, JournalProblem, type recordedSources } from "../../effects/index.ts";
import type { ModuleLoader } from "../../resolve/index.ts";
import { SourceFile } from "../../source/index.ts";

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
