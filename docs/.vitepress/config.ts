/**
 * `npm run docs:site`: the documentation as a static site with search, in `site/`. Pages are those of `docs/` as they stand;
 * the order of the side bar is that of `docs/README.md`, so that a page has one home.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const docs = join(import.meta.dirname, "..");
const grammar = JSON.parse(readFileSync(join(docs, "../grammar/harn.tmLanguage.json"), "utf8"));

interface Entry {
  readonly text: string;
  readonly link: string;
}

/** Sections of `docs/README.md` with the pages that their tables name first. */
function sections(): { text: string; items: Entry[] }[] {
  const parts = readFileSync(join(docs, "README.md"), "utf8").split(/^## /m).slice(1);
  const seen = new Set<string>();
  return parts.flatMap((part) => {
    const [title = ""] = part.split("\n", 1);
    const items: Entry[] = [];
    for (const [, page] of part.matchAll(/\]\(([\w/-]+)\.md(?:#[\w-]+)?\)/g)) {
      if (page === undefined || seen.has(page)) continue;
      seen.add(page);
      items.push({ text: headingOf(page), link: `/${page}` });
    }
    return items.length === 0 ? [] : [{ text: title, items }];
  });
}

const headingOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), "utf8"))?.[1]?.replaceAll("`", "") ?? page;

export default defineConfig({
  title: "harn",
  description: "Programs that drive AI agents: recorded, replayable, bounded.",
  outDir: join(docs, "../site"),
  cacheDir: join(docs, "../.vitepress-cache"),
  rewrites: { "README.md": "index.md" },
  cleanUrls: false,
  lastUpdated: false,
  // Examples, sources and the README of the project are not part of the site.
  ignoreDeadLinks: [/^\.\/(\.\.\/)+(examples|src|grammar|bench|test|README|SECURITY|CONTRIBUTING)/],
  // The project's own settings are for newer tools than the site is built with.
  vite: { esbuild: { tsconfigRaw: "{}" }, build: { chunkSizeWarningLimit: 4000 } },
  markdown: {
    // What stands between angle brackets in a sentence is a type, no tag.
    html: false,
    languages: [
      { ...grammar, name: "harn" },
      ...["output", "ebnf"].map((name) => ({
        name,
        scopeName: `text.${name}`,
        patterns: [],
        repository: {},
      })),
    ],
    // Two braces in a sentence are text, no expression of the page's framework.
    config: (md) => {
      for (const rule of ["text", "code_inline"] as const) {
        const plain = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...args) =>
          (plain?.(...args) ?? "").replaceAll("{{", "<span v-pre>{{</span>");
      }
    },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sections(),
    outline: [2, 3],
  },
});
