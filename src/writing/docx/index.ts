/**
 * A paper ▸ a Word document. Behind a door of its own: the library `docx` is larger than everything else about papers together,
 * and neither a plain run nor the page may load it.
 */
import { Document, Packer } from "docx";
import { findingsOf } from "../text/check.ts";
import { documentOf, oneLine } from "../text/document.ts";
import { escapeHtml } from "../text/escape-html.ts";
import type { Paper, PaperExport } from "../text/paper.ts";
import { DocxPage } from "./page.ts";
import { docxStyles } from "./styles.ts";

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

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const end = 0x06054b50;
/** 1 January 1980, as DOS wrote dates. */
const firstDay = 0x0021;

/**
 * The files of a zip with the first day that the format knows as their dates, so that an export is a function of its paper. Changes
 * the bytes that it is given, and gives them back. For archives without comment, as the library writes them.
 */
function withoutDates(zip: Uint8Array): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const last = zip.length - 22;
  if (last < 0 || view.getUint32(last, true) !== end)
    throw new Error("the archive does not end as a zip does");
  const set = (at: number): void => {
    view.setUint16(at, 0, true);
    view.setUint16(at + 2, firstDay, true);
  };
  let at = view.getUint32(last + 16, true);
  for (let left = view.getUint16(last + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== centralHeader) throw new Error("the directory of the zip is damaged");
    const file = view.getUint32(at + 42, true);
    if (view.getUint32(file, true) !== localHeader) throw new Error("a file of the zip is damaged");
    set(at + 12);
    set(file + 10);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return zip;
}

/** What a Word document says about itself; the library would say when it was made. */
const spaces = [
  'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:dcterms="http://purl.org/dc/terms/"',
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
].join(" ");

function coreProperties(paper: Paper, title: string): string {
  const rows = [
    ["dc:title", title],
    ["dc:creator", paper.authors.map(oneLine).join("; ")],
    ["dc:language", oneLine(paper.language)],
  ].map(([name, text]) => `<${name}>${escapeHtml(text as string)}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties ${spaces}>${rows.join("")}</cp:coreProperties>`;
}
