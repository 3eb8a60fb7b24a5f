/** The flags of the commands about papers. */
import { bool, needed, oneOf, path } from "../../host/command/flags.ts";
import type { PdfEngine } from "../../server/pdf/index.ts";
import type { PaperFormat } from "../../writing/formats/index.ts";

/** As the table of formats has them, which a start does not load. */
export const paperTargets = [
  "md",
  "latex",
  "bib",
  "html",
  "json",
  "docx",
  "pdf",
] as const satisfies readonly PaperFormat[];
const engines = ["tectonic", "latexmk", "pdflatex", "chromium"] as const satisfies readonly PdfEngine[];
export const recordTargets = ["md", "html", "json"] as const;

export const paperFlags = {
  json: bool("as JSON"),
  strict: bool("ends with 1 for unknown citations and references that are unverified or not cited"),
};

export const exportPaperFlags = {
  to: needed(oneOf("format", "the format", paperTargets)),
  output: path("file", "where to; LaTeX: a folder; without it standard output; PDF and docx need it", {
    short: "-o",
  }),
  strict: bool("ends with 1 and writes nothing when citations do not hold"),
  engine: oneOf("name", "what makes the PDF; without it the first that is installed", engines),
};
