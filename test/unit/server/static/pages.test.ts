// suite: processes
/** Pages, their files and reports, without a browser: what is served, and under which policy. */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { folderOnDisk } from "../../../../src/host/command/index.ts";
import {
  embeddedJson,
  pagePolicy,
  reportHtml,
  ViewerFiles,
  viewerPages,
} from "../../../../src/server/static/index.ts";
import { EventLog } from "../../../support/event-log.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { viewerIn } from "../../../support/viewer-bundle.ts";

const files = new ViewerFiles(folderOnDisk(await viewerIn(tempFolder("viewer"))));
const pages = viewerPages(files);
const ask = (path: string, headers: Record<string, string> = {}): Response | undefined =>
  pages(new Request(`http://127.0.0.1:4747${path}`, { headers }));

describe("pages of the viewer", () => {
  it("every page is the same text, without script or style in it, under the page's policy", async () => {
    const bodies = await Promise.all(
      ["/", "/c/c_1", "/r/run-1", "/p/p_1", "/new", "/papers", "/login", "/settings"].map(async (path) => {
        const answer = ask(path);
        expect(answer?.headers.get("content-security-policy")).toBe(pagePolicy);
        return await answer?.text();
      }),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).not.toMatch(/<script(?![^>]*src=)|<style|style="|\son\w+=/);
  });

  it("an address where nothing is gives people the page, which says so, and programs nothing", async () => {
    const page = await ask("/")?.text();
    for (const path of ["/nowhere", "/c/c_1/more", "/c/", "/index.html"]) {
      const answer = ask(path, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
      expect([answer?.status, await answer?.text()]).toEqual([404, page]);
      expect(ask(path, { accept: "application/json" })).toBeUndefined();
      expect(ask(path)).toBeUndefined();
    }
    expect(ask("/assets/none.js", { accept: "text/html" })).toBeUndefined();
  });

  it("the policy is the one that is documented", () => {
    expect(pagePolicy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types harn",
    );
  });

  it("files of the page are named by content, kept for ever, packed for those who take it", async () => {
    const body = (await ask("/")?.text()) ?? "";
    const names = [...body.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const name of names) {
      expect(name).toMatch(/-[\w-]{8}\.(js|css)$/);
      const plain = ask(name);
      expect(plain?.headers.get("cache-control")).toMatch(/immutable/);
      const packed = ask(name, { "accept-encoding": "br, gzip" });
      expect(packed?.headers.get("content-encoding")).toBe("gzip");
      const bytes = gunzipSync(Buffer.from((await packed?.arrayBuffer()) ?? new ArrayBuffer(0)));
      expect(bytes.equals(Buffer.from((await plain?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(true);
    }
  });

  it("what a page loads first, and with its first formula, stays within its budget", async () => {
    const body = (await ask("/")?.text()) ?? "";
    const packed = async (path: string): Promise<number> =>
      (await ask(path, { "accept-encoding": "gzip" })?.arrayBuffer())?.byteLength ?? Number.NaN;
    const seen = new Set<string>();
    /** A script with what it imports at once. */
    const first = async (path: string): Promise<number> => {
      if (seen.has(path)) return 0;
      seen.add(path);
      const text = (await ask(path)?.text()) ?? "";
      const imported = [...text.matchAll(/(?:from|import)\s*["'`]\.\/([\w-]+\.js)["'`]/g)];
      const sizes = await Promise.all(imported.map(([, name]) => first(`/assets/${name}`)));
      return (await packed(path)) + sizes.reduce((sum, size) => sum + size, 0);
    };
    const [, app = ""] = /src="([^"]+)"/.exec(body) ?? [];
    const [, style = ""] = /href="(\/[^"]+\.css)"/.exec(body) ?? [];
    const [, worker = ""] = /harn-worker" content="([^"]+)"/.exec(body) ?? [];
    const scripts = (await first(app)) + (await first(worker));
    expect(scripts).toBeGreaterThan(20_000);
    expect(scripts).toBeLessThan(90_000);
    expect(await packed(style)).toBeLessThan(15_000);
    const [formulas = ""] = /temml-[\w-]+\.js/.exec((await ask(app)?.text()) ?? "") ?? [];
    expect(scripts + (await packed(`/assets/${formulas}`))).toBeLessThan(155_000);
  });

  it("nothing else is served", () => {
    for (const path of [
      "/x",
      "/c/",
      "/c/a/b",
      "/assets/",
      "/assets/x.js",
      "/assets/../index.html",
      "/index.html",
    ])
      expect(ask(path), path).toBeUndefined();
    expect(ask("/assets/%2e%2e%2findex.html")).toBeUndefined();
    expect(ask("/assets/constructor")).toBeUndefined();
  });

  it("a folder without a viewer says what to do", () => {
    expect(() => new ViewerFiles(folderOnDisk("/nowhere"))).toThrow(
      "the viewer is missing in /nowhere: run 'npm run build'",
    );
  });
});

describe("a report", () => {
  it("names its script and its style by their digests, and holds events that can't end their element", () => {
    const log = new EventLog(null).runStart();
    log.push("notice", { level: "info", text: "</script><script>alert(1)</script>\u2028<!--" });
    const html = reportHtml({ id: "run-1", title: "</title><script>", events: log.events }, files);
    const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(html) ?? [];
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const digest = (text: string): string => createHash("sha256").update(text).digest("base64");
    const policy = `script-src 'sha256-${digest(script)}'; style-src 'sha256-${digest(style)}'`;
    expect(html.includes(policy)).toBe(true);
    expect(html.split("</script>").length - 1).toBe(2);
    expect(/<(?:link|img|iframe)|\bsrc="|@import|url\(/.test(html.replace(script, ""))).toBe(false);
    const [, json = ""] = /id="harn-report">([\s\S]*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(json)).toEqual({ id: "run-1", title: "</title><script>", events: log.events });
  });

  it("JSON in it has no `<` and no line end of scripts", () => {
    const value = { text: "</SCRIPT>\u2028\u2029<!--" };
    expect(embeddedJson(value)).not.toMatch(/[<\u2028\u2029]/);
    expect(JSON.parse(embeddedJson(value))).toEqual(value);
  });
});
