/** Three processes write into one paper at once: every change is one version, nobody's text is overwritten unseen. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepCompiled } from "../../../support/compiled-sources.ts";
import { projectRoot } from "../../../support/project.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { testWriting } from "../../../support/writing-desk.ts";

const names = ["ann", "bob", "eve"];
const count = 12;
const folder = tempFolder("three-writers");
const other = tempFolder("refused-sections");

test("versions are dense, and all that was written stands", async () => {
  const desk = testWriting(folder);
  const outline = [...names, "all"].map((title) => ({ title }));
  const { paper } = desk.papers.create(
    { title: "P", owner: "ann", conversation: null, outline },
    { by: "ann" },
  );
  const script = join(projectRoot, "test/support/paper-writer.ts");
  const codes = await Promise.all(
    names.map(
      (name) =>
        new Promise<number | null>((resolve) => {
          const args = [script, folder, paper.id, name, String(count)];
          spawn(process.execPath, args, {
            env: { ...process.env, ...keepCompiled() },
            stdio: ["ignore", "ignore", "inherit"],
          }).on("close", resolve);
        }),
    ),
  );
  expect(codes).toEqual([0, 0, 0]);
  const { paper: now, sections } = desk.papers.mustGet(paper.id);
  expect(now.version).toBe(1 + names.length * count * 2);
  expect(desk.papers.stored.versions({ id: paper.id, before: null, limit: 1_000 }).map(({ n }) => n)).toEqual(
    Array.from({ length: now.version }, (_, at) => now.version - at),
  );
  const bodyOf = (label: string): string => sections.find((one) => one.label === label)?.body ?? "";
  for (const name of names) {
    expect(bodyOf(name)).toBe(`${name} ${count - 1}`);
    const own = bodyOf("all")
      .trim()
      .split(" ")
      .filter((word) => word.startsWith(name));
    expect(own).toEqual(Array.from({ length: count }, (_, at) => `${name}${at}`));
  }
  desk.close();
});

test("a section of 5 MB and a section moved below itself are refused, and nothing changes", () => {
  const desk = testWriting(other);
  const outline = [{ title: "One", sections: [{ title: "Two" }] }];
  const { paper } = desk.papers.create(
    { title: "P", owner: "ann", conversation: null, outline },
    { by: "ann" },
  );
  const write = () =>
    desk.papers.writeSection(paper.id, "one", { body: "x".repeat(5_000_000) }, null, { by: "ann" });
  expect(write).toThrow("the text of `One` has 5000000 bytes; a section has at most 1 MiB");
  const move = () =>
    desk.papers.moveSection(paper.id, "one", { parent: "two", position: 0 }, null, { by: "ann" });
  expect(move).toThrow("can't be moved into itself");
  expect(desk.papers.mustGet(paper.id).paper.version).toBe(1);
  desk.close();
});
