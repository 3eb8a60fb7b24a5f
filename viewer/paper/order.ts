/** The order of a paper. */
import type { SectionRecord } from "../../src/server/protocol/index.ts";

/** Sections in the order of the paper, with their depth from 1. */
export function inOrder(
  sections: readonly SectionRecord[],
): { readonly section: SectionRecord; readonly depth: number }[] {
  const below = new Map<string | null, SectionRecord[]>();
  for (const section of sections) below.set(section.parent, [...(below.get(section.parent) ?? []), section]);
  const found: { section: SectionRecord; depth: number }[] = [];
  const walk = (parent: string | null, depth: number): void => {
    for (const section of (below.get(parent) ?? []).sort((a, b) => a.position - b.position)) {
      if (found.some((one) => one.section.id === section.id)) continue;
      found.push({ section, depth });
      walk(section.id, depth + 1);
    }
  };
  walk(null, 1);
  return found;
}
