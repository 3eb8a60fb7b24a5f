/** What an addition touches: the steps of a checklist, and the sources that an option really touches. */
import type { Source } from "./sources.ts";

/** The numbered steps below the heading `## TITLE` of a page. */
export function stepsOf(page: string, title: string): number {
  const start = page.indexOf(`## ${title}\n`);
  if (start < 0) throw new Error(`docs/checklists.md has no heading "${title}"`);
  const rest = page.slice(start + 3);
  const end = rest.indexOf("\n## ");
  const section = end < 0 ? rest : rest.slice(0, end);
  return new Set([...section.matchAll(/(?:^|[\n.;] ?)(\d+)\. /g)].map((match) => match[1])).size;
}

const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Source files that mention an option by its name or by the name of its field: the median over the options. */
export function medianTouched(sources: readonly Source[], options: readonly string[]): number {
  const counts = options
    .map((name) => {
      const word = new RegExp(`\\b(?:${name}|${camel(name)})\\b`);
      return sources.filter(({ text }) => word.test(text)).length;
    })
    .sort((a, b) => a - b);
  return counts[Math.floor(counts.length / 2)] ?? 0;
}
