/** Writing projects: every change is one operation, one version and one event. */
import { StoreError } from "../../../store/index.ts";
import { defineOperations, operation } from "../../operation.ts";
import type { WritingProjectRow } from "../../server-tables.ts";
import type { Tx } from "../../tx.ts";
import {
  type Changes,
  commitChange,
  emitPaperChange,
  findProject,
  mustFindProject,
  paperRecordOf,
  referencesOf,
  type SectionColumns,
  sectionsOf,
} from "./changes.ts";
import {
  freeLabel,
  moveChanges,
  type OutlineEntry,
  outlineChanges,
  removalChanges,
  renumbered,
} from "./outline.ts";
import {
  type BodyPiece,
  missingSection,
  type PaperChange,
  type ProjectFields,
  type StaleChange,
  type StoredPaper,
  type StoredReference,
  type StoredSection,
  type StoredVersion,
  type VersionNumber,
  type WholePaper,
} from "./record.ts";
import { changesBetween, listVersions, stateAt, wholePaperAt } from "./versions.ts";

const paperScope = (args: { readonly id: string }): readonly string[] => [`paper:${args.id}`];
const everything = (): readonly string[] => ["papers"];

/** What a caller saw of a section. */
export interface OfSection {
  readonly id: string;
  readonly section: string;
  readonly version: number | null;
  readonly change: PaperChange;
}

export const paperOperations = defineOperations("paper", {
  create: operation({
    doc: "Makes a paper with its first version.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: {
        readonly id: string;
        readonly owner: string;
        readonly conversation: string | null;
        readonly project: ProjectFields;
        readonly outline: readonly OutlineEntry[];
        readonly change: PaperChange;
      },
    ): WholePaper => {
      if (tx.rows("writing_projects", { id: one.id }, 1).length > 0)
        throw new StoreError("exists", `there is a paper ${one.id} already`);
      const { now } = one.change;
      const row: WritingProjectRow = {
        id: one.id,
        conversation: one.conversation,
        owner: one.owner,
        ...one.project,
        authors: JSON.stringify(one.project.authors),
        version: 0,
        created: now,
        changed: now,
        deleted: null,
      };
      tx.write("writing_projects", row);
      const { changes } = outlineChanges(tx, one.id, one.outline);
      commitChange(tx, row, "create", null, { ...changes, project: one.project }, one.change);
      return wholePaperOf(tx, one.id);
    },
  }),
  get: operation({
    doc: "A paper with its sections and references; nil when there is none.",
    scopes: paperScope,
    reads: true,
    run: (tx: Tx, one: { readonly id: string }): WholePaper | undefined =>
      findProject(tx, one.id) === undefined ? undefined : wholePaperOf(tx, one.id),
  }),
  record: operation({
    doc: "A paper without its sections; nil when there is none.",
    scopes: paperScope,
    reads: true,
    run: (tx: Tx, one: { readonly id: string }): StoredPaper | undefined => {
      const row = findProject(tx, one.id);
      return row === undefined ? undefined : paperRecordOf(row);
    },
  }),
  list: operation({
    doc: "Papers, the newest first.",
    scopes: everything,
    reads: true,
    run: (
      tx: Tx,
      {
        owner = null,
        conversation = null,
        q = "",
        after = null,
        limit = 50,
      }: {
        readonly owner?: string | null;
        readonly conversation?: string | null;
        readonly q?: string;
        readonly after?: string | null;
        readonly limit?: number;
      },
    ): readonly StoredPaper[] => {
      const where = {
        deleted: null,
        ...(owner === null ? {} : { owner }),
        ...(conversation === null ? {} : { conversation }),
      };
      const wanted = q.toLowerCase();
      const found: StoredPaper[] = [];
      for (let before = after; found.length < limit; ) {
        const rows = tx.latest("writing_projects", where, { before, limit: 200 });
        found.push(...rows.filter(({ title }) => title.toLowerCase().includes(wanted)).map(paperRecordOf));
        before = rows.at(-1)?.id ?? null;
        if (rows.length < 200) break;
      }
      return found.slice(0, limit);
    },
  }),
  change: operation({
    doc: "Changes fields of a paper.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: {
        readonly id: string;
        readonly version: number | null;
        readonly set: Partial<ProjectFields>;
        readonly change: PaperChange;
      },
    ): VersionNumber | StaleChange => {
      const row = mustFindProject(tx, one.id);
      if (one.version !== null && one.version !== row.version) return staleProject(row);
      return { version: commitChange(tx, row, "change", null, { project: one.set }, one.change) };
    },
  }),
  remove: operation({
    doc: "Deletes a paper; its versions stay in the store.",
    scopes: paperScope,
    run: (tx: Tx, one: { readonly id: string; readonly now: number }): null => {
      const row = mustFindProject(tx, one.id);
      tx.write("writing_projects", { ...row, deleted: one.now, changed: one.now });
      emitPaperChange(
        tx,
        row,
        { project: row.id, version: row.version, op: "delete", section: null },
        one.now,
      );
      return null;
    },
  }),
  outline: operation({
    doc: "Makes the outline of a paper so; sections with text that it leaves out stay and are given back.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: {
        readonly id: string;
        readonly version: number | null;
        readonly outline: readonly OutlineEntry[];
        readonly change: PaperChange;
      },
    ): (VersionNumber & { readonly kept: readonly string[] }) | StaleChange => {
      const row = mustFindProject(tx, one.id);
      if (one.version !== null && one.version !== row.version) return staleProject(row);
      const { changes, kept } = outlineChanges(tx, one.id, one.outline);
      return { version: commitChange(tx, row, "outline", null, changes, one.change), kept };
    },
  }),
  addSection: operation({
    doc: "Adds a section.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: {
        readonly id: string;
        readonly section: string;
        readonly parent: string | null;
        readonly position: number;
        readonly columns: Pick<SectionColumns, "title" | "label" | "summary" | "state" | "body">;
        readonly pieces: readonly BodyPiece[];
        readonly change: PaperChange;
      },
    ): VersionNumber => {
      const row = mustFindProject(tx, one.id);
      const present = sectionsOf(tx, one.id);
      if (one.parent !== null && !present.some((other) => other.id === one.parent))
        throw missingSection(one.parent);
      if (present.some((other) => other.id === one.section))
        throw new StoreError("exists", `there is a section ${one.section} already`);
      const order = renumbered(present, one.section, one.parent, one.position);
      const label = freeLabel(one.columns.label, new Set(present.map((other) => other.label)));
      const sections = { ...order, [one.section]: { ...order[one.section], ...one.columns, label } };
      return { version: commitChange(tx, row, "add", one.section, { sections }, one.change, one.pieces) };
    },
  }),
  writeSection: operation({
    doc: "Changes text or names of a section.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: OfSection & {
        readonly op: string;
        readonly columns: Partial<SectionColumns>;
        readonly pieces: readonly BodyPiece[];
      },
    ): VersionNumber | StaleChange => {
      const found = freshSection(tx, one);
      if ("stale" in found) return found;
      const { label } = one.columns;
      if (
        label !== undefined &&
        label !== found.now.label &&
        found.all.some((other) => other.label === label)
      )
        throw new StoreError("exists", `another section has the label \`${label}\``);
      const changes = { sections: { [one.section]: one.columns } };
      return { version: commitChange(tx, found.row, one.op, one.section, changes, one.change, one.pieces) };
    },
  }),
  moveSection: operation({
    doc: "Moves a section with all below it.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: OfSection & { readonly parent: string | null; readonly position: number },
    ): VersionNumber | StaleChange => {
      const found = freshSection(tx, one);
      if ("stale" in found) return found;
      const changes = moveChanges(tx, one.id, one.section, one.parent, one.position);
      return { version: commitChange(tx, found.row, "move", one.section, changes, one.change) };
    },
  }),
  removeSection: operation({
    doc: "Takes a section out; its children take its place, versions keep it.",
    scopes: paperScope,
    run: (tx: Tx, one: OfSection): VersionNumber | StaleChange => {
      const found = freshSection(tx, one);
      if ("stale" in found) return found;
      const changes = removalChanges(tx, one.id, one.section);
      return { version: commitChange(tx, found.row, "delete_section", one.section, changes, one.change) };
    },
  }),
  putReferences: operation({
    doc: "Adds references, or replaces those with their keys.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: {
        readonly id: string;
        readonly references: readonly StoredReference[];
        readonly fresh: boolean;
        readonly change: PaperChange;
      },
    ): VersionNumber => {
      const row = mustFindProject(tx, one.id);
      const taken = one.fresh
        ? one.references.find(
            ({ key }) => tx.rows("writing_references", { project: one.id, key }, 1).length > 0,
          )
        : undefined;
      if (taken !== undefined)
        throw new StoreError("exists", `the paper has a reference \`${taken.key}\` already`);
      const references = Object.fromEntries(one.references.map(({ key, ...rest }) => [key, rest]));
      return { version: commitChange(tx, row, "references", null, { references }, one.change) };
    },
  }),
  removeReference: operation({
    doc: "Removes a reference.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: { readonly id: string; readonly key: string; readonly change: PaperChange },
    ): VersionNumber => {
      const row = mustFindProject(tx, one.id);
      if (tx.rows("writing_references", { project: one.id, key: one.key }, 1).length === 0)
        throw new StoreError("missing", `the paper has no reference \`${one.key}\``);
      const changes: Changes = { references: { [one.key]: null } };
      return { version: commitChange(tx, row, "references", null, changes, one.change) };
    },
  }),
  versions: operation({
    doc: "Versions of a paper, the newest first.",
    scopes: paperScope,
    reads: true,
    run: (
      tx: Tx,
      {
        id,
        before = null,
        limit = 50,
      }: { readonly id: string; readonly before?: number | null; readonly limit?: number },
    ): readonly StoredVersion[] => listVersions(tx, id, before, limit),
  }),
  at: operation({
    doc: "A paper as it was at a version.",
    scopes: paperScope,
    reads: true,
    run: (tx: Tx, one: { readonly id: string; readonly n: number }): WholePaper =>
      wholePaperAt(tx, one.id, one.n),
  }),
  restore: operation({
    doc: "Makes a new version that is like an old one.",
    scopes: paperScope,
    run: (
      tx: Tx,
      one: {
        readonly id: string;
        readonly n: number;
        readonly version: number | null;
        readonly change: PaperChange;
      },
    ): VersionNumber | StaleChange => {
      const row = mustFindProject(tx, one.id);
      if (one.version !== null && one.version !== row.version) return staleProject(row);
      const changes = changesBetween(stateAt(tx, one.id, row.version), stateAt(tx, one.id, one.n)) ?? {};
      const because = { ...one.change, note: one.change.note ?? `version ${one.n}` };
      return { version: commitChange(tx, row, "restore", null, changes, because) };
    },
  }),
});

const wholePaperOf = (tx: Tx, of: string): WholePaper => ({
  paper: paperRecordOf(mustFindProject(tx, of)),
  sections: sectionsOf(tx, of),
  references: referencesOf(tx, of),
});

const staleProject = (row: WritingProjectRow): StaleChange => ({
  stale: { version: row.version, section: null },
});

function freshSection(
  tx: Tx,
  one: OfSection,
):
  | StaleChange
  | { readonly row: WritingProjectRow; readonly now: StoredSection; readonly all: readonly StoredSection[] } {
  const row = mustFindProject(tx, one.id);
  const all = sectionsOf(tx, one.id);
  const now = all.find((other) => other.id === one.section);
  if (now === undefined) throw missingSection(one.section);
  if (one.version !== null && one.version !== now.version)
    return { stale: { version: now.version, section: now } };
  return { row, now, all };
}
