/** The pages of the viewer and their files, as answers to requests. */

import { createHash } from "node:crypto";
import type { DurableEnvelope } from "../protocol/index.ts";
import { pagePolicy, reportPolicy } from "./policy.ts";
import type { ViewerFiles } from "./viewer-files.ts";

/** Addresses that are pages: the script in them looks which one. Names in them are ids, taken as they come. */
const page = /^\/(?:(?:c|r|p)\/[^/]+|new|papers|login|settings)?$/;

/** The answer to a `GET` or `HEAD` of a page or one of its files; `undefined` for any other address that no person looks at. */
export function viewerPages(files: ViewerFiles): (request: Request) => Response | undefined {
  return (request) => {
    const { pathname } = new URL(request.url);
    const isHead = request.method === "HEAD";
    const isPage = page.test(pathname);
    // Somebody has mistyped it, or an old link leads there: the page says so, with a way on.
    if (isPage || (isForPeople(request) && !pathname.startsWith("/assets/"))) {
      return new Response(isHead ? null : files.page, {
        status: isPage ? 200 : 404,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-cache",
          "content-security-policy": pagePolicy,
        },
      });
    }
    const [, name] = /^\/assets\/([\w.-]+)$/.exec(pathname) ?? [];
    if (name === undefined) return undefined;
    const isPacked = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const asset = files.asset(name, isPacked);
    if (asset === undefined) return undefined;
    return new Response(isHead ? null : asset.bytes, {
      headers: {
        "content-type": asset.type,
        // Named by content: another content has another name.
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        // Workers have a policy of their own: the same.
        "content-security-policy": pagePolicy,
        ...(isPacked ? { "content-encoding": "gzip" } : {}),
      },
    });
  };
}

/** A browser that goes to an address asks for a page; programs ask for anything. */
const isForPeople = (request: Request): boolean => /\btext\/html\b/.test(request.headers.get("accept") ?? "");

/** A report: one file with the viewer, the events and the texts, which opens from disk and asks nobody for anything. */
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
