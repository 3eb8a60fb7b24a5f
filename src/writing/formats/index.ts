/**
 * All formats of papers: what they are called, what they are for HTTP, and who makes them. `pdf` is made from two others by a
 * program of the machine, so it is made where programs may be run.
 */
import { exportPaper, type Paper, type PaperExport, type TextFormat, textFormats } from "../text/index.ts";

export const madeFormats = [...textFormats, "docx"] as const;
export const paperFormats = [...madeFormats, "pdf"] as const;
/** A function of the paper alone. */
export type MadeFormat = (typeof madeFormats)[number];
export type PaperFormat = (typeof paperFormats)[number];

export interface FormatFacts {
  readonly mediaType: string;
  /** Its content is bytes, and no terminal's. */
  readonly binary: boolean;
  /** The paper comes with files beside it: figures, references. */
  readonly folder: boolean;
}

const text = (mediaType: string, folder = false): FormatFacts => ({
  mediaType: `${mediaType}; charset=utf-8`,
  binary: false,
  folder,
});
const binaryFormat = (mediaType: string): FormatFacts => ({ mediaType, binary: true, folder: false });

export const formatFacts: Readonly<Record<PaperFormat, FormatFacts>> = {
  md: text("text/markdown"),
  latex: text("application/x-tex", true),
  bib: text("application/x-bibtex"),
  html: text("text/html"),
  json: text("application/json"),
  docx: binaryFormat("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
  pdf: binaryFormat("application/pdf"),
};

/** The library behind `docx` is loaded by the first one. */
export async function exportAs(paper: Paper, format: MadeFormat): Promise<PaperExport> {
  if (format === "docx") return (await import("../docx/index.ts")).exportDocx(paper);
  return exportPaper(paper, format as TextFormat);
}
