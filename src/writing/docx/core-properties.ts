/** What a Word document says about itself; the library would say when it was made. */
import { oneLine } from "../text/document.ts";
import { escapeHtml } from "../text/escape-html.ts";
import type { Paper } from "../text/paper.ts";

const spaces = [
  'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:dcterms="http://purl.org/dc/terms/"',
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
].join(" ");

export function coreProperties(paper: Paper, title: string): string {
  const rows = [
    ["dc:title", title],
    ["dc:creator", paper.authors.map(oneLine).join("; ")],
    ["dc:language", oneLine(paper.language)],
  ].map(([name, text]) => `<${name}>${escapeHtml(text as string)}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties ${spaces}>${rows.join("")}</cp:coreProperties>`;
}
