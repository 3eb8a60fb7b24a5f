/**
 * A paper ▸ a Word document. Behind a door of its own: the library `docx` is larger than everything else about papers together,
 * and neither a plain run nor the page may load it.
 */
import { Document, Packer } from "docx";
import { findingsOf } from "../text/check.ts";
import { documentOf, oneLine } from "../text/document.ts";
import type { Paper, PaperExport } from "../text/paper.ts";
import { coreProperties } from "./core-properties.ts";
import { DocxPage } from "./page.ts";
import { docxStyles } from "./styles.ts";
import { withoutDates } from "./zip-dates.ts";

/** The same bytes for the same paper: nothing in it tells when it was made. */
export async function exportDocx(paper: Paper): Promise<PaperExport> {
  const document = documentOf(paper);
  const { children, footnotes, numbering } = new DocxPage(document).render();
  const title = oneLine(paper.title);
  const file = new Document({
    title,
    styles: docxStyles,
    numbering: { config: numbering },
    footnotes,
    sections: [{ children }],
  });
  const overrides = [{ path: "docProps/core.xml", data: coreProperties(paper, title) }];
  const packed = await Packer.pack(file, "uint8array", false, overrides);
  return {
    files: [{ path: "paper.docx", content: withoutDates(packed) }],
    findings: findingsOf(document),
  };
}
