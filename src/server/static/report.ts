/** A report: one file with the viewer, the events and the texts, which opens from disk and asks nobody for anything. */
import { createHash } from "node:crypto";
import type { DurableEnvelope } from "../protocol/index.ts";
import { reportPolicy } from "./policy.ts";
import type { ViewerFiles } from "./viewer-files.ts";

export interface ReportOf {
  /** Of the run. */
  readonly id: string;
  readonly title: string;
  readonly events: readonly DurableEnvelope[];
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");

/** JSON for a script element: nothing in it ends the element, or a line of a script of older browsers. */
export const embeddedJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");

const forText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function reportHtml(report: ReportOf, files: ViewerFiles): string {
  const style = `\n${files.reportStyle}`;
  // A text of the script may have the end of its own element in it.
  const script = `\n${files.reportScript.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}`;
  const policy = reportPolicy(digest(script), digest(style));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${forText(report.title)}</title>
<style>${style}</style>
</head>
<body><div id="app"></div>
<script type="application/json" id="harn-report">${embeddedJson(report)}</script>
<script>${script}</script>
</body>
</html>
`;
}
