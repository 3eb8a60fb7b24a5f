/** `harn replay --script`: another version of the script against what was recorded. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("replay-script");

it("notices what no longer happens, with both sides", async () => {
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(cwd, name), "text");
  const first = 'println(read_file("a.txt"))';
  writeFileSync(join(cwd, "p.harn"), `${first}\nread_file("b.txt")`);
  writeFileSync(join(cwd, "p2.harn"), first);
  expect(await harnHere(["run", "p.harn"], { cwd })).toMatchObject({ status: 0 });
  expect(await harnHere(["replay", "last"], { cwd })).toMatchObject({
    stdout: "text\n",
    stderr: "",
    status: 0,
  });
  const less = await harnHere(["replay", "--script", "p2.harn", "last"], { cwd });
  expect(less.status).toBe(3);
  expect(less.stderr).toContain("the program ends earlier than it did then");
  expect(less.stderr).toContain("effect 0#1 read_file comes next");
  expect(less.stderr).toContain("nothing, the program has ended");
  expect(less.stderr).toContain("HARN-CLI-030");
});
