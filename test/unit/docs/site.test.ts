/** `npm run docs:site` gives pages with highlighted programs, a side bar and a search that works without a server. */
// long: builds the site of the documentation
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { docPages } from "../../support/doc-pages.ts";
import { projectRoot } from "../../support/project.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const site = tempFolder("site");
const page = (name: string): string => readFileSync(join(site, name), "utf8");

describe("the site of the documentation", () => {
  beforeAll(() => {
    const vitepress = join(projectRoot, "node_modules/vitepress/bin/vitepress.js");
    const done = spawnSync(process.execPath, [vitepress, "build", "docs", "--outDir", site], {
      cwd: projectRoot,
      encoding: "utf8",
    });
    expect(done.status, `${done.stdout}${done.stderr}`).toBe(0);
  });

  it("has every page", () => {
    const wanted = docPages()
      .filter((file) => file.startsWith("docs/"))
      .map((file) => file.replace(/^docs\//, "").replace(/\.md$/, ".html"));
    const there = readdirSync(site, { recursive: true, encoding: "utf8" });
    expect(
      wanted.map((name) => name.replace(/^README/, "index")).filter((name) => !there.includes(name)),
    ).toEqual([]);
  });

  it("knows the words of the language", () => {
    expect(page("tour.html")).toMatch(/language-harn[\s\S]*<span style="--shiki[^"]*">let<\/span>/);
  });

  it("leads from every page to the others", () => {
    expect(page("journal.html")).toContain('href="/guides/agent-with-tools.html"');
  });

  it("can be searched where there is no server", () => {
    const index = readdirSync(join(site, "assets/chunks")).find((name) =>
      name.startsWith("@localSearchIndex"),
    );
    expect(page(join("assets/chunks", index as string))).toContain("agent_loop");
  });
});
