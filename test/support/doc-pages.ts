/** The pages of the documentation: their fenced blocks, headings and links. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { projectRoot } from "./project.ts";

/** A fenced block of a page. */
export interface DocBlock {
  /** Where it begins, as `docs/tour.md:12`. */
  readonly place: string;
  /** The words after the fence, such as `harn` or `harn error`. */
  readonly info: string;
  readonly text: string;
  /** What stands in the `output` block that follows, if one does. */
  readonly output: string | undefined;
  /** What the HTML comment in the line before the fence says, if one stands there (`doc-programs.ts`). */
  readonly mark: string | undefined;
}

/** A link of a page to another file or heading of the repository. */
export interface DocLink {
  readonly place: string;
  readonly target: string;
}

/** README.md, SECURITY.md, CONTRIBUTING.md and every page below docs/ and templates/, as paths from the project's root. */
export function docPages(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? below(`${folder}/${entry.name}`)
        : entry.name.endsWith(".md")
          ? [`${folder}/${entry.name}`]
          : [],
    );
  return [
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    ...below("docs").sort(),
    ...below("templates").sort(),
  ];
}

const contentOf = (page: string): string => readFileSync(join(projectRoot, page), "utf8");

/** The lines of a page, those inside of fences marked. */
function pageLines(
  page: string,
  content = contentOf(page),
): { text: string; number: number; fenced: boolean; fence: string | undefined }[] {
  let open: string | undefined;
  return content.split("\n").map((text, index) => {
    const fence = /^ *(`{3,})(.*)$/.exec(text);
    const closes = fence !== null && open !== undefined && fence[1]!.length >= open.length;
    const opens = fence !== null && open === undefined;
    if (opens) open = fence[1];
    else if (closes) open = undefined;
    return {
      text,
      number: index + 1,
      fenced: open !== undefined || closes,
      fence: opens ? fence[2]!.trim() : closes ? "" : undefined,
    };
  });
}

/** The fenced blocks of a page, in order. */
export const docBlocks = (page: string): DocBlock[] => blocksOf(page, contentOf(page));

/** The fenced blocks of a text that stands in a page. */
export function blocksOf(page: string, content: string): DocBlock[] {
  interface Found {
    readonly place: string;
    readonly info: string;
    readonly mark: string | undefined;
    readonly lines: string[];
    readonly begin: number;
    end: number;
  }
  const blocks: Found[] = [];
  let inside = false;
  let before = "";
  for (const line of pageLines(page, content)) {
    if (line.fence !== undefined && !inside) {
      inside = true;
      blocks.push({
        place: `${page}:${line.number}`,
        info: line.fence,
        mark: /^<!-- (.*) -->$/.exec(before)?.[1],
        lines: [],
        begin: line.number,
        end: 0,
      });
    } else if (line.fence !== undefined) {
      inside = false;
      blocks.at(-1)!.end = line.number;
    } else if (inside) blocks.at(-1)!.lines.push(line.text);
    before = line.text;
  }
  return blocks.map(({ place, info, mark, lines, end }, index) => {
    const next = blocks[index + 1];
    const follows = next?.info === "output" && next.begin <= end + 2;
    return {
      place,
      info,
      text: `${lines.join("\n")}\n`,
      output: follows ? `${next.lines.join("\n")}\n` : undefined,
      mark,
    };
  });
}

/** The anchors that a page offers: its headings as GitHub names them, and `<a id>` marks. */
export function docAnchors(page: string): ReadonlySet<string> {
  const known = anchorsOfPages.get(page);
  if (known !== undefined) return known;
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const { text, fenced } of pageLines(page)) {
    if (fenced) continue;
    for (const mark of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(mark[1]!);
    const heading = /^#{1,6} (.*)$/.exec(text);
    if (heading === null) continue;
    const base = anchorOf(heading[1]!);
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    anchors.add(count === 0 ? base : `${base}-${count}`);
  }
  anchorsOfPages.set(page, anchors);
  return anchors;
}
const anchorsOfPages = new Map<string, ReadonlySet<string>>();

/** The headings of one level of a page. */
export const docHeadings = (page: string, level: number): string[] =>
  pageLines(page)
    .filter(({ fenced }) => !fenced)
    .flatMap(({ text }) => {
      const heading = /^(#{1,6}) (.*)$/.exec(text);
      return heading?.[1]?.length === level ? [heading[2] as string] : [];
    });

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, "")
    .replaceAll(" ", "-");

/** The relative links of a page, outside of code. */
export function docLinks(page: string): DocLink[] {
  return pageLines(page)
    .filter(({ fenced, text }) => !fenced && !text.startsWith("    "))
    .flatMap(({ text, number }) => {
      const prose = text.replace(/``.*?``|`[^`]*`/g, "x");
      return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((link) => ({
        place: `${page}:${number}`,
        target: link[1]!,
      }));
    })
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** What is wrong with a link; `undefined` when it leads somewhere. */
export function brokenLink(page: string, target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : relative(projectRoot, join(projectRoot, dirname(page), path));
  if (!existsSync(join(projectRoot, file))) return `there is no ${file}`;
  if (anchor === undefined) return undefined;
  return docAnchors(file).has(anchor) ? undefined : `${file} has no heading #${anchor}`;
}
