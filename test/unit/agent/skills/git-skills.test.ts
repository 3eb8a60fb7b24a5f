/**
 * Skills of git repositories (agents.md §15.2, issue 12): fetched once by commit, replayed without git, held by the rules of
 * the run; what a hostile repository brings stays behind.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("git-skills");
let root = "";
let repository = "";
let project = "";

/** Git with an identity of its own and none of the machine's settings. */
function git(...words: string[]): string {
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b.test",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b.test",
  };
  return execFileSync("git", ["-C", repository, ...words], { env, encoding: "utf8" }).trim();
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function commit(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) put(join(repository, path), text);
  git("add", "-A");
  git("commit", "-qm", "more");
  return git("rev-parse", "HEAD");
}

const skill = (description: string): string =>
  `---\ndescription: ${description}\n---\nBody of ${description}.\n`;
const show = `
for s in skill_list(skills) { println("\${s.name}: \${s.description}") }
println(try { load_skill("t/ship") } catch (e) { e })
`;
const source = (lines: string): void =>
  put(join(project, "harn.toml"), `[[skill.source]]\ntype = "git"\nnamespace = "t"\n${lines}\n`);
const run = async (...flags: string[]) => await harnHere(["run", ...flags, "main.harn"], { cwd: project });
/** Beside a server of this process. */
const later = async (...flags: string[]) => await harnHere(["run", ...flags, "main.harn"], { cwd: project });
const kept = (): string => join(project, ".harn/skill-sources");

beforeEach(() => {
  root = fresh();
  repository = join(root, "repository");
  project = join(root, "project");
  mkdirSync(repository);
  mkdirSync(project);
  git("init", "-q", "-b", "main");
  put(join(project, "main.harn"), show);
});

describe("a repository", () => {
  it("is fetched by its branch, looked at again in each run, and stays when it can't be reached", async () => {
    commit({ "ship/SKILL.md": skill("first"), "notes.txt": "no skill" });
    source(`url = "file://${repository}"\nbranch = "main"`);
    expect((await run()).stdout).toBe("t/ship: first\nBody of first.\n");
    commit({ "ship/SKILL.md": skill("second") });
    expect(await run()).toMatchObject({ status: 0, stderr: "", stdout: "t/ship: second\nBody of second.\n" });
    rmSync(repository, { recursive: true });
    expect((await run("--deny", "process")).stdout).toContain("second");
    const gone = await run();
    expect(gone.stdout).toBe("t/ship: second\nBody of second.\n");
    expect(gone.stderr).toContain("can't be asked for what is new (no such file or folder)");
    mkdirSync(repository);
  });

  it("is replayed without git, network and files", async () => {
    commit({ "ship/SKILL.md": skill("first") });
    source('url = "../repository"');
    const before = await run("--record", "run.jsonl");
    expect(before.stderr).toBe("");
    rmSync(kept(), { recursive: true });
    rmSync(repository, { recursive: true });
    const again = await harnHere(["replay", "run.jsonl"], {
      cwd: project,
      env: { PATH: dirname(process.execPath) },
    });
    expect(again).toMatchObject({ status: 0, stdout: before.stdout });
    mkdirSync(repository);
  });

  it("is pinned: a commit is never asked for again, a tag is asked for once", async () => {
    const first = commit({ "ship/SKILL.md": skill("first") });
    git("tag", "-am", "one", "v1");
    commit({ "ship/SKILL.md": skill("second") });
    for (const line of [`rev = "${first}"`, 'tag = "v1"']) {
      source(`url = "../repository"\n${line}`);
      expect(await run()).toMatchObject({ stderr: "", stdout: "t/ship: first\nBody of first.\n" });
    }
    git("tag", "-f", "v1", "HEAD");
    expect((await run()).stdout).toContain("first");
    rmSync(repository, { recursive: true });
    expect(await run("--deny", "process,net")).toMatchObject({
      stderr: "",
      stdout: "t/ship: first\nBody of first.\n",
    });
    mkdirSync(repository);
    expect(
      readdirSync(join(kept(), readdirSync(kept())[0]!)).filter((name) => !name.endsWith(".txt")),
    ).toEqual([first]);
  });

  it("has its skills in a folder, if the source says so", async () => {
    commit({ "agents/skills/ship/SKILL.md": skill("deep"), "other/SKILL.md": skill("other") });
    source('url = "../repository"\npath = "agents/skills"');
    expect((await run()).stdout).toBe("t/ship: deep\nBody of deep.\n");
    source('url = "../repository"\npath = "agents/none"');
    expect((await run()).stderr).toContain("has no folder agents/none in ");
  });

  it("is fetched once where many ask at once", async () => {
    commit({ "ship/SKILL.md": skill("first") });
    source('url = "../repository"');
    put(join(project, "main.harn"), "println(parallel(4) { _i -> skill_count(skills) })");
    await run();
    const shown = await harnHere(["runs", "show", "last"], { cwd: project });
    expect(shown.stdout.match(/skills\.fetch/g)).toHaveLength(1);
  });
});

describe("what is wrong with it", () => {
  const said = async (lines: string, ...flags: string[]): Promise<string> => {
    source(lines);
    const { stdout, stderr, status } = await later(...flags);
    expect(status).toBe(0);
    expect(stdout).not.toContain("Body of");
    return stderr.replace(/^warning: skills: .*?harn\.toml: /, "").trimEnd();
  };

  beforeEach(() => void commit({ "ship/SKILL.md": skill("first") }));

  it("is said in words for people", async () => {
    expect(await said('url = "../repository"\nbranch = "mian"')).toContain('it has no branch "mian"');
    expect(await said('url = "../repository"\ntag = "v9"')).toContain('it has no tag "v9"');
    expect(await said(`url = "../repository"\nrev = "${"0".repeat(40)}"`)).toContain("it has no commit");
    expect(await said('url = "../nowhere"')).toContain("is left out: no such file or folder");
    expect(await said('url = "../project"')).toContain("there is no repository that may be read");
  });

  it.each([
    ['url = "ext::sh -c touch% hacked"', "has a blank or a control character"],
    ['url = "ext::touch"', "names a program"],
    ['url = "--upload-pack=touch"', "looks like an option"],
    ['url = "ssh://-oProxyCommand=touch/x"', "is no address"],
    ['url = "git://a.test/x"', "is of a kind that is not taken"],
    ['url = "file://elsewhere/x"', "names no folder of this machine"],
    ['url = "file:///a%zz"', "is followed by no byte of a text"],
    ['url = "../repository"\nrev = "abc"', "`rev` is no whole id of a commit"],
    ['url = "../repository"\nbranch = "--upload-pack=x"', "is no name of a branch"],
    ['url = "../repository"\nbranch = "a..b"', "is no name of a branch"],
    ['url = "../repository"\nbranch = "main"\ntag = "v1"', "takes one of"],
    ['url = "../repository"\npath = "../.."', "`path` is no folder in the repository"],
    ['branch = "main"', "needs a `url`"],
  ])("%s", async (lines, words) => {
    expect(await said(lines)).toContain(words);
    expect(existsSync(kept())).toBe(false);
  });

  it("is found by harn check", async () => {
    source('url = "../repository"\nbrnach = "main"');
    const { status, stderr, stdout } = await harnHere(["check", "main.harn"], { cwd: project });
    expect(status).toBe(1);
    expect(stdout + stderr).toContain("branch");
  });

  it("a password is never asked for", async () => {
    const { createServer } = await import("node:http");
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(401, { "www-authenticate": 'Basic realm="private"' }).end();
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    try {
      const words = await said(`url = "http://user@127.0.0.1:${port}/r.git"`);
      expect(words).toContain("it asks for a login, and nobody is asked for passwords here");
      expect(words).not.toContain("user@");
      expect(asked.length).toBeGreaterThan(0);
      asked.length = 0;
      source(`url = "http://127.0.0.1:${port}/r.git"`);
      const env = { HARN_EGRESS_DENY: "127.0.0.0/8" };
      const blocked = await harnHere(["run", "main.harn"], { cwd: project, env });
      expect(blocked.stderr).toContain("EgressBlocked: skills_fetch blocked 127.0.0.1");
      expect((await later("--deny", "net")).stderr).toContain("needs the capability net");
      expect((await later("--deny", "process")).stderr).toContain("needs the capability process");
      expect(asked.filter((path) => path !== "")).toEqual([]);
    } finally {
      await new Promise<void>((done) => void server.close(() => done()));
    }
  });

  it("a redirect is not followed", async () => {
    const { createServer } = await import("node:http");
    const server = createServer((_request, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/elsewhere/info/refs" }).end(),
    );
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    try {
      expect(await said(`url = "http://127.0.0.1:${port}/r.git"`)).toContain(
        "its server sends git on to another address",
      );
    } finally {
      await new Promise<void>((done) => void server.close(() => done()));
    }
  });

  it("a folder that may not be read is not fetched from", async () => {
    expect(await said('url = "../repository"', "--deny", `fs.read=${repository}`)).toContain(
      "which `deny` names for fs.read",
    );
  });
});

describe("a hostile repository", () => {
  it("brings plain files only: no links, submodules, hooks, filters", async () => {
    put(join(root, "secret.txt"), "SECRET");
    mkdirSync(join(repository, "ship"));
    symlinkSync(join(root, "secret.txt"), join(repository, "ship/link.txt"));
    mkdirSync(join(repository, "away"));
    symlinkSync(join(root, "secret.txt"), join(repository, "away/SKILL.md"));
    symlinkSync("/etc", join(repository, "etc"));
    commit({
      "ship/SKILL.md": skill("first"),
      ".gitattributes": "* filter=evil\n",
      ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh\n',
    });
    git("config", "filter.evil.smudge", `touch ${join(root, "hacked")}`);
    put(join(repository, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${join(root, "hacked")}\n`);
    execFileSync("chmod", ["+x", join(repository, ".git/hooks/post-checkout")]);
    git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "HEAD")},x`);
    git("commit", "-qm", "submodule");
    put(join(root, "home/.gitconfig"), `[filter "evil"]\n\tsmudge = touch ${join(root, "hacked")}\n`);
    source('url = "../repository"');
    const { stdout, stderr } = await harnHere(["run", "main.harn"], {
      cwd: project,
      env: { HOME: join(root, "home") },
    });
    expect({ stdout, stderr }).toEqual({ stdout: "t/ship: first\nBody of first.\n", stderr: "" });
    const files = execFileSync("find", [kept(), "-mindepth", "3"], { encoding: "utf8" });
    expect(
      files
        .trim()
        .split("\n")
        .map((path) => path.replace(/^.*\/[0-9a-f]{40}\//, ""))
        .sort(),
    ).toEqual([".gitattributes", ".gitmodules", "ship", "ship/SKILL.md"]);
    expect(existsSync(join(root, "hacked"))).toBe(false);
  });

  it("that is huge is refused, and leaves nothing behind", async () => {
    for (let index = 0; index <= 70; index++) put(join(repository, `big/${index}`), "x".repeat(1_000_000));
    commit({ "ship/SKILL.md": skill("first") });
    source('url = "../repository"');
    const { stderr } = await run();
    expect(stderr).toContain("its files are larger than 64 MB");
    const left = execFileSync("find", [kept(), "-mindepth", "2"], { encoding: "utf8" });
    expect(left).toBe("");
  });

  it("a variable of git's in the environment leads nowhere else", async () => {
    commit({ "ship/SKILL.md": skill("first") });
    source('url = "../repository"');
    const { stdout } = await harnHere(["run", "main.harn"], {
      cwd: project,
      env: { GIT_DIR: "/nowhere", GIT_WORK_TREE: "/nowhere", GIT_INDEX_FILE: "/nowhere/i" },
    });
    expect(stdout).toContain("Body of first.");
    expect(readFileSync(join(repository, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
  });
});
