/** A Node that is too old is told so by everything that it may load first. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { entryForPages, entryPoints } from "../../../scripts/entries.ts";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";

describe("a Node that is too old", () => {
  const old = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    const version = existsSync(path) ? spawnSync(path, ["-v"], { encoding: "utf8" }).stdout : "";
    return version !== "" && Number(version.slice(1).split(".")[0]) < 22;
  });

  it.skipIf(old === undefined)("gets one line that says what is needed", () => {
    const done = spawnSync(launcher, ["run", "-e", "1"], {
      encoding: "utf8",
      env: cleanEnvironment({ PATH: `${old!.slice(0, old!.lastIndexOf("/"))}:/usr/bin:/bin` }),
    });
    expect(done.stderr).toMatch(/^harn needs Node 22\.22 or newer and was started by v\d+.*\n$/);
    expect(done.status).toBe(1);
  });

  /** As Node 20 says who it is. */
  const pretended = `data:text/javascript,${encodeURIComponent(
    'for (const [key, value] of [["versions", { ...process.versions, node: "20.19.0" }], ["version", "v20.19.0"]]) Object.defineProperty(process, key, { value });',
  )}`;
  const entries = [...entryPoints().keys()].filter((name) => name !== entryForPages);

  it.each(entries)("is told so by an import of %s", (name) => {
    const code = `import(${JSON.stringify(join(projectRoot, `dist/${name}.js`))}).catch((error) => console.log(error.stack))`;
    const ways = [[process.execPath, "--import", pretended], ...(old === undefined ? [] : [[old]])];
    for (const [node = "", ...flags] of ways) {
      const done = spawnSync(node, [...flags, "-e", code], { encoding: "utf8", env: cleanEnvironment({}) });
      expect(done.stdout).toMatch(/^Error: harn needs Node 22\.22 or newer and was started by v\d+.*\n$/);
    }
  });

  it("is one that `engines` of package.json leaves out", () => {
    const { engines } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    const need = /need = \[(\d+), (\d+)\]/.exec(
      readFileSync(join(projectRoot, "bin/needed-node.cjs"), "utf8"),
    );
    expect(engines.node).toBe(`>=${need?.[1]}.${need?.[2]}`);
  });
});
