/**
 * One change of a project: rows, version and event in one transaction. A version holds what it changed, column by column, with
 * bodies by their hash; the versions up to N together are the project at N.
 */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { WritingProjectRow, WritingSectionRow } from "../../server-tables.ts";
import type { RowOf } from "../../tables.ts";
import type { Tx } from "../../tx.ts";
import { appendLog } from "../conversations/log.ts";
import {
  type BodyPiece,
  missingPaper,
  type PaperChange,
  type ProjectFields,
  paperLimits,
  type StoredPaper,
  type StoredReference,
  type StoredSection,
} from "./record.ts";

/** Columns of a section, its body by hash; "" is the empty one. */
export type SectionColumns = Omit<WritingSectionRow, "project" | "id" | "changed">;

export type ReferenceColumns = Omit<StoredReference, "key">;

/** What one version changed; null: it is gone. */
export interface Changes {
  readonly project?: Partial<ProjectFields>;
  readonly sections?: { readonly [id: string]: Partial<SectionColumns> | null };
  readonly references?: { readonly [key: string]: ReferenceColumns | null };
}

const maxRows = 1_000_000;

export function findProject(tx: Tx, id: string): WritingProjectRow | undefined {
  const [row] = tx.rows("writing_projects", { id }, 1);
  return row === undefined || row.deleted !== null ? undefined : row;
}

export function mustFindProject(tx: Tx, id: string): WritingProjectRow {
  const row = findProject(tx, id);
  if (row === undefined) throw missingPaper(id);
  return row;
}

export const paperRecordOf = ({ authors, deleted: _deleted, ...row }: WritingProjectRow): StoredPaper => ({
  ...row,
  authors: JSON.parse(authors) as readonly string[],
});

/** The sections of a project, each before its children. */
export function sectionsOf(tx: Tx, project: string): readonly StoredSection[] {
  return inOrder(
    tx.rows("writing_sections", { project }, maxRows).map(({ project: _project, ...row }) => row),
  );
}

/** Sorted as they stand in the paper, with their depth. */
export function inOrder<T extends Pick<StoredSection, "id" | "parent" | "position">>(
  rows: readonly T[],
): readonly (T & { readonly depth: number })[] {
  const children = Map.groupBy(rows, ({ parent }) => parent);
  const out: (T & { readonly depth: number })[] = [];
  const add = (parent: string | null, depth: number): void => {
    const siblings = [...(children.get(parent) ?? [])];
    siblings.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
    for (const row of siblings) {
      out.push({ ...row, depth });
      add(row.id, depth + 1);
    }
  };
  add(null, 1);
  return out;
}

export const referencesOf = (tx: Tx, project: string): readonly StoredReference[] =>
  tx
    .rows("writing_references", { project }, maxRows)
    .map(referenceOf)
    .sort((a, b) => (a.key < b.key ? -1 : 1));

const referenceOf = (row: RowOf<"writing_references">): StoredReference => ({
  key: row.key,
  item: JSON.parse(row.item) as StoredReference["item"],
  verified: row.verified !== 0,
  origin: row.origin === null ? null : (JSON.parse(row.origin) as StoredReference["origin"]),
  quote: row.quote ?? "",
});

/** Makes the change the next version; gives its number. */
export function commitChange(
  tx: Tx,
  before: WritingProjectRow,
  op: string,
  section: string | null,
  changes: Changes,
  { by, run, note, now }: PaperChange,
  pieces: readonly BodyPiece[] = [],
): number {
  const version = before.version + 1;
  const bodies = new Bodies(tx, pieces, before.id);
  writeSections(tx, before.id, changes.sections ?? {}, version, now, bodies);
  writeReferences(tx, before.id, changes.references ?? {});
  const { authors, ...project } = changes.project ?? {};
  tx.write("writing_projects", {
    ...before,
    ...project,
    authors: authors === undefined ? before.authors : JSON.stringify(authors),
    version,
    changed: now,
  });
  tx.write("writing_versions", {
    project: before.id,
    n: version,
    at: now,
    by,
    run,
    op,
    note,
    changes: JSON.stringify({ section, ...changes }),
  });
  checkLimits(tx, before.id);
  emitPaperChange(tx, before, { project: before.id, version, op, section }, now, run);
  return version;
}

function writeSections(
  tx: Tx,
  project: string,
  changed: NonNullable<Changes["sections"]>,
  version: number,
  now: number,
  bodies: Bodies,
): void {
  const known = new Map(tx.rows("writing_sections", { project }, maxRows).map((row) => [row.id, row]));
  // All are taken out first: two may have exchanged their labels.
  for (const id of Object.keys(changed)) tx.remove("writing_sections", { project, id });
  for (const [id, columns] of Object.entries(changed)) {
    if (columns === null) continue;
    const { body, ...rest } = columns;
    const before = known.get(id) ?? emptySection(project, id);
    const text = body === undefined ? before.body : bodies.text(body);
    tx.write("writing_sections", { ...before, ...rest, body: text, version, changed: now });
  }
}

const emptySection = (project: string, id: string): WritingSectionRow => ({
  project,
  id,
  parent: null,
  position: 0,
  title: "",
  label: id,
  body: "",
  summary: "",
  state: "planned",
  version: 0,
  changed: 0,
});

function writeReferences(tx: Tx, project: string, changed: NonNullable<Changes["references"]>): void {
  for (const [key, columns] of Object.entries(changed)) {
    if (columns === null) {
      tx.remove("writing_references", { project, key });
      continue;
    }
    const { item, verified, origin, quote } = columns;
    tx.write("writing_references", {
      project,
      key,
      item: JSON.stringify(item),
      verified: verified ? 1 : 0,
      origin: origin === null ? null : JSON.stringify(origin),
      quote: quote === "" ? null : quote,
    });
  }
}

/** Texts by their hashes: those that came with the change, and those that versions hold. */
export class Bodies {
  private readonly tx: Tx;
  private readonly pieces: ReadonlyMap<string, BodyPiece>;
  private readonly holder: string;

  constructor(tx: Tx, pieces: readonly BodyPiece[], holder: string) {
    this.tx = tx;
    this.pieces = new Map(pieces.map((piece) => [piece.hash, piece]));
    this.holder = holder;
  }

  text(hash: string): string {
    if (hash === "") return "";
    const value = this.pieces.get(hash);
    if (value !== undefined) {
      this.tx.write("piece_holder", { holder: this.holder, piece: this.tx.keepPiece(hash, value.text) });
      return JSON.parse(value.text) as string;
    }
    const id = this.tx.pieceOf(hash);
    const text = id === undefined ? undefined : this.tx.piece(id);
    if (text === undefined)
      throw new StoreError("corrupt", `${this.holder}: the text ${hash} of a version is not in the store`);
    return JSON.parse(text) as string;
  }
}

function checkLimits(tx: Tx, project: string): void {
  const sections = sectionsOf(tx, project);
  const refuse = (what: string): never => {
    throw new StoreError("invalid", what);
  };
  if (sections.length > paperLimits.sections)
    refuse(`a paper has at most ${paperLimits.sections} sections, this would have ${sections.length}`);
  const deep = sections.find(({ depth }) => depth > paperLimits.depth);
  if (deep !== undefined)
    refuse(
      `sections are at most ${paperLimits.depth} levels deep; \`${deep.title}\` would be on level ${deep.depth}`,
    );
  let total = 0;
  for (const { title, body } of sections) {
    const bytes = bytesOf(body);
    total += bytes;
    if (bytes > paperLimits.section)
      refuse(`the text of \`${title}\` has ${bytes} bytes; a section has at most 1 MiB`);
  }
  if (total > paperLimits.project) refuse(`the paper would have ${total} bytes of text; it may have 10 MiB`);
  const references = tx.rows("writing_references", { project }, paperLimits.references + 1).length;
  if (references > paperLimits.references) refuse(`a paper has at most ${paperLimits.references} references`);
}

function bytesOf(text: string): number {
  if (text.length * 3 <= paperLimits.section) return new TextEncoder().encode(text).length;
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}

/** In the log of its conversation, or in one of its own. `run` made it, or somebody (null): there it stands among what the run did. */
export function emitPaperChange(
  tx: Tx,
  { id, conversation }: Pick<WritingProjectRow, "id" | "conversation">,
  data: {
    readonly project: string;
    readonly version: number;
    readonly op: string;
    readonly section: string | null;
  },
  now: number,
  run: string | null = null,
): void {
  const inLog = conversation !== null && tx.rows("conversation", { id: conversation }, 1).length > 0;
  const event = {
    at: now,
    type: "paper.changed",
    origin: `${id}:${data.version}:${data.op}`,
    body: { ...(run === null ? {} : { run }), data: data as unknown as Json },
  };
  appendLog(tx, inLog ? conversation : `paper:${id}`, null, [event], []);
}
