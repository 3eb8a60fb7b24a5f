/** Which file of the command line's bundle a module goes to, and what the files look like. */
import type { Plugin } from "rolldown";

/** What is loaded at its first use though imported statically (see `lazy-requires.ts`): chunk, and the doors to it. */
export const later: Readonly<Record<string, RegExp>> = {
  builtins: /\/src\/builtins\/areas\.ts$/,
  journal:
    /\/src\/(effects\/(branch\/[\w-]+|recorder|recording|replay|replayer|resuming|resume-point|history|in-doubt|mismatch)|run\/setup\/recorded-run|store\/(?!folders\.)[\w-]+)\.ts$/,
  agents: /\/src\/(agent|events|mcp|model|skills)\//,
  // Who calls the operations of a table is a class over it.
  durable: /\/src\/(durable\/|(work\/session\/durable\/session-store|threads\/conversations)\.ts$)/,
  // A program that is right needs none of them.
  wordings: /\/src\/diagnostics\/catalogue[./]/,
  // Compaction compiles its strategies when it is first asked for them.
  syntax: /\/src\/syntax\/index\.ts$/,
  hermetic: /\/src\/host\/hermetic\//,
};

/** Sorts what the command line reaches by static imports: what stands behind a later door, and the core. */
export function sortModules(entry: string, groups: ReadonlyMap<string, Set<string>>): Plugin {
  return {
    name: "sort-modules",
    buildEnd() {
      const importsOf = (id: string): readonly string[] => this.getModuleInfo(id)?.importedIds ?? [];
      const reach = (from: string, found: Set<string>, passes: (id: string) => boolean): void => {
        if (found.has(from) || !passes(from)) return;
        found.add(from);
        for (const id of importsOf(from)) reach(id, found, passes);
      };
      const isLater = (id: string): boolean => Object.values(later).some((doors) => doors.test(id));
      const core = groups.get("core") as Set<string>;
      reach(entry, core, (id) => !isLater(id));
      const taken = new Set(core);
      for (const [name, doors] of Object.entries(later)) {
        const group = groups.get(name) as Set<string>;
        const isFree = (id: string): boolean => !taken.has(id) && (doors.test(id) || !isLater(id));
        const starts = [...taken].flatMap(importsOf).filter((id) => doors.test(id));
        for (const id of starts) reach(id, group, isFree);
        for (const id of group) taken.add(id);
      }
    },
  };
}

/**
 * Files of ASCII are read and checked faster: V8 keeps one byte a character. A character beyond the first plane is two escapes, as
 * regular expressions without the flag `u` need it, but where it is the name of a field: minifiers take its quotes away, and a name
 * has no halves. Raw texts take no escapes, so they stay as they are.
 */
export const ascii: Plugin = {
  name: "ascii",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") chunk.code = asciiOf(chunk.code);
  },
};

const beyondAscii =
  /(?<raw>String\.raw`(?:[^`\\]|\\.)*`)|(?<name>(?<=[{,]\s*)[\u{10000}-\u{10ffff}]+(?=\s*:))|[\u0080-\u{10ffff}]/gsu;

export const asciiOf = (code: string): string =>
  code.replaceAll(beyondAscii, (found, raw: string | undefined, name: string | undefined) =>
    raw !== undefined ? found : name !== undefined ? asName(name) : asUnits(found),
  );

const asName = (text: string): string =>
  [...text].map((character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join("");

const asUnits = (text: string): string =>
  text.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
