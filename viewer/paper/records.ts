/** What the routes of papers answer with (docs/papers.md), as far as the page reads it. */
export interface PaperSummary {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly version: number;
  readonly changed: number;
}

export interface SectionRecord {
  readonly id: string;
  readonly parent: string | null;
  readonly position: number;
  readonly title: string;
  readonly label: string;
  readonly summary: string;
  readonly body: string;
  readonly state: string;
  readonly version: number;
  readonly changed: number;
  readonly by?: string;
}

export interface ReferenceRecord {
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
  readonly quote?: string | null;
}

export interface PaperRecord extends PaperSummary {
  readonly authors: readonly string[];
  readonly abstract: string;
  readonly language: string;
  readonly citation_style: "numeric" | "author-year";
  readonly conversation: string | null;
  readonly sections: readonly SectionRecord[];
  readonly references: readonly ReferenceRecord[];
}

export interface VersionRecord {
  readonly n: number;
  readonly at: number;
  readonly by: string;
  readonly op: string;
  readonly note: string | null;
}

export interface FindingRecord {
  readonly kind: string;
  readonly section: string;
  readonly offset: number;
  readonly text: string;
}

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
