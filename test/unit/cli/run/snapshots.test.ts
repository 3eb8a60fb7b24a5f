/** Runs as files: carried to another folder, as to another machine, and everything that may be wrong with such a file. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../../../../src/effects/index.ts";
import { createJournalFile } from "../../../../src/store/index.ts";
import type { CliResult } from "../../../support/command-environment.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("snapshots");

const here = (name: string, ...args: string[]): Promise<CliResult> =>
  harnHere(args, { cwd: join(folder, name) });
const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const get = (name: string): string => readFileSync(join(folder, name), "utf8");

/** Says where it is, writes there, and fails for want of a file. */
const script = `let at = cwd()
println("at \${at}")
write_file("\${at}/own.txt", "\${at}/own \${"x".repeat(600)}")
println(read_file("own.txt").len())
println(read_file("\${at}/missing.txt"))
write_file("\${at}/after.txt", "done")`;

async function failedRun(name: string): Promise<string> {
  mkdirSync(join(folder, name));
  put(`${name}/a.harn`, script);
  expect((await here(name, "run", "a.harn")).status).toBe(1);
  expect((await here(name, "runs", "export", "last", "run.json")).status).toBe(0);
  return get(`${name}/run.json`);
}

type Records = Record<string, unknown>[];

/** The file with its records changed by hand, sealed again as somebody without the user's key would. */
function forged(text: string, change: (records: Records) => void): string {
  const records = text
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  for (const record of records) delete record.x;
  change(records);
  const file = join(folder, "forged.json");
  const writer = createJournalFile(file);
  for (const record of records) writer.append(record);
  writer.flush();
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  const seal = { t: "seal", digest, mac: "", key: "of somebody else" };
  writer.append(seal as unknown as JournalRecord);
  writer.close();
  const made = readFileSync(file, "utf8");
  rmSync(file);
  return made;
}

describe("a run that is carried to another folder", () => {
  it("goes on there: what it was told of its own folder is told of the new one", async () => {
    const file = await failedRun("home");
    mkdirSync(join(folder, "away"));
    put("away/run.json", file);
    put("away/missing.txt", "found");
    const imported = await here("away", "runs", "import", "run.json");
    expect(imported).toMatchObject({ stderr: "", status: 0 });
    const on = await here("away", "run", "--resume", "last");
    expect(on).toMatchObject({ stdout: "found\n", status: 0 });
    expect(get("away/after.txt")).toBe("done");
    expect(() => get("home/after.txt")).toThrow();
    const replayed = await here("away", "replay", "last");
    expect(replayed.stdout).toMatch(/^at .*\/away\n\d+\nfound\n$/);
    expect(replayed).toMatchObject({ stderr: "", status: 0 });
    // Taken over once more, it is still the same run.
    expect((await here("away", "runs", "import", "run.json")).stdout).toBe(imported.stdout);
  });

  it("a path that stands in the script's own text stays what it was", async () => {
    mkdirSync(join(folder, "fixed"));
    const fixed = join(folder, "fixed");
    put("fixed/a.harn", `write_file("${fixed}/own.txt", "x")\nprintln(read_file("none.txt"))`);
    expect((await here("fixed", "run", "a.harn")).status).toBe(1);
    await here("fixed", "runs", "export", "last", "run.json");
    mkdirSync(join(folder, "fixed-away"));
    put("fixed-away/run.json", get("fixed/run.json"));
    put("fixed-away/none.txt", "here");
    expect(await here("fixed-away", "run", "--resume", "run.json")).toMatchObject({
      stdout: "here\n",
      status: 0,
    });
  });

  it("a folder whose name only begins alike is another one", async () => {
    mkdirSync(join(folder, "near"));
    put("near/a.harn", `println("\${cwd()}-2 and \${cwd()}")\nprintln(read_file("none.txt"))`);
    await here("near", "run", "a.harn");
    await here("near", "runs", "export", "last", "run.json");
    mkdirSync(join(folder, "near-2"));
    put("near-2/run.json", get("near/run.json"));
    await here("near-2", "runs", "import", "run.json");
    const shown = (await here("near-2", "replay", "last")).stdout;
    expect(shown).toContain("/near-2-2 and ");
  });
});

describe("a file that is refused", () => {
  it("says what is wrong, and the store stays as it is", async () => {
    const file = await failedRun("source");
    mkdirSync(join(folder, "target"));
    const refused = async (name: string, text: string): Promise<string> => {
      put(`target/${name}`, text);
      const resumed = await here("target", "run", "--resume", name);
      const imported = await here("target", "runs", "import", name);
      expect([resumed.status, imported.status]).toEqual([1, 1]);
      expect(resumed.stderr + imported.stderr).not.toContain("    at ");
      expect((await here("target", "runs")).stdout).toMatch(/^no runs in /);
      return resumed.stderr;
    };
    expect(await refused("edited.json", file.replace("missing.txt", "other.txt"))).toMatch(/was changed/);
    expect(await refused("empty.json", "")).toMatch(/empty|nothing|no journal/);
    expect(await refused("binary.json", "\u0000\u0001\u0002")).toContain("not a journal of harn");
    expect(await refused("cut.json", file.slice(0, 40))).toContain("cut.json");
    const outside = (records: Records): void => {
      (records[0] as { entry: string }).entry = "{project}/../../etc/passwd";
    };
    expect(await refused("outside.json", forged(file, outside))).toContain(
      "carries a path outside its roots: {project}/../../etc/passwd",
    );
    const newer = (records: Records): void => {
      (records[0] as { format: number }).format = 99;
    };
    expect(await refused("newer.json", forged(file, newer))).toContain("format 99");
  });

  it("a run of another script stops at the first thing that differs", async () => {
    const file = await failedRun("first");
    mkdirSync(join(folder, "second"));
    put("second/run.json", file);
    put("second/other.harn", 'println("mine")\nwrite_file("mine.txt", "x")');
    const other = await here("second", "run", "--resume", "run.json", "other.harn");
    expect(other).toMatchObject({ stdout: "", status: 3 });
    expect(other.stderr).toContain("recorded: cwd");
    expect(other.stderr).toContain("asked:    write_file");
    expect(() => get("second/mine.txt")).toThrow();
  });
});
