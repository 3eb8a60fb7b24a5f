/**
 * The programs of the documentation that use the package: its blocks of TypeScript, and of harn where they need one of these. All are run, in a
 * folder that is empty but for what a comment in the line before the block says:
 *
 *     <!-- file: half.ts -->               the block is that file
 *     <!-- with: half.ts helper.harn -->   those files of the page lie beside it
 *     <!-- beside: harn serve a.harn -->   that server runs meanwhile; its token is in `TOKEN`, and the port of the page means its own
 *     <!-- not run: why -->                it can't be run here, for that reason
 *
 * Several stand in one comment, with `; ` between them.
 */
import type { DocBlock } from "./doc-pages.ts";

export interface DocProgram {
  /** Of its first block. */
  readonly place: string;
  readonly language: "ts" | "harn";
  /** The name of its file. */
  readonly file: string;
  text: string;
  /** What it prints: nothing, where no block says it. */
  output: string | undefined;
  /** The files that lie beside it, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** The arguments of the `harn serve` that runs beside it. */
  readonly served: readonly string[] | undefined;
  /** Why it is not run. */
  readonly notRun: string | undefined;
}

const kinds = ["file", "with", "beside", "not run"] as const;
type Marks = { readonly [kind in (typeof kinds)[number]]?: string };

/** A block of TypeScript that imports something begins a program; one that does not goes on with the one before it on its page. */
export function docPrograms(blocks: readonly DocBlock[]): DocProgram[] {
  const files = filesOf(blocks);
  const programs: DocProgram[] = [];
  for (const block of blocks) {
    const marks = marksOf(block);
    const last = programs.at(-1);
    if (block.info === "ts" && !/^import /m.test(block.text) && last !== undefined && isOnPage(block, last)) {
      if (block.mark !== undefined)
        throw new Error(`${block.place}: it goes on with ${last.place}, which says what stands around both`);
      last.text += block.text;
      last.output = block.output ?? last.output;
    } else if (block.info === "ts" || (block.info === "harn" && marks.with !== undefined))
      programs.push(programOf(block, block.info, marks, files));
  }
  return programs;
}

function programOf(
  { place, text, output }: DocBlock,
  language: "ts" | "harn",
  marks: Marks,
  files: ReadonlyMap<string, DocBlock>,
): DocProgram {
  const beside = marks.with?.split(/ +/) ?? [];
  const [harn, serve, ...served] = marks.beside?.split(/ +/) ?? [];
  if (harn !== undefined && (harn !== "harn" || serve !== "serve"))
    throw new Error(`${place}: what runs beside a program is \`harn serve …\``);
  return {
    place,
    language,
    file: marks.file ?? `program.${language}`,
    text,
    output,
    files: new Map(
      beside.map((name) => {
        const file = files.get(`${pageOf(place)} ${name}`);
        if (file === undefined) throw new Error(`${place}: no block of its page is \`${name}\``);
        return [name, file.text];
      }),
    ),
    served: harn === undefined ? undefined : served,
    notRun: marks["not run"],
  };
}

/** The blocks that are files, by page and name. */
function filesOf(blocks: readonly DocBlock[]): ReadonlyMap<string, DocBlock> {
  const files = new Map<string, DocBlock>();
  for (const block of blocks) {
    const name = marksOf(block).file;
    if (name === undefined) continue;
    const key = `${pageOf(block.place)} ${name}`;
    if (!/^[\w-]+(?:\.[\w-]+)+$/.test(name)) throw new Error(`${block.place}: \`${name}\` is not a file`);
    if (files.has(key)) throw new Error(`${block.place}: ${files.get(key)?.place} is \`${name}\``);
    files.set(key, block);
  }
  return files;
}

/** What the comment before a block says. A comment that says something else is refused: a misspelt one would say nothing. */
function marksOf({ place, mark }: DocBlock): Marks {
  const marks = (mark?.split("; ") ?? []).map((one) => {
    const [, kind, value] = /^([a-z ]+): +(\S.*)$/.exec(one) ?? [];
    if (!kinds.some((known) => known === kind) || value === undefined)
      throw new Error(
        `${place}: \`${one}\` says none of ${kinds.map((known) => `\`${known}: …\``).join(", ")}`,
      );
    return [kind, value];
  });
  return Object.fromEntries(marks);
}

const pageOf = (place: string): string => place.slice(0, place.lastIndexOf(":"));
const isOnPage = (one: { readonly place: string }, other: { readonly place: string }): boolean =>
  pageOf(one.place) === pageOf(other.place);
