/** Which file of the command line's bundle a module goes to, and what the files look like. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Plugin } from "rolldown";

/** What is no part of the core though the core imports it (loaded at first use: `lazy-requires.ts`): chunk, and the doors to it. */
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

/**
 * What the library's root uses of the rest, and the core too: modules that import and keep nothing. The root has a copy of its own, so that
 * neither loads the other for them.
 */
const copied = /\/src\/(?:diagnostics\/nearest|host\/run-id|values\/json\/whole-float)\.ts$/;
const copyMark = "?of-the-root";

export const rootCopies: Plugin = {
  name: "root-copies",
  resolveId(source, importer) {
    if (importer === undefined || !/\/src\/library\/(?:handles\/)?[^/]+$/.test(importer)) return null;
    const id = resolve(dirname(importer), source);
    return copied.test(id) ? `${id}${copyMark}` : null;
  },
  load(id) {
    if (!id.endsWith(copyMark)) return null;
    return { code: readFileSync(id.slice(0, -copyMark.length), "utf8"), moduleType: "ts" };
  },
};

/**
 * Sorts what the command line reaches by static imports: what the library's root needs as well (it loads nothing else), what stands behind
 * a later door, and the core.
 */
export function sortModules(
  entries: { readonly core: string; readonly light: string },
  groups: ReadonlyMap<string, Set<string>>,
): Plugin {
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
      const light = groups.get("light") as Set<string>;
      reach(entries.light, light, () => true);
      const core = groups.get("core") as Set<string>;
      reach(entries.core, core, (id) => !isLater(id) && !light.has(id));
      const taken = new Set([...light, ...core]);
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

/** Lines are not indented: names and line breaks are what an error's stack needs, and tabs are a twentieth of the bundle. */
export const unindented: Plugin = {
  name: "unindented",
  async generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === "chunk") chunk.code = await unindent(chunk.fileName, chunk.code);
  },
};

export async function unindent(name: string, code: string): Promise<string> {
  const { parseSync, Visitor } = await import("rolldown/utils");
  // Tabs in a text over several lines are no indentation.
  const texts: { readonly start: number; readonly end: number }[] = [];
  new Visitor({ TemplateElement: (text) => void texts.push(text) }).visit(parseSync(name, code).program);
  texts.sort((a, b) => a.start - b.start);
  let next = 0;
  return code.replaceAll(/\n\t+/g, (found, at: number) => {
    while ((texts[next]?.end ?? Infinity) <= at) next++;
    return (texts[next]?.start ?? Infinity) <= at ? found : "\n";
  });
}
