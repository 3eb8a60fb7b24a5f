/** A project as it was: the changes of its versions, one on the other. */
import { StoreError } from "../../../store/index.ts";
import type { Tx } from "../../tx.ts";
import {
  Bodies,
  type Changes,
  inOrder,
  mustFindProject,
  paperRecordOf,
  type ReferenceColumns,
  type SectionColumns,
} from "./changes.ts";
import type { ProjectFields, StoredSection, StoredVersion, WholePaper } from "./record.ts";

export interface VersionState {
  readonly project: ProjectFields;
  readonly sections: ReadonlyMap<string, SectionColumns & { readonly changed: number }>;
  readonly references: ReadonlyMap<string, ReferenceColumns>;
}

const firstProject: ProjectFields = {
  title: "",
  authors: [],
  abstract: "",
  language: "en",
  citation_style: "numeric",
  state: "outline",
};
const firstSection: SectionColumns = {
  parent: null,
  position: 0,
  title: "",
  label: "",
  body: "",
  summary: "",
  state: "planned",
  version: 0,
};

const maxRows = 10_000_000;

/** The project at version `n`. Throws a `StoreError` "missing" when there is no such version. */
export function stateAt(tx: Tx, id: string, n: number): VersionState {
  const { version } = mustFindProject(tx, id);
  if (n < 1 || n > version)
    throw new StoreError("missing", `the paper ${id} has no version ${n}: it has 1 to ${version}`);
  let project = firstProject;
  const sections = new Map<string, SectionColumns & { readonly changed: number }>();
  const references = new Map<string, ReferenceColumns>();
  const rows = [...tx.rows("writing_versions", { project: id }, maxRows)].sort((a, b) => a.n - b.n);
  for (const row of rows) {
    if (row.n > n) break;
    const changes = JSON.parse(row.changes) as Changes;
    project = { ...project, ...changes.project };
    for (const [key, columns] of Object.entries(changes.sections ?? {})) {
      if (columns === null) sections.delete(key);
      else
        sections.set(key, {
          ...(sections.get(key) ?? firstSection),
          ...columns,
          version: row.n,
          changed: row.at,
        });
    }
    for (const [key, columns] of Object.entries(changes.references ?? {})) {
      if (columns === null) references.delete(key);
      else references.set(key, columns);
    }
  }
  return { project, sections, references };
}

/** The same with its texts. */
export function wholePaperAt(tx: Tx, id: string, n: number): WholePaper {
  const { project, sections, references } = stateAt(tx, id, n);
  const bodies = new Bodies(tx, [], id);
  const rows = [...sections].map(([key, { body, ...rest }]) => ({
    id: key,
    ...rest,
    body: bodies.text(body),
  }));
  return {
    paper: { ...paperRecordOf(mustFindProject(tx, id)), ...project, version: n },
    sections: inOrder(rows) as readonly StoredSection[],
    references: [...references]
      .map(([key, columns]) => ({ key, ...columns }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

/** What leads from one state to another; undefined when nothing does. */
export function changesBetween(from: VersionState, to: VersionState): Changes | undefined {
  const sections: { [id: string]: Partial<SectionColumns> | null } = {};
  for (const id of from.sections.keys()) if (!to.sections.has(id)) sections[id] = null;
  for (const [id, { version: _version, changed: _changed, ...columns }] of to.sections) {
    const now = from.sections.get(id);
    if (now !== undefined && sameColumns(columns, now)) continue;
    sections[id] = columns;
  }
  const references: { [key: string]: ReferenceColumns | null } = {};
  for (const key of from.references.keys()) if (!to.references.has(key)) references[key] = null;
  for (const [key, columns] of to.references)
    if (JSON.stringify(from.references.get(key)) !== JSON.stringify(columns)) references[key] = columns;
  const isSame = JSON.stringify(from.project) === JSON.stringify(to.project);
  if (isSame && Object.keys(sections).length + Object.keys(references).length === 0) return undefined;
  return { ...(isSame ? {} : { project: to.project }), sections, references };
}

const sameColumns = (columns: Omit<SectionColumns, "version">, now: SectionColumns): boolean =>
  (Object.keys(columns) as (keyof typeof columns)[]).every((name) => columns[name] === now[name]);

/** The newest first, below `before` (null: from the end). */
export function listVersions(
  tx: Tx,
  id: string,
  before: number | null,
  limit: number,
): readonly StoredVersion[] {
  mustFindProject(tx, id);
  return tx.latest("writing_versions", { project: id }, { before, limit }).map((row) => {
    const { section } = JSON.parse(row.changes) as { readonly section?: string | null };
    const { n, at, by, run, op, note } = row;
    return { n, at, by, run, op, note, section: section ?? null };
  });
}
