/** The library of references, notes of a conversation, and pages that were fetched (docs/papers.md). */

import { defineBuiltins } from "../../table/index.ts";
import { type Dict, thrown } from "../../values/index.ts";
import { type Argument, optionsOf } from "../arguments.ts";
import { findFields, libraryFields, noteFindFields, notePutFields } from "../rows/papers.ts";
import { keptJson, keptTitle, keptWords, reading, writing } from "./arguments.ts";
import { inWriting } from "./run-writing.ts";

export const library = defineBuiltins("library", {
  library_put: {
    ...writing,
    doc: "Keeps a reference (CSL-JSON) in the project's library; the same work is kept once, by its DOI, arXiv number or address. `source` is a page that was fetched: with it, or with the `origin` of a register, the reference is verified.",
    sig: "(item!: dict, options: dict? = nil) -> dict",
    fields: { item: "CSL-JSON: any of its fields", options: () => libraryFields },
    run: (task, item: Dict, options: Argument) => {
      const read = optionsOf("library_put", options, libraryFields);
      const fields = keptJson<{ readonly [name: string]: never }>(task, item);
      if (typeof fields.title !== "string" || (fields.title as string).trim() === "")
        throw thrown("library_put: must have a title");
      const origin = keptJson<{ readonly [name: string]: never } | null>(task, read.origin);
      const source = read.source;
      return inWriting(task, "library_put", ({ library: kept, sources, writer }) => {
        if (source !== null && sources.stored.get({ id: source }) === undefined)
          throw thrown(`library_put: no page ${source} was kept`);
        // A register is asked by the program, a page by its source: what a model says itself has neither.
        const verified = source !== null || origin?.adapter !== undefined;
        return kept.add({ key: read.key ?? undefined, item: fields, verified, origin, source }, writer().key);
      });
    },
  },
  library_read: {
    ...reading,
    doc: "A reference of the library: `{key, item, verified, origin, source, added}`; nil when there is none.",
    sig: "(key!: string) -> dict?",
    example: 'library_read("nobody2020")  // nil',
    run: (task, key: string) =>
      inWriting(task, "library_read", ({ library: kept }) => kept.stored.get({ key: key }) ?? null),
  },
  library_find: {
    ...reading,
    doc: "References of the library that have all words of a text, the best first; for an empty text the newest.",
    sig: "(query!: string, options: dict? = nil) -> list<dict>",
    fields: { options: () => findFields },
    example: 'library_find("anything")  // []',
    run: (task, query: string, options: Argument) => {
      const read = optionsOf("library_find", options, findFields);
      return inWriting(task, "library_find", ({ library: kept }) => kept.search(query, read.limit));
    },
  },
  library_drop: {
    ...writing,
    doc: "Removes a reference from the library; false when there is none. Papers that cite it keep it.",
    sig: "(key!: string) -> bool",
    run: (task, key: string) =>
      inWriting(task, "library_drop", ({ library: kept, writer }) => kept.remove(key, writer().key)),
  },
  bibtex_parse: {
    ...reading,
    doc: "The references of a BibTeX text as CSL-JSON: `{references: [{key, item}], problems: [{line, message}]}`. What can't be read is a problem, the rest is taken.",
    sig: "(text!: string) -> dict",
    example:
      'bibtex_parse("@misc{a, title = {T}}").references  // [{item: {title: T, type: document}, key: a}]',
    run: (task, text: string) =>
      inWriting(task, "bibtex_parse", (desk) => desk.text.referencesOfBibtex(text)),
  },
  note_put: {
    ...writing,
    doc: "Keeps a note of the conversation that the run works for; gives its number.",
    sig: "(title!: string, text!: string, options: dict? = nil) -> int",
    fields: { options: () => notePutFields },
    run: (task, title: string, text: string, options: Argument) => {
      const read = optionsOf("note_put", options, notePutFields);
      const note = {
        title: keptTitle(task, "note_put", "title", title),
        text: keptWords(task, text),
        tags: keptJson<string[]>(task, read.tags) ?? [],
      };
      return inWriting(task, "note_put", ({ notes, conversation, writer }) =>
        notes.write(conversation ?? "", note, writer().key),
      );
    },
  },
  note_find: {
    ...reading,
    doc: "Notes of the conversation that have all words of a text, the best first; for an empty text the newest: `{id, conversation, title, text, tags, at}`.",
    sig: "(query!: string, options: dict? = nil) -> list<dict>",
    fields: { options: () => noteFindFields },
    example: 'note_find("anything")  // []',
    run: (task, query: string, options: Argument) => {
      const read = optionsOf("note_find", options, noteFindFields);
      return inWriting(task, "note_find", ({ notes, conversation }) =>
        notes.search(conversation ?? "", query, {
          tag: read.tag,
          limit: read.limit,
        }),
      );
    },
  },
  note_drop: {
    ...writing,
    doc: "Removes a note of the conversation; false when there is none.",
    sig: "(id!: int) -> bool",
    run: (task, id: number) =>
      inWriting(task, "note_drop", ({ notes, conversation, writer }) =>
        notes.remove(conversation ?? "", id, writer().key),
      ),
  },
  source_put: {
    ...writing,
    doc: "Keeps the text of a page that was fetched: `{id, conversation, url, title, fetched, hash, chars}`. References that name it are verified, and their quotes are looked for in it.",
    sig: "(url!: string, title!: string, text!: string) -> dict",
    run: (task, url: string, title: string, text: string) => {
      const page = {
        url: keptTitle(task, "source_put", "url", url),
        title: keptWords(task, title),
        text: keptWords(task, text),
      };
      return inWriting(task, "source_put", ({ sources, conversation, writer }) =>
        sources.add(conversation ?? "", page, writer().key),
      );
    },
  },
  source_read: {
    ...reading,
    doc: "A page that was kept, with its `text`; nil when there is none.",
    sig: "(id!: string) -> dict?",
    example: 'source_read("src_none")  // nil',
    run: (task, id: string) =>
      inWriting(task, "source_read", ({ sources }) => sources.stored.get({ id: id }) ?? null),
  },
  source_find: {
    ...reading,
    doc: "The pages that were kept for the conversation, the newest first.",
    sig: "(options: dict? = nil) -> list<dict>",
    fields: { options: () => findFields },
    example: "source_find()  // []",
    run: (task, options: Argument) => {
      const read = optionsOf("source_find", options, findFields);
      return inWriting(task, "source_find", ({ sources, conversation }) =>
        sources.stored.list({ conversation: conversation ?? "", limit: read.limit }),
      );
    },
  },
});
