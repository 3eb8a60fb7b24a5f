/** The modules of a recorded run as they were then, without looking at any file. */
import { importKey, type recordedSources } from "../../effects/index.ts";
import type { ModuleLoader } from "../../resolve/index.ts";
import { SourceFile } from "../../source/index.ts";

export function recordedModules(recorded: ReturnType<typeof recordedSources>): ModuleLoader {
  return {
    resolve: (specifier, from) => {
      const path = recorded.imports.get(importKey(from, specifier));
      return path === undefined ? { missing: specifier } : { path };
    },
    read: (path) => new SourceFile(path, recorded.texts.get(path) ?? ""),
  };
}
