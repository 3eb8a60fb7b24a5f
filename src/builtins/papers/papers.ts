/** Writing projects (docs/papers.md): the primitives under `std/paper`. */

import type { StaleChange, WholePaper } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Dict, List, thrown } from "../../values/index.ts";
import type { NewReference } from "../../writing/durable/index.ts";
import { type Argument, optionsOf, typeName } from "../arguments.ts";
import {
  outlineFields,
  paperFields,
  paperListFields,
  paperPlaceFields,
  paperSetFields,
  paperWriteFields,
  referenceFields,
  renderFields,
  sectionFields,
  versionListFields,
} from "../rows/papers.ts";
import { unifiedDiff } from "../text/line-diff.ts";
import { keptJson, keptTitle, keptWords, reading, writing } from "./arguments.ts";
import { inWriting, type RunWriting } from "./run-writing.ts";

/** What a change of a paper gives: `ok` and the version; or that it was changed meanwhile, and what stands there now. */
function changed<T extends object>(answer: T | StaleChange, diffOf?: (text: string) => string): unknown {
  if (!("stale" in answer)) return { ok: true, ...answer };
  const { version, section } = answer.stale;
  const text = section?.body ?? null;
  return {
    ok: false,
    category: "changed",
    error:
      section === null
        ? `the paper was changed meanwhile: it is at version ${version}`
        : `the section was changed meanwhile: its version is ${version}`,
    version,
    text,
    diff: text === null ? null : (diffOf?.(text) ?? null),
  };
}

/** For a model that must merge: `-` is what stands there, `+` what was wanted. */
const mergeLabels = { fromLabel: "now", toLabel: "wanted", context: 3 };

/** Paper, sections and references in one dict. */
const shownPaper = ({ paper, sections, references }: WholePaper): unknown => ({
  ...paper,
  sections,
  references,
});

/** As the rows say; nil counts as absent. */
interface ReferenceInput {
  readonly key?: string | null;
  readonly item?: { readonly [name: string]: Json } | null;
  readonly quote?: string | null;
  readonly library?: string | null;
}

interface PaperOutline {
  readonly id?: string;
  readonly title: string;
  readonly summary?: string;
  readonly sections?: readonly PaperOutline[];
}

/** An outline as given; its rows have been looked at. */
function paperOutline(task: Task, caller: string, input: Argument): readonly PaperOutline[] {
  if (!(input instanceof List))
    throw thrown(
      `${caller}: an outline is a list of {title, summary?, sections?, id?}; got ${typeName(input)}`,
    );
  const check = (nodes: readonly unknown[]): readonly PaperOutline[] =>
    nodes.map((node): PaperOutline => {
      const { title, sections, ...rest } = (node ?? {}) as Partial<PaperOutline>;
      if (typeof title !== "string" || title.trim() === "")
        throw thrown(`${caller}: every section of an outline has a title`);
      const more = Object.entries(rest).filter(([name, value]) => value !== null && !name.startsWith("_"));
      return {
        ...Object.fromEntries(more),
        title: title.trim(),
        ...(sections === undefined || sections === null ? {} : { sections: check(sections) }),
      };
    });
  return check(keptJson(task, input));
}

const paperText = "A paper's id: `p_…`.";
const own = { item: "CSL-JSON: any of its fields", outline: "sections: see `outline`" } as const;

async function renderPaper(
  desk: RunWriting,
  id: string,
  format: string,
  version: number | null,
): Promise<unknown> {
  const { papers, writing: durable, text, sourceText } = desk;
  if (!(text.textFormats as readonly string[]).includes(format))
    throw thrown(
      `paper_render: the formats are ${text.textFormats.join(", ")}; pdf is made by \`harn export paper\``,
    );
  const whole = version === null ? papers.mustGet(id) : papers.stored.at({ id, n: version });
  const made = await text.exportPaper(durable.paperOf(whole, { sourceText }), format as "md");
  return {
    version: whole.paper.version,
    files: made.files.map(({ path, content }) => ({ path, content })),
    findings: made.findings,
  };
}

export const papers = defineBuiltins(
  "papers",
  {
    paper_new: {
      ...writing,
      doc: "Makes a writing project with its first version; gives it like `paper_read`. It belongs to the conversation that the run works for.",
      sig: "(title!: string, options: dict? = nil) -> dict",
      fields: { options: () => paperFields },
      run: (task, title: string, options: Argument) => {
        const words = keptTitle(task, "paper_new", "title", title);
        const input = keptJson<{ readonly [name: string]: never } | null>(task, options) ?? {};
        const read = optionsOf("paper_new", options, paperFields);
        const outline = read.outline === null ? [] : paperOutline(task, "paper_new", read.outline);
        const { outline: _outline, ...fields } = input;
        return inWriting(task, "paper_new", ({ papers: store, owner, conversation, writer }) =>
          shownPaper(store.create({ title: words, owner, conversation, ...fields, outline }, writer())),
        );
      },
    },
    paper_read: {
      ...reading,
      doc: "A paper: its fields, `sections` in order, each `{id, parent, position, depth, title, label, body, summary, state, version, changed}`, and `references`, each `{key, item, verified, origin, quote}`. With a version as it was then.",
      sig: "(paper!: string, version!: int? = nil) -> dict",
      run: (task, id: string, version?: number | null) =>
        inWriting(task, "paper_read", ({ papers: store }) => {
          const n = version ?? null;
          return shownPaper(n === null ? store.mustGet(id) : store.stored.at({ id: id, n }));
        }),
    },
    paper_find: {
      ...reading,
      doc: "Papers without their texts, the newest first.",
      sig: "(options: dict? = nil) -> list<dict>",
      fields: { options: () => paperListFields },
      example: "paper_find()  // []",
      run: (task, options: Argument) => {
        const read = optionsOf("paper_find", options, paperListFields);
        return inWriting(task, "paper_find", ({ papers: store, conversation }) =>
          store.stored.list({
            q: read.q,
            conversation: read.all ? null : conversation,
            limit: read.limit,
          }),
        );
      },
    },
    paper_set: {
      ...writing,
      doc: "Changes fields of a paper. With a version that is not the newest nothing changes.",
      sig: "(paper!: string, fields!: dict, version!: int? = nil) -> dict",
      fields: { fields: () => paperSetFields },
      run: (task, id: string, fields: Dict, version?: number | null) => {
        const set = keptJson<{ readonly [name: string]: never }>(task, fields);
        const present = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null));
        if (Object.keys(present).length === 0) throw thrown("paper_set: name a field and its new value");
        return inWriting(task, "paper_set", ({ papers: store, writer }) =>
          changed(store.change(id, present, version ?? null, writer())),
        );
      },
    },
    paper_arrange: {
      ...writing,
      doc: "Makes the outline of a paper so: sections with an `id` are kept and renamed or moved, others are added. One that is left out goes when nothing was written in it; otherwise it stays, and its id is in `kept`.",
      sig: "(paper!: string, outline: list<dict>, version!: int? = nil) -> dict",
      fields: { outline: () => outlineFields },
      run: (task, id: string, outline: Argument, version?: number | null) => {
        const tree = paperOutline(task, "paper_arrange", outline);
        return inWriting(task, "paper_arrange", ({ papers: store, writer }) =>
          changed(store.outline(id, tree, version ?? null, writer())),
        );
      },
    },
    paper_insert: {
      ...writing,
      doc: "Adds a section; gives `{ok, version, section}`, the section by its id.",
      sig: "(paper!: string, section: dict) -> dict",
      fields: { section: () => sectionFields },
      run: (task, id: string, section: Argument) => {
        const read = optionsOf("paper_insert", section, sectionFields);
        const title = keptTitle(task, "paper_insert", "title", read.title);
        const made = {
          title,
          body: keptWords(task, read.body ?? ""),
          summary: keptWords(task, read.summary ?? ""),
          position: read.position,
        };
        return inWriting(task, "paper_insert", ({ papers: store, writer }) => {
          const { parent } = read;
          const above = parent === null ? null : store.mustFindSection(id, parent).id;
          return changed(store.addSection(id, { ...made, parent: above }, writer()));
        });
      },
    },
    paper_write: {
      ...writing,
      doc: 'Writes the text of a section, named by id or label, as Markdown. With a `version` that is not the section\'s nothing changes: `{ok: false, category: "changed", error, version, text, diff}`.',
      sig: "(paper!: string, section!: string, text!: string, options: dict? = nil) -> dict",
      fields: { options: () => paperWriteFields },
      run: (task, id: string, section: string, text: string, options: Argument) => {
        const read = optionsOf("paper_write", options, paperWriteFields);
        const body = keptWords(task, text);
        const fields = { body, ...textsOf(task, "paper_write", read, ["title", "summary", "label"]) };
        if (fields.label !== undefined && !/^[a-z0-9][a-z0-9-]*$/.test(fields.label))
          throw thrown("paper_write: a label has small letters, digits and hyphens: method-1");
        return inWriting(task, "paper_write", ({ papers: store, writer }) =>
          changed(
            store.writeSection(id, section, fields, read.version, writer(read.note ?? undefined)),
            (now) => unifiedDiff(task, `${now}\n`, `${body}\n`, mergeLabels),
          ),
        );
      },
    },
    paper_replace: {
      ...writing,
      doc: 'Replaces exactly one occurrence in the text of a section; none or several change nothing: `{ok: false, category: "not_one", error, found}`.',
      sig: '(paper!: string, section!: string, old: string != "", new!: string, version!: int? = nil) -> dict',
      run: (task, id: string, section: string, old: string, fresh: string, version?: number | null) => {
        const wanted = keptWords(task, old);
        const replacement = keptWords(task, fresh);
        return inWriting(task, "paper_replace", ({ papers: store, writer }) => {
          const answer = store.editSection(id, section, wanted, replacement, version ?? null, writer());
          if (!("found" in answer)) return changed(answer);
          const times = answer.found === 0 ? "does not occur in" : `occurs ${answer.found} times in`;
          return {
            ok: false,
            category: "not_one",
            error: `the text to replace ${times} the section; it must be there exactly once`,
            found: answer.found,
          };
        });
      },
    },
    paper_place: {
      ...writing,
      doc: "Moves a section, with those in it, to a place among the sections of `parent` (nil: the top).",
      sig: "(paper!: string, section!: string, options: dict) -> dict",
      fields: { options: () => paperPlaceFields },
      run: (task, id: string, section: string, options: Argument) => {
        const read = optionsOf("paper_place", options, paperPlaceFields);
        const to = { parent: read.parent, position: read.position };
        return inWriting(task, "paper_place", ({ papers: store, writer }) =>
          changed(store.moveSection(id, section, to, read.version, writer())),
        );
      },
    },
    paper_drop: {
      ...writing,
      doc: "Takes a section out of a paper: its versions keep it, the sections in it take its place. Without a section the paper is deleted.",
      sig: "(paper!: string, section!: string? = nil, version!: int? = nil) -> dict",
      run: (task, id: string, section?: string | null, version?: number | null) =>
        inWriting(task, "paper_drop", ({ papers: store, writer }) => {
          const [by, paper] = [writer(), id];
          const seen = version ?? null;
          // Only nil means the whole paper: a section of a wrong type must not.
          if (section !== undefined && section !== null)
            return changed(store.removeSection(paper, section, seen, by));
          if (seen !== null)
            throw thrown("paper_drop: a version is that of a section; a paper goes as it is");
          store.remove(paper, by.key);
          return { ok: true };
        }),
    },
    paper_history: {
      ...reading,
      doc: "Versions of a paper, the newest first: `{n, at, by, run, op, note, section}`.",
      sig: "(paper!: string, options: dict? = nil) -> list<dict>",
      fields: { options: () => versionListFields },
      run: (task, id: string, options: Argument) => {
        const read = optionsOf("paper_history", options, versionListFields);
        return inWriting(task, "paper_history", ({ papers: store }) =>
          store.stored.versions({
            id: id,
            before: read.before,
            limit: read.limit,
          }),
        );
      },
    },
    paper_revert: {
      ...writing,
      doc: "Makes a new version that is like an old one.",
      sig: "(paper!: string, n!: int, version!: int? = nil) -> dict",
      run: (task, id: string, n: number, version?: number | null) =>
        inWriting(task, "paper_revert", ({ papers: store, writer }) =>
          changed(
            store.by(writer()).restore({
              id: id,
              n: n,
              version: version ?? null,
            }),
          ),
        ),
    },
    paper_cite: {
      ...writing,
      doc: "Adds references: CSL-JSON under `item`, or the key of one of the library under `library`. What is given here is unverified; one of the library keeps what it has. Gives `{ok, version, keys}`.",
      sig: "(paper!: string, references!: list<dict>) -> dict",
      fields: { references: () => referenceFields },
      run: (task, id: string, references: List) => {
        const inputs = keptJson<readonly ReferenceInput[]>(task, references);
        if (inputs.some(({ item, library }) => item == null && library == null))
          throw thrown("paper_cite: a reference has an `item` (CSL-JSON), or names one of the `library`");
        return inWriting(task, "paper_cite", ({ papers: store, library, writer }) => {
          const rows = inputs.map(({ key, item, quote, library: kept }): NewReference => {
            const own = { ...(key == null ? {} : { key }), quote: quote ?? "" };
            if (kept == null) return { ...own, item: item ?? {} };
            const entry = library.stored.get({ key: kept });
            if (entry === undefined)
              throw thrown(`paper_cite: the library has no reference \`${kept}\`; library_find looks for it`);
            const origin = entry.source === null ? entry.origin : { ...entry.origin, source: entry.source };
            return { key: kept, ...own, item: entry.item, verified: entry.verified, origin };
          });
          return changed(store.putReferences(id, rows, writer()));
        });
      },
    },
    paper_uncite: {
      ...writing,
      doc: "Removes a reference from a paper.",
      sig: "(paper!: string, key!: string) -> dict",
      run: (task, id: string, key: string) =>
        inWriting(task, "paper_uncite", ({ papers: store, writer }) =>
          changed(
            store.by(writer()).removeReference({
              id: id,
              key: key,
            }),
          ),
        ),
    },
    paper_import_bibtex: {
      ...writing,
      doc: "Adds the references of a BibTeX text, unverified; gives `{ok, version, keys, problems}`, a problem for each entry that can't be read: `{line, message}`.",
      sig: "(paper!: string, bibtex!: string) -> dict",
      run: (task, id: string, bibtex: string) => {
        const kept = keptWords(task, bibtex);
        return inWriting(task, "paper_import_bibtex", ({ papers: store, text, writer }) => {
          const { references, problems } = text.referencesOfBibtex(kept);
          return {
            ...(changed(store.importReferences(id, references, writer())) as object),
            problems,
          };
        });
      },
    },
    paper_findings: {
      ...reading,
      doc: "What is wrong with a paper, each `{kind, section, offset, text}`: citations without a reference, references that nobody verified or cites, labels that are not there and so on.",
      sig: "(paper!: string, version!: int? = nil) -> list<dict>",
      run: (task, id: string, version?: number | null) =>
        inWriting(task, "paper_findings", ({ papers: store, writing: durable, text, sourceText }) => {
          const n = version ?? null;
          const whole = n === null ? store.mustGet(id) : store.stored.at({ id: id, n });
          return text.checkPaper(durable.paperOf(whole, { sourceText }));
        }),
    },
    paper_render: {
      ...reading,
      doc: "A paper in a format, `md`, `latex`, `bib`, `html` or `json`: `{version, files, findings}`, each file `{path, content}`.",
      sig: "(paper!: string, format!: string, options: dict? = nil) -> dict",
      fields: { options: () => renderFields },
      run: (task, id: string, format: string, options: Argument) => {
        const read = optionsOf("paper_render", options, renderFields);
        return inWriting(task, "paper_render", (desk) => renderPaper(desk, id, format, read.version));
      },
    },
  },
  { paper: paperText, ...own },
);

function textsOf<T extends string>(
  task: Task,
  _caller: string,
  read: { readonly [name in T]: string | null },
  names: readonly T[],
): { readonly [name in T]?: string } {
  const input = names.flatMap((name) => {
    const value = read[name];
    return value === null ? [] : [[name, keptWords(task, value)] as const];
  });
  return Object.fromEntries(input) as { readonly [name in T]?: string };
}
