/** Order and names of sections. */
import { StoreError } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";
import { type Changes, type SectionColumns, sectionsOf } from "./changes.ts";
import { missingSection, type StoredSection } from "./record.ts";

/** A section as an outline names it, parents before their children, in order. */
export interface OutlineEntry {
  readonly id: string;
  /** It is made. */
  readonly isNew: boolean;
  /** An entry before it; null at the top. */
  readonly parent: string | null;
  readonly title: string;
  /** Null: as it is. */
  readonly summary: string | null;
  /** Of a new one: what its label begins with. */
  readonly label: string;
}

type SectionChanges = { [id: string]: Partial<SectionColumns> | null };

/** A label that none of these has. */
export function freeLabel(stem: string, taken: ReadonlySet<string>): string {
  if (!taken.has(stem)) return stem;
  for (let n = 2; ; n++) if (!taken.has(`${stem}-${n}`)) return `${stem}-${n}`;
}

/**
 * What makes the outline so. Sections that it leaves out go when nothing was written in them; the others stay, after those
 * that it names, and are given back.
 */
export function outlineChanges(
  tx: Tx,
  project: string,
  entries: readonly OutlineEntry[],
): { readonly changes: Changes; readonly kept: readonly string[] } {
  const present = sectionsOf(tx, project);
  const known = new Map(present.map((section) => [section.id, section]));
  const named = new Set<string>();
  const taken = new Set(present.map(({ label }) => label));
  const counts = new Map<string | null, number>();
  const next = (parent: string | null): number => {
    const position = counts.get(parent) ?? 0;
    counts.set(parent, position + 1);
    return position;
  };
  const sections: SectionChanges = {};
  for (const { id, isNew, parent, title, summary, label } of entries) {
    if (named.has(id)) throw new StoreError("invalid", `the outline names the section ${id} twice`);
    if (parent !== null && !named.has(parent)) throw missingSection(parent);
    if (!isNew && !known.has(id)) throw missingSection(id);
    named.add(id);
    const own = isNew ? { label: freeLabel(label, taken) } : {};
    if (own.label !== undefined) taken.add(own.label);
    const columns = {
      parent,
      position: next(parent),
      title,
      ...(summary === null ? {} : { summary }),
      ...own,
    };
    if (sectionDiffers(known.get(id), columns)) sections[id] = columns;
  }
  const kept: string[] = [];
  for (const section of present) {
    if (named.has(section.id)) continue;
    if (section.body.trim() === "" && !hasWritten(section.id, present)) {
      sections[section.id] = null;
      continue;
    }
    kept.push(section.id);
    const parent =
      section.parent !== null && (named.has(section.parent) || kept.includes(section.parent))
        ? section.parent
        : null;
    const columns = { parent, position: next(parent) };
    if (sectionDiffers(section, columns)) sections[section.id] = columns;
  }
  return { changes: { sections }, kept };
}

/** Whether something was written below it. */
const hasWritten = (id: string, sections: readonly StoredSection[]): boolean =>
  sections.some((one) => one.parent === id && (one.body.trim() !== "" || hasWritten(one.id, sections)));

const sectionDiffers = (now: StoredSection | undefined, columns: Partial<SectionColumns>): boolean =>
  now === undefined ||
  (Object.keys(columns) as (keyof SectionColumns)[]).some((name) => columns[name] !== now[name]);

/** What moves a section, with all below it, to a place among the children of `parent`. */
export function moveChanges(
  tx: Tx,
  project: string,
  id: string,
  parent: string | null,
  position: number,
): Changes {
  const present = sectionsOf(tx, project);
  const known = new Map(present.map((section) => [section.id, section]));
  if (!known.has(id)) throw missingSection(id);
  for (let above = parent; above !== null; above = known.get(above)?.parent ?? null) {
    if (!known.has(above)) throw missingSection(above);
    if (above === id) throw new StoreError("invalid", "a section can't be moved into itself");
  }
  return { sections: renumbered(present, id, parent, position) };
}

/** What takes a section out; its children take its place. */
export function removalChanges(tx: Tx, project: string, id: string): Changes {
  const present = sectionsOf(tx, project);
  const gone = present.find((section) => section.id === id);
  if (gone === undefined) throw missingSection(id);
  const order = present
    .filter((one) => one.parent === gone.parent)
    .flatMap((one) => (one.id === id ? present.filter((child) => child.parent === id) : [one]));
  const sections: SectionChanges = { [id]: null };
  for (const [at, section] of order.entries()) {
    const columns = { parent: gone.parent, position: at };
    if (sectionDiffers(section, columns)) sections[section.id] = columns;
  }
  return { sections };
}

/** The siblings on both sides numbered anew, with the section at its place. */
export function renumbered(
  present: readonly StoredSection[],
  id: string,
  parent: string | null,
  position: number,
): SectionChanges {
  const sections: SectionChanges = {};
  const siblings = present.filter((one) => one.parent === parent && one.id !== id).map((one) => one.id);
  siblings.splice(Math.min(position, siblings.length), 0, id);
  const known = new Map(present.map((section) => [section.id, section]));
  for (const [at, one] of siblings.entries()) {
    const columns = { parent, position: at };
    if (one === id || sectionDiffers(known.get(one), columns)) sections[one] = columns;
  }
  const before = known.get(id)?.parent;
  if (before === undefined || before === parent) return sections;
  const left = present.filter((one) => one.parent === before && one.id !== id);
  for (const [at, one] of left.entries())
    if (one.position !== at) sections[one.id] = { ...sections[one.id], position: at };
  return sections;
}
