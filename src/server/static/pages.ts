/** The pages of the viewer and their files, as answers to requests. */
import { pagePolicy } from "./policy.ts";
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
