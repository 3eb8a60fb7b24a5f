/** Images of papers: which may be used, and what they are called in an export. */
import { parseMarkdown, visitInlines } from "./markdown/index.ts";
import type { ExportFile, Paper } from "./paper.ts";

/** A path within the workspace: relative, without a step up, a host or a control character. */
export const isWorkspacePath = (path: string): boolean =>
  path !== "" &&
  !/^[a-z][a-z0-9+.-]*:/i.test(path) &&
  !/^[/\\]/.test(path) &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  !/[\\\u0000-\u001f\u007f]/.test(path) &&
  !path.split("/").includes("..");

/** The paths that the texts of a paper name, those that can be read. */
export function imagePaths(paper: Pick<Paper, "abstract" | "sections">): readonly string[] {
  const found = new Set<string>();
  for (const body of [paper.abstract, ...paper.sections.map((section) => section.body)]) {
    if (!body.includes("![")) continue;
    visitInlines(parseMarkdown(body).blocks, (inline) => {
      if (inline.kind === "image" && isWorkspacePath(inline.path)) found.add(inline.path);
    });
  }
  return [...found];
}

const latexKinds = /\.(png|jpe?g|pdf)$/i;
const pageKinds: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** The images of an export: which can be used, and under which names. */
export class Figures {
  private readonly images: Paper["images"];
  private readonly names = new Map<string, string>();

  constructor(images: Paper["images"]) {
    this.images = images;
  }

  /** Why an image can't be there; undefined when it can, as far as anybody has looked. */
  problem(path: string): "outside" | "missing" | undefined {
    if (!isWorkspacePath(path)) return "outside";
    return this.images === undefined || this.images.has(path) ? undefined : "missing";
  }

  /** `figures/plot.png` for LaTeX; undefined for what it can't include. */
  latexName(path: string): string | undefined {
    if (this.problem(path) !== undefined || !latexKinds.test(path)) return undefined;
    let name = this.names.get(path);
    if (name !== undefined) return name;
    const last = path.slice(path.lastIndexOf("/") + 1).replaceAll(/[^a-zA-Z0-9.-]/g, "-");
    const dot = last.lastIndexOf(".");
    const stem = last.slice(0, dot).replaceAll(".", "-").replace(/^-+/, "") || "figure";
    const taken = new Set(this.names.values());
    for (let n = 1; name === undefined || taken.has(name); n++)
      name = `figures/${stem}${n === 1 ? "" : `-${n}`}${last.slice(dot).toLowerCase()}`;
    this.names.set(path, name);
    return name;
  }

  /** The files behind the names that were given out. */
  files(): readonly ExportFile[] {
    return [...this.names].flatMap(([path, name]) => {
      const content = this.images?.get(path);
      return content == null ? [] : [{ path: name, content }];
    });
  }

  /** undefined: not to be used, or not there. */
  bytes(path: string): Uint8Array | undefined {
    return this.problem(path) === undefined ? (this.images?.get(path) ?? undefined) : undefined;
  }

  /** `data:image/png;base64,…`; undefined when the bytes are not there or a page does not show such images. */
  dataUrl(path: string): string | undefined {
    const type = pageKinds[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
    const bytes = this.bytes(path);
    return type === undefined || bytes === undefined ? undefined : `data:${type};base64,${base64Of(bytes)}`;
  }
}

/** In pieces: a call takes only so many arguments. */
function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}
