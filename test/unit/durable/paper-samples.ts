/** One or more calls of every operation of papers, library, notes and sources. */

import type { Json } from "../../../src/effects/index.ts";
import { sha256 } from "../../../src/store/checked-text.ts";
import type { Sample } from "./samples.ts";

const p: { readonly [name: string]: Json } = { id: "p_1" };
const change: Json = { by: "ann", run: "run-1", note: null, now: 70 };
const project: Json = {
  title: "On papers",
  authors: ["Ann"],
  abstract: "",
  language: "en",
  citation_style: "numeric",
  state: "outline",
};
const entry = (id: string, more: { readonly [name: string]: Json } = {}): Json => ({
  id,
  isNew: true,
  parent: null,
  title: id,
  summary: null,
  label: "intro",
  ...more,
});
const made: { readonly [name: string]: Json } = { ...p, owner: "ann", conversation: null, project, change };
const create: readonly [string, Json] = [
  "paper.create",
  { ...made, outline: [entry("s_1"), entry("s_2", { parent: "s_1" }), entry("s_3")] },
];
const hash = sha256('"Hello"');
const pieces: Json = [{ hash, text: '"Hello"' }];
const write: readonly [string, Json] = [
  "paper.write_section",
  {
    ...p,
    section: "s_2",
    version: 1,
    op: "write",
    columns: { body: hash, state: "drafted" },
    pieces,
    change,
  },
];
const reference: Json = {
  key: "doe2020",
  item: { title: "T" },
  verified: true,
  origin: { adapter: "crossref" },
  quote: "",
};
const put: readonly [string, Json] = [
  "paper.put_references",
  { ...p, references: [reference], fresh: true, change },
];
const ofSection: { readonly [name: string]: Json } = { ...p, section: "s_2", version: null, change };

const libraryEntry: { readonly [name: string]: Json } = {
  key: "doe2020",
  item: { title: "Röntgen rays", type: "book" },
  verified: true,
  origin: null,
  source: null,
  added: 5,
};
const inLibrary: readonly [string, Json] = ["library.put", { entry: libraryEntry, fresh: false }];
const note: readonly [string, Json] = [
  "note.write",
  { conversation: "c_1", title: "Idea", text: "Look at rays", tags: ["todo"], at: 5 },
];
const source: readonly [string, Json] = [
  "source.add",
  {
    source: { id: "src_1", conversation: "c_1", url: "https://a.b", title: "A", fetched: 5, hash, chars: 5 },
    text: '"Hello"',
  },
];

export const paperSamples: readonly Sample[] = [
  {
    operation: "paper.create",
    args: create[1],
    result:
      /^\{"paper":\{"id":"p_1",.*"version":1.*"sections":\[\{"id":"s_1".*"id":"s_2".*"depth":2.*"label":"intro-3"/,
  },
  {
    operation: "paper.create",
    before: [create],
    args: create[1],
    result: "exists: there is a paper p_1 already",
  },
  {
    operation: "paper.create",
    args: { ...made, outline: [entry("s_1", { parent: "s_9" })] },
    result: "missing: the paper has no section s_9",
  },
  { operation: "paper.get", args: p, result: "null" },
  { operation: "paper.get", before: [create, write], args: p, result: /"body":"Hello".*"version":2/ },
  { operation: "paper.record", before: [create], args: p, result: /^\{"id":"p_1".*"authors":\["Ann"\]/ },
  {
    operation: "paper.list",
    before: [create],
    args: { owner: "ann", conversation: null, q: "PAPER", after: null, limit: 5 },
    result: /^\[\{"id":"p_1"/,
  },
  {
    operation: "paper.list",
    before: [create],
    args: { owner: "bob", conversation: null, q: "", after: null, limit: 5 },
    result: "[]",
  },
  {
    operation: "paper.change",
    before: [create],
    args: { ...p, version: 1, set: { title: "New" }, change },
    result: '{"version":2}',
  },
  {
    operation: "paper.change",
    before: [create],
    args: { ...p, version: 7, set: { title: "New" }, change },
    result: '{"stale":{"version":1,"section":null}}',
  },
  { operation: "paper.remove", before: [create], args: { ...p, now: 80 }, result: "null" },
  { operation: "paper.remove", args: { ...p, now: 80 }, result: "missing: there is no paper p_1" },
  {
    operation: "paper.outline",
    before: [create, write],
    args: { ...p, version: null, outline: [entry("s_3", { isNew: false })], change },
    result: '{"version":3,"kept":["s_1","s_2"]}',
  },
  {
    operation: "paper.outline",
    before: [create],
    args: { ...p, version: null, outline: [entry("s_3", { isNew: false })], change },
    result: '{"version":2,"kept":[]}',
  },
  {
    operation: "paper.outline",
    before: [create],
    args: { ...p, version: null, outline: [entry("s_9", { isNew: false })], change },
    result: "missing: the paper has no section s_9",
  },
  {
    operation: "paper.add_section",
    before: [create],
    args: {
      ...p,
      section: "s_4",
      parent: "s_1",
      position: 0,
      columns: { title: "Four", label: "intro", summary: "", state: "drafted", body: hash },
      pieces,
      change,
    },
    result: '{"version":2}',
  },
  { operation: "paper.write_section", before: [create], args: write[1], result: '{"version":2}' },
  {
    operation: "paper.write_section",
    before: [create, write],
    args: write[1],
    result: /^\{"stale":\{"version":2,"section":\{"id":"s_2".*"body":"Hello"/,
  },
  {
    operation: "paper.write_section",
    before: [create],
    args: { ...ofSection, op: "rename", columns: { label: "intro-3" }, pieces: [] },
    result: "exists: another section has the label `intro-3`",
  },
  {
    operation: "paper.move_section",
    before: [create],
    args: { ...ofSection, parent: null, position: 0 },
    result: '{"version":2}',
  },
  {
    operation: "paper.move_section",
    before: [create],
    args: { ...ofSection, section: "s_1", parent: "s_2", position: 0 },
    result: "invalid: a section can't be moved into itself",
  },
  { operation: "paper.remove_section", before: [create], args: ofSection, result: '{"version":2}' },
  { operation: "paper.put_references", before: [create], args: put[1], result: '{"version":2}' },
  {
    operation: "paper.put_references",
    before: [create, put],
    args: put[1],
    result: "exists: the paper has a reference `doe2020` already",
  },
  {
    operation: "paper.remove_reference",
    before: [create, put],
    args: { ...p, key: "doe2020", change },
    result: '{"version":3}',
  },
  {
    operation: "paper.remove_reference",
    before: [create],
    args: { ...p, key: "doe2020", change },
    result: "missing: the paper has no reference `doe2020`",
  },
  {
    operation: "paper.versions",
    before: [create, write],
    args: { ...p, before: null, limit: 5 },
    result: /^\[\{"n":2,"at":70,"by":"ann","run":"run-1","op":"write","note":null,"section":"s_2"\},\{"n":1,/,
  },
  { operation: "paper.at", before: [create, write], args: { ...p, n: 1 }, result: /"version":1.*"body":""/ },
  { operation: "paper.at", before: [create, write], args: { ...p, n: 2 }, result: /"body":"Hello"/ },
  {
    operation: "paper.restore",
    before: [create, write],
    args: { ...p, n: 1, version: null, change },
    result: '{"version":3}',
  },
  { operation: "library.put", args: inLibrary[1], result: "true" },
  {
    operation: "library.put",
    before: [inLibrary],
    args: { entry: libraryEntry, fresh: true },
    result: "false",
  },
  { operation: "library.get", before: [inLibrary], args: { key: "doe2020" }, result: /^\{"key":"doe2020"/ },
  {
    operation: "library.search",
    before: [inLibrary],
    args: { words: ["rays"], limit: 5 },
    result: /^\[\{"key":"doe2020"/,
  },
  { operation: "library.search", before: [inLibrary], args: { words: ["title"], limit: 5 }, result: "[]" },
  { operation: "library.search", before: [inLibrary], args: { words: [], limit: 5 }, result: /doe2020/ },
  { operation: "library.remove", before: [inLibrary], args: { key: "doe2020" }, result: "true" },
  { operation: "note.write", args: note[1], result: "1" },
  {
    operation: "note.search",
    before: [note],
    args: { conversation: "c_1", words: ["rays"], tag: "todo", limit: 5 },
    result: /^\[\{"id":1,"conversation":"c_1","title":"Idea"/,
  },
  {
    operation: "note.search",
    before: [note],
    args: { conversation: "c_2", words: ["rays"], tag: null, limit: 5 },
    result: "[]",
  },
  {
    operation: "note.search",
    before: [note],
    args: { conversation: "c_1", words: [], tag: "other", limit: 5 },
    result: "[]",
  },
  { operation: "note.remove", before: [note], args: { conversation: "c_1", id: 1 }, result: "true" },
  { operation: "note.remove", before: [note], args: { conversation: "c_2", id: 1 }, result: "false" },
  { operation: "source.add", args: source[1], result: /^\{"id":"src_1"/ },
  { operation: "source.get", before: [source], args: { id: "src_1" }, result: /"text":"Hello"\}$/ },
  { operation: "source.get", args: { id: "src_9" }, result: "null" },
  {
    operation: "source.list",
    before: [source],
    args: { conversation: "c_1", limit: 5 },
    result: /^\[\{"id":"src_1"/,
  },
];
