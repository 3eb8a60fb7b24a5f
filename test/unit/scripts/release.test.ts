/** What `npm run release` looks at. */
// long: packs the package twice and tries it as its user
import { join } from "node:path";
import { expect, it } from "vitest";
import { packInto } from "../../../scripts/pack.ts";
import { smoke } from "../../../scripts/package-smoke.ts";
import { differences, versionProblems } from "../../../scripts/release.ts";
import { version } from "../../../src/host/command/index.ts";
import { docHeadings } from "../../support/doc-pages.ts";
import { packedPackage } from "../../support/packed-package.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("release");

it("package.json and the page of changes say the same version", () => {
  expect(versionProblems()).toEqual([]);
});

it("the page of changes has a section for each version, the newest first", () => {
  const sections = docHeadings("docs/changes.md", 2);
  expect(sections.filter((heading) => !/^\d+\.\d+\.\d+$/.test(heading))).toEqual([]);
  const order = (one: string, other: string): number => other.localeCompare(one, "en", { numeric: true });
  expect(sections.toSorted(order)).toEqual(sections);
});

it("the package is equal to the last byte when it is packed again", async () => {
  expect(differences(await packedPackage(), await packInto(join(folder, "again")))).toEqual([]);
});

it("a difference is told with the names of the files", async () => {
  const one = await packedPackage();
  const [first = { path: "", size: 0 }, ...rest] = one.files;
  const other = {
    ...one,
    tarball: import.meta.filename,
    files: [{ ...first, size: first.size + 1 }, ...rest],
  };
  expect(differences(one, other)).toEqual([`made twice it differs in ${first.path}`]);
});

it("the packed package does what a new user does first", async () => {
  const { tarball } = await packedPackage();
  expect(smoke(tarball, version, process.execPath)).toEqual([]);
  expect(smoke(tarball, "9.9.9", process.execPath)[0]).toContain("says its version");
});
