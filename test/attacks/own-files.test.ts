/**
 * The runtime's own files in a project that somebody else has made: a link in the place of one is not followed to files of the user,
 * and what is made is open to its owner alone, whatever the umask says.
 */
// suite: processes
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { EmbeddedOperations } from "../../src/durable/index.ts";
import { StoreAccess, systemClock } from "../../src/server/index.ts";
import { adminOf } from "../../src/server/local/server-access.ts";
import { openStore } from "../../src/store/index.ts";
import { type CliResult, cleanEnvironment } from "../support/command-environment.ts";
import { launcher } from "../support/project.ts";
import { tempFolders } from "../support/temp-folder.ts";

const freshFolder = tempFolders("own-files");
let project = "";
let home = "";
beforeEach(() => {
  const folder = freshFolder();
  project = join(folder, "project");
  home = join(folder, "home");
  for (const one of [project, home]) mkdirSync(one);
  writeFileSync(join(home, "file"), "precious");
  writeFileSync(
    join(project, "a.harn"),
    'append_file("log", "x")\nstore_set("k", 1)\ncheckpoint("c", 1)\nmetadata_set("d", "n", {k: 1})\nmetadata_save()\nprintln("end")',
  );
});

function run(args: readonly string[], env: Record<string, string> = {}): CliResult {
  // The state folder is that of the project, as users have it.
  const own = { ...cleanEnvironment(), HARN_STATE_DIR: "", ...env };
  return spawnSync(launcher, args, { cwd: project, env: own, encoding: "utf8" }) as unknown as CliResult;
}

const homeIsAsItWas = (): void => {
  expect(readdirSync(home)).toEqual(["file"]);
  expect(readFileSync(join(home, "file"), "utf8")).toBe("precious");
};

test.each([
  [".harn", "home"],
  [".harn/state.db", "home/file"],
  [".harn/state.db", "home/new"],
  [".harn/state.db-wal", "home/file"],
  [".harn/store.json", "home/file"],
  [".harn/checkpoints", "home"],
  [".harn/metadata", "home"],
])("%s as a link to %s is refused, with the variable that names another folder", (link, to) => {
  if (link !== ".harn") mkdirSync(join(project, ".harn"));
  symlinkSync(join(project, "..", to), join(project, link));
  const ran = run(["run", "a.harn"]);
  expect(ran.stderr).toContain(`/project/${link} is a link: harn follows none of a project to its own files`);
  expect(ran.stderr).toContain("with HARN_STATE_DIR");
  expect(ran.stderr).not.toMatch(/internal error|^ {4}at /m);
  homeIsAsItWas();
});

test.each([["runs"], ["runs", "repair"], ["hitl", "list"], ["serve", "token", "list"]])(
  "`harn %s %s` looks through no link",
  (...command) => {
    symlinkSync(home, join(project, ".harn"));
    const ran = run(command.filter((word) => word !== undefined));
    expect(ran.status).not.toBe(0);
    expect(ran.stderr).toContain("/project/.harn is a link");
    homeIsAsItWas();
  },
);

test("a folder that the variable names may be a link, what lies in it may not", () => {
  const other = join(home, "..", "other");
  mkdirSync(other);
  symlinkSync(other, join(project, "state"));
  expect(run(["run", "a.harn"], { HARN_STATE_DIR: "state" })).toMatchObject({ status: 0, stdout: "end\n" });
  expect(readdirSync(other)).toContain("state.db");
  expect(run(["run", "a.harn"], { HARN_STATE_DIR: "state" }).status).toBe(0);
  rmSync(join(other, "store.json"));
  symlinkSync(join(home, "file"), join(other, "store.json"));
  expect(run(["run", "a.harn"], { HARN_STATE_DIR: "state" }).stderr).toContain("store.json is a link");
  rmSync(join(other, "store.json"));
  homeIsAsItWas();
  symlinkSync(other, join(project, ".harn"));
  expect(run(["run", "a.harn"], { HARN_STATE_DIR: ".harn" })).toMatchObject({ status: 0, stdout: "end\n" });
});

test("the token of a server is not written through a link", () => {
  const state = join(project, ".harn");
  const store = openStore(state);
  symlinkSync(join(home, "file"), join(state, "serve.token"));
  adminOf(new StoreAccess(new EmbeddedOperations(store), systemClock), state, undefined);
  store.close();
  homeIsAsItWas();
  const token = statSync(join(state, "serve.token"));
  expect([token.isFile(), token.mode & 0o777]).toEqual([true, 0o600]);
});

test.each([["run"], ["run --no-record"]])("with umask 0, own folders are 700: harn %s", (words) => {
  const env = { ...cleanEnvironment(), HARN_STATE_DIR: "" };
  const line = `umask 0; exec "$0" ${words} a.harn`;
  expect(spawnSync("sh", ["-c", line, launcher], { cwd: project, env, encoding: "utf8" })).toMatchObject({
    status: 0,
    stdout: "end\n",
  });
  const own = readdirSync(join(project, ".harn"), { recursive: true, withFileTypes: true });
  const open = own
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(statSync(join(project, ".harn")).mode & 0o777).toBe(0o700);
});
