/** `harn init`: each template is a project that checks, formats, tests and runs as it is; nothing is overwritten. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { templateNames } from "../../../src/cli/init/template-names.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import type { CliResult } from "../../support/command-environment.ts";
import { docBlocks } from "../../support/doc-pages.ts";
import { harnHere } from "../../support/harn-here.ts";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("init");

/** What `main.harn` prints on its tape. */
const prints: Readonly<Record<string, string>> = {
  agent: "On Mondays and Thursdays (note: garden).\n(done after 3 turns)\n",
  daemon: "The electricity bill is filed under bills.\nbills: Electricity, 84 francs\n",
  eval: "75 % passed\n",
  library: "The cat on the mat\n",
};

/** One in TypeScript is a project of npm: `package-template.test.ts` runs it with the package. */
const ofScripts = templateNames.filter((name) => name !== "typescript");

describe.each(ofScripts)("the template %s", (template) => {
  const cwd = join(folder, `A ${template} of mine`);
  const inside = (...args: string[]): Promise<CliResult> => harnHere(args, { cwd });

  it("becomes a project", async () => {
    const { stdout, stderr, status } = await harnHere(["init", cwd, "--template", template], {
      cwd: folder,
      env: { npm_command: "test" },
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toContain("  harn run --tape tape.jsonl main.harn\n");
    expect(readdirSync(cwd)).toEqual(
      expect.arrayContaining([".gitignore", "README.md", "harn.toml", "main.harn", "tape.jsonl", "tests"]),
    );
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toMatch(/^\.harn\/$/m);
  });

  it("says how to call a harn that `npx` started", async () => {
    const { stdout } = await harnHere(["init", `by npx ${template}`, "--template", template], {
      cwd: folder,
      env: { npm_command: "exec" },
    });
    expect(stdout).toContain("  npx --no-install harn test\n");
  });

  it("is named after its folder, everywhere", () => {
    const name = `a-${template}-of-mine`;
    expect(readFileSync(join(cwd, "harn.toml"), "utf8")).toContain(`name = "${name}"\n`);
    expect(readFileSync(join(cwd, "README.md"), "utf8")).toMatch(new RegExp(`^# ${name}\n`));
    for (const file of readdirSync(cwd, { recursive: true, encoding: "utf8" }))
      if (/\.\w+$/.test(file)) expect(readFileSync(join(cwd, file), "utf8")).not.toContain("new-project");
  });

  it("has nothing to find fault with", async () => {
    expect(await inside("check", ".")).toMatchObject({ stderr: "", status: 0 });
    expect(await inside("fmt", "--check", ".")).toMatchObject({ stdout: "", stderr: "", status: 0 });
    expect(await inside("lint", ".")).toMatchObject({ stderr: "", status: 0 });
  });

  it("passes its tests and runs, twice", async () => {
    for (let time = 0; time < 2; time++) {
      const tested = harn(["test"], { cwd });
      expect(tested).toMatchObject({ stderr: "", status: 0 });
      expect(tested.stdout).toMatch(/\n[2-9] passed in /);
      const ran = await inside("run", "--tape", "tape.jsonl", "main.harn");
      expect(ran).toMatchObject({ stderr: "", status: 0 });
      expect(ran.stdout).toContain(prints[template]!);
    }
    expect((await inside("replay", "last")).stdout).toContain(prints[template]!);
  });

  it("has a README whose programs parse and whose table names files that are there", () => {
    const page = `templates/${template}/README.md`;
    const programs = docBlocks(page).filter(({ info }) => info === "harn");
    for (const { text } of programs) expect(parse(new SourceFile(page, text)).diagnostics).toEqual([]);
    const named = [...readFileSync(join(cwd, "README.md"), "utf8").matchAll(/^\| `([^`]+)` \|/gm)];
    expect(named.length).toBeGreaterThan(3);
    for (const [, file] of named) expect(existsSync(join(cwd, file!)), file).toBe(true);
  });
});

describe("harn init", () => {
  it("every folder below templates/ can be named", () =>
    expect(readdirSync(join(projectRoot, "templates")).sort()).toEqual([...templateNames].sort()));

  it("makes an agent in the current folder when nothing is said", async () => {
    const cwd = join(folder, "plain");
    mkdirSync(cwd);
    expect(await harnHere(["init"], { cwd })).toMatchObject({ stderr: "", status: 0 });
    expect(readFileSync(join(cwd, "main.harn"), "utf8")).toContain("agent_loop(");
  });

  it("overwrites nothing, says what is there, and writes nothing else", async () => {
    const cwd = join(folder, "used");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "main.harn"), "1\n");
    writeFileSync(join(cwd, "README.md"), "mine\n");
    expect(await harnHere(["init"], { cwd })).toMatchObject({
      stdout: "",
      stderr:
        "harn: this folder has README.md, main.harn already; nothing was written. Name another folder, or move what is there (HARN-CLI-008)\n",
      status: 1,
    });
    expect(readdirSync(cwd).sort()).toEqual(["README.md", "main.harn"]);
    expect(readFileSync(join(cwd, "main.harn"), "utf8")).toBe("1\n");
  });

  it("names the templates when it does not know one, and a folder that is none", async () => {
    const unknown = await harnHere(["init", "--template", "robot"], { cwd: folder });
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain("agent, eval, daemon, library, typescript");
    writeFileSync(join(folder, "file"), "");
    const file = await harnHere(["init", "file"], { cwd: folder });
    expect(file.status).toBe(1);
    expect(file.stderr).toMatch(/^harn: Error writing .+: .+\n$/);
  });
});

describe("a library made by `harn init`", () => {
  it("is imported as its README says", async () => {
    const cwd = join(folder, "user");
    mkdirSync(join(cwd, ".harn/packages"), { recursive: true });
    await harnHere(["init", ".harn/packages/words", "--template", "library"], { cwd });
    const [program] = docBlocks("templates/library/README.md").filter(({ info }) => info === "harn");
    writeFileSync(join(cwd, "use.harn"), program!.text.replaceAll("new-project", "words"));
    expect(await harnHere(["run", "use.harn"], { cwd })).toMatchObject({
      stdout: "{be: 2, not: 1, or: 1, to: 2}\n",
      stderr: "",
    });
  });
});
