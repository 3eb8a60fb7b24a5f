/**
 * Writing projects for those who are asked synchronously. Every change is one durable transaction and one version; what it
 * names must be as the caller saw it, or nothing changes and what is there now is given back. Throws `StoreError`s: "missing",
 * "exists", "invalid".
 */
import {
  type ClientOf,
  clientOf,
  type Engine,
  missingPaper,
  missingSection,
  type OutlineEntry,
  paperOperations,
  type StaleChange,
  type StoredReference,
  type StoredSection,
  type WholePaper,
} from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { presentFields } from "../../values/index.ts";
import {
  type CslItem,
  headingLabel,
  type ImportedReference,
  normaliseSource,
  referenceKey,
} from "../text/index.ts";
import { checkKey } from "./reference-key.ts";
import type { Writer, WritingStore } from "./writing-store.ts";

/** What somebody wants of an outline: sections with those below them. */
export interface OutlineNode {
  /** Absent: a new section. */
  readonly id?: string | undefined;
  readonly title: string;
  readonly summary?: string | undefined;
  readonly sections?: readonly OutlineNode[] | undefined;
}

export interface NewPaper {
  readonly title: string;
  readonly owner: string;
  readonly conversation?: string | null;
  readonly authors?: readonly string[];
  readonly abstract?: string;
  readonly language?: string;
  readonly citation_style?: string;
  readonly outline?: readonly OutlineNode[];
}

export interface PaperFields {
  readonly title?: string | undefined;
  readonly authors?: readonly string[] | undefined;
  readonly abstract?: string | undefined;
  readonly language?: string | undefined;
  readonly citation_style?: string | undefined;
  readonly state?: string | undefined;
}

export interface SectionFields {
  readonly body?: string | undefined;
  readonly title?: string | undefined;
  readonly label?: string | undefined;
  readonly summary?: string | undefined;
  readonly state?: string | undefined;
}

export interface NewReference {
  /** Absent: made from the item. */
  readonly key?: string | undefined;
  readonly item: CslItem;
  readonly verified?: boolean;
  readonly origin?: { readonly [name: string]: Json } | null;
  readonly quote?: string;
}

export interface ChangedPaper {
  readonly version: number;
}

/** The operations on papers, for somebody who changes them. */
type PaperWriter = ClientOf<typeof paperOperations, "change">;

export class Papers {
  readonly stored: ClientOf<typeof paperOperations>;
  private readonly desk: WritingStore;

  constructor(desk: WritingStore) {
    this.desk = desk;
    this.stored = new (clientOf(paperOperations))(desk.operations);
  }

  /** Each in one transaction, and once where the writer has a key. */
  by(writer: Writer): PaperWriter {
    const engine: Engine = {
      operateSync: (operation, args) =>
        this.once(writer, () =>
          this.desk.operations.operateSync(operation, { ...args, change: this.desk.change(writer) }),
        ),
    };
    return new (clientOf(paperOperations))(engine) as unknown as PaperWriter;
  }

  /** The same inside a transaction that has the key. */
  private within(writer: Writer): PaperWriter {
    return this.by({ ...writer, key: undefined });
  }

  create(made: NewPaper, writer: Writer): WholePaper {
    return this.once(writer, () => {
      const id = `p_${this.desk.machine.uuid()}`;
      return this.within(writer).create({
        id,
        owner: made.owner,
        conversation: made.conversation ?? null,
        project: {
          title: made.title,
          authors: made.authors ?? [],
          abstract: normaliseSource(made.abstract ?? ""),
          language: made.language ?? "en",
          citation_style: made.citation_style ?? "numeric",
          state: "outline",
        },
        outline: this.entries(made.outline ?? []),
      });
    });
  }

  mustGet(id: string): WholePaper {
    const found = this.stored.get({ id });
    if (found === undefined) throw missingPaper(id);
    return found;
  }

  change(
    id: string,
    { abstract, ...fields }: PaperFields,
    version: number | null,
    writer: Writer,
  ): ChangedPaper | StaleChange {
    const set = presentFields({
      ...fields,
      abstract: abstract === undefined ? undefined : normaliseSource(abstract),
    });
    return this.by(writer).change({ id, version, set: set as never });
  }

  remove(id: string, key?: string): void {
    const args = { id, now: this.desk.machine.now() };
    this.desk.once(key, () => this.stored.remove(args));
  }

  outline(
    id: string,
    tree: readonly OutlineNode[],
    version: number | null,
    writer: Writer,
  ): (ChangedPaper & { readonly kept: readonly string[] }) | StaleChange {
    return this.once(writer, () => this.within(writer).outline({ id, version, outline: this.entries(tree) }));
  }

  addSection(
    id: string,
    made: SectionFields & {
      readonly title: string;
      readonly parent?: string | null;
      readonly position?: number | null;
    },
    writer: Writer,
  ): ChangedPaper & { readonly section: string } {
    return this.once(writer, () => {
      const section = this.newSection();
      const { hash, pieces } = this.desk.piece(normaliseSource(made.body ?? ""));
      const { version } = this.within(writer).addSection({
        id,
        section,
        parent: made.parent ?? null,
        position: made.position ?? 1_000_000,
        columns: {
          title: made.title,
          label: made.label ?? headingLabel(made.title, () => false),
          summary: made.summary ?? "",
          state: made.state ?? (hash === "" ? "planned" : "drafted"),
          body: hash,
        },
        pieces,
      });
      return { version, section };
    });
  }

  /** `version`: that of the section which the caller saw; null: whatever it is. */
  writeSection(
    id: string,
    section: string,
    { body, ...fields }: SectionFields,
    version: number | null,
    writer: Writer,
    op: "write" | "edit" = "write",
  ): ChangedPaper | StaleChange {
    return this.once(writer, () => {
      const now = this.mustFindSection(id, section);
      const text = body === undefined ? undefined : this.desk.piece(normaliseSource(body));
      const state = fields.state ?? (text === undefined ? undefined : stateAfter(now, body ?? ""));
      return this.within(writer).writeSection({
        id,
        section: now.id,
        version,
        op: text === undefined ? "rename" : op,
        columns: presentFields({ ...fields, state, body: text?.hash }) as never,
        pieces: text?.pieces ?? [],
      });
    });
  }

  /** Replaces exactly one occurrence; `found` says how many there are when it is not one. */
  editSection(
    id: string,
    section: string,
    old: string,
    replacement: string,
    version: number | null,
    writer: Writer,
  ): ChangedPaper | StaleChange | { readonly found: number } {
    return this.once(writer, () => {
      const now = this.mustFindSection(id, section);
      if (version !== null && version !== now.version)
        return { stale: { version: now.version, section: now } };
      const wanted = normaliseSource(old);
      const found = wanted === "" ? 0 : now.body.split(wanted).length - 1;
      if (found !== 1) return { found };
      const at = now.body.indexOf(wanted);
      const body = now.body.slice(0, at) + normaliseSource(replacement) + now.body.slice(at + wanted.length);
      // It is part of this transaction, which has the key.
      return this.writeSection(id, now.id, { body }, version, { ...writer, key: undefined }, "edit");
    });
  }

  moveSection(
    id: string,
    section: string,
    to: { readonly parent: string | null; readonly position: number },
    version: number | null,
    writer: Writer,
  ): ChangedPaper | StaleChange {
    return this.once(writer, () =>
      this.within(writer).moveSection({
        id,
        section: this.mustFindSection(id, section).id,
        version,
        parent: to.parent === null ? null : this.mustFindSection(id, to.parent).id,
        position: to.position,
      }),
    );
  }

  removeSection(
    id: string,
    section: string,
    version: number | null,
    writer: Writer,
  ): ChangedPaper | StaleChange {
    return this.once(writer, () =>
      this.within(writer).removeSection({
        id,
        section: this.mustFindSection(id, section).id,
        version,
      }),
    );
  }

  /** Adds references under keys of their own; one with a key replaces what has it. Gives the keys in the order given. */
  putReferences(
    id: string,
    references: readonly NewReference[],
    writer: Writer,
  ): ChangedPaper & { readonly keys: readonly string[] } {
    return this.once(writer, () => {
      const taken = new Set(this.mustGet(id).references.map(({ key }) => key));
      const rows = references.map(({ key, item, verified, origin, quote }): StoredReference => {
        if (key !== undefined) checkKey(key);
        const own = key ?? referenceKey(item, (one) => taken.has(one));
        taken.add(own);
        return {
          key: own,
          item: item as StoredReference["item"],
          verified: verified ?? false,
          origin: origin ?? null,
          quote: quote ?? "",
        };
      });
      const { version } = this.within(writer).putReferences({
        id,
        references: rows,
        fresh: false,
      });
      return { version, keys: rows.map(({ key }) => key) };
    });
  }

  /**
   * References of a file, unverified. Those that are there under the same key stay as they are when they are the same;
   * a different one gets a new key.
   */
  importReferences(
    id: string,
    imported: readonly ImportedReference[],
    writer: Writer,
  ): ChangedPaper & { readonly keys: readonly string[] } {
    return this.once(writer, () => {
      const whole = this.mustGet(id);
      const known = new Map(whole.references.map((one) => [one.key, one]));
      const added: NewReference[] = [];
      const keys = imported.map(({ key, item }) => {
        const before = known.get(key);
        const isSame = before !== undefined && JSON.stringify(before.item) === JSON.stringify(item);
        if (isSame) return key;
        const own = before === undefined ? key : referenceKey(item, (one) => known.has(one));
        known.set(own, {
          key: own,
          item: item as StoredReference["item"],
          verified: false,
          origin: null,
          quote: "",
        });
        added.push({ key: own, item });
        return own;
      });
      if (added.length === 0) return { version: whole.paper.version, keys };
      const { version } = this.putReferences(id, added, {
        ...writer,
        key: undefined,
        note: writer.note ?? "import",
      });
      return { version, keys };
    });
  }

  /** A section by its id or label. */
  mustFindSection(id: string, section: string): StoredSection {
    const { sections } = this.mustGet(id);
    const found = sections.find((one) => one.id === section) ?? sections.find((one) => one.label === section);
    if (found === undefined) throw missingSection(section);
    return found;
  }

  private once<T>(writer: Writer, work: () => T): T {
    return this.desk.once(writer.key, work as unknown as () => Json) as unknown as T;
  }

  private entries(tree: readonly OutlineNode[], parent: string | null = null): readonly OutlineEntry[] {
    return tree.flatMap(({ id, title, summary, sections }) => {
      const own = id ?? this.newSection();
      const entry = {
        id: own,
        isNew: id === undefined,
        parent,
        title,
        summary: summary ?? null,
        label: headingLabel(title, () => false),
      };
      return [entry, ...this.entries(sections ?? [], own)];
    });
  }

  private newSection(): string {
    return `s_${this.desk.machine.uuid()}`;
  }
}

export const isStale = (answer: object): answer is StaleChange => "stale" in answer;

/** A section that has a text is drafted, and revised once that changes. */
const stateAfter = (now: StoredSection, body: string): string | undefined => {
  if (body.trim() === "") return "planned";
  if (now.body.trim() === "") return "drafted";
  return now.body === body ? undefined : "revised";
};
