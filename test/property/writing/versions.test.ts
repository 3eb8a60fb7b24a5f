/** Any edits from two writers: versions without gaps, each of which can be made again, and nobody's text is lost unseen. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StoreError } from "../../../src/store/index.ts";
import { isStale, type Papers } from "../../../src/writing/durable/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";
import { testWriting } from "../../support/writing-desk.ts";

const freshFolder = tempFolders("papers");

const index = fc.nat({ max: 9 });
const text = fc.constantFrom("", "one", "two words", "ünï\n\ncode", "# head", "x".repeat(300));
const edit = fc.oneof(
  fc.record({
    do: fc.constant("write" as const),
    who: fc.nat({ max: 1 }),
    at: index,
    text,
    isBlind: fc.boolean(),
  }),
  fc.record({ do: fc.constant("add" as const), at: index, text, position: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constant("move" as const), at: index, to: index, position: fc.nat({ max: 4 }) }),
  fc.record({ do: fc.constant("remove" as const), at: index }),
  fc.record({ do: fc.constant("outline" as const), take: fc.array(index, { maxLength: 4 }), text }),
  fc.record({ do: fc.constant("title" as const), text }),
  fc.record({ do: fc.constant("reference" as const), at: index }),
  fc.record({ do: fc.constant("restore" as const), at: index }),
  fc.record({ do: fc.constant("look" as const), who: fc.nat({ max: 1 }) }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Two writers, each with the papers as they saw them last. */
class Writers {
  readonly papers: Papers;
  readonly id: string;
  private readonly seen: Map<string, number>[] = [new Map(), new Map()];
  /** Texts that were written over by somebody who had not seen them. */
  unseen = 0;

  constructor(papers: Papers, id: string) {
    this.papers = papers;
    this.id = id;
  }

  do(one: Edit): void {
    const { sections, paper } = this.papers.mustGet(this.id);
    const section = (at: number): string => sections[at % Math.max(sections.length, 1)]?.id ?? "s_none";
    const by = { by: "ann" };
    switch (one.do) {
      case "look":
        this.seen[one.who] = new Map(sections.map(({ id, version }) => [id, version]));
        return;
      case "write": {
        const id = section(one.at);
        const saw = this.seen[one.who]?.get(id);
        const now = sections.find((each) => each.id === id);
        const answer = this.papers.writeSection(
          this.id,
          id,
          { body: one.text },
          saw ?? now?.version ?? 0,
          by,
        );
        if (!isStale(answer) && saw !== undefined && saw !== now?.version) this.unseen++;
        if (!isStale(answer)) this.seen[one.who]?.set(id, answer.version);
        return;
      }
      case "add": {
        const parent = one.at < 4 && sections.length > 0 ? section(one.at) : null;
        this.papers.addSection(this.id, { title: one.text || "New", parent, position: one.position }, by);
        return;
      }
      case "move":
        this.papers.moveSection(
          this.id,
          section(one.at),
          { parent: section(one.to), position: one.position },
          null,
          by,
        );
        return;
      case "remove":
        this.papers.removeSection(this.id, section(one.at), null, by);
        return;
      case "outline": {
        const ids = [...new Set(one.take.map(section))].filter((id) => id !== "s_none");
        const named = ids.map((id) => ({ id, title: `t${id.slice(-2)}` }));
        this.papers.outline(this.id, [...named, { title: one.text || "Added" }], paper.version, by);
        return;
      }
      case "title":
        this.papers.change(this.id, { title: one.text }, null, by);
        return;
      case "reference":
        this.papers.putReferences(
          this.id,
          [{ key: `k${one.at}`, item: { title: String(paper.version) } }],
          by,
        );
        return;
      case "restore":
        this.papers.by(by).restore({ id: this.id, n: (one.at % paper.version) + 1, version: null });
    }
  }
}

/** Without what belongs to the moment: times. */
const shape = (whole: ReturnType<Papers["mustGet"]>): unknown => ({
  paper: { ...whole.paper, changed: 0 },
  sections: whole.sections.map(({ changed: _changed, ...rest }) => rest),
  references: whole.references,
});

describe("versions of a paper", () => {
  it("are dense, and each can be made again", () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 25 }), (edits) => {
        const { papers, close } = testWriting(freshFolder());
        try {
          const made = papers.create(
            { title: "P", owner: "ann", outline: [{ title: "A" }, { title: "B" }] },
            { by: "ann" },
          );
          const writers = new Writers(papers, made.paper.id);
          const kept = new Map([[1, shape(made)]]);
          for (const one of edits) {
            const before = papers.mustGet(made.paper.id);
            try {
              writers.do(one);
            } catch (error) {
              if (!(error instanceof StoreError)) throw error;
              // What was refused has changed nothing.
              expect(shape(papers.mustGet(made.paper.id))).toEqual(shape(before));
            }
            const now = papers.mustGet(made.paper.id);
            expect(now.paper.version - before.paper.version).toBeLessThanOrEqual(1);
            if (now.paper.version > before.paper.version) kept.set(now.paper.version, shape(now));
          }
          expect(writers.unseen).toBe(0);
          const { version } = papers.mustGet(made.paper.id).paper;
          const numbers = papers.stored
            .versions({ id: made.paper.id, before: null, limit: 1_000 })
            .map(({ n }) => n);
          expect(numbers).toEqual(Array.from({ length: version }, (_, at) => version - at));
          for (const n of numbers)
            expect(shape(papers.stored.at({ id: made.paper.id, n }))).toEqual(kept.get(n));
        } finally {
          close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
