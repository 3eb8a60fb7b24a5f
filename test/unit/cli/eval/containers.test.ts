/** Trials in containers, and folders of tasks, with a stand-in for the engine (docs/evals.md). */
// long: kills and takes away engines of containers
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { projectRoot } from "../../../support/project.ts";
import { harn } from "../../../support/run-cli.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-containers");
let cwd: string;
let engine: string;

/** Programs by which it stands alone on PATH: Node, and what lines of the shell need. */
const plainPath = `${dirname(process.execPath)}:/usr/bin:/bin`;

beforeEach(() => {
  const root = fresh();
  cwd = join(root, "work");
  engine = join(root, "engine");
  mkdirSync(cwd);
  mkdirSync(join(engine, "bin"), { recursive: true });
  symlinkSync(join(projectRoot, "test/support/stand-in-docker.mjs"), join(engine, "bin", "docker"));
  image("plain");
});

/** An image with files, by their absolute paths. */
function image(name: string, files: Readonly<Record<string, string>> = {}): void {
  mkdirSync(join(engine, "images", name), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const to = join(engine, "images", name, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};

/** No other engine may answer, so its folder has nothing but what is needed. */
const environment = (): Record<string, string> => ({
  STAND_IN_DOCKER: engine,
  PATH: `${join(engine, "bin")}:${withoutEngines()}`,
});

/** This machine may have an engine: tests see `docker` of the stand-in alone. */
function withoutEngines(): string {
  const bin = join(engine, "tools");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    const tools =
      "sh bash env cat ls rm mkdir mv cp chmod stat head tail tar readlink mktemp sleep grep rmdir tr kill touch printf id ps which dirname uname realpath test";
    for (const tool of tools.split(" ")) {
      const found = plainPath
        .split(":")
        .map((folder) => join(folder, tool))
        .find(existsSync);
      if (found !== undefined && !existsSync(join(bin, tool))) symlinkSync(found, join(bin, tool));
    }
  }
  return bin;
}

const run = (...args: string[]) => harn(["eval", ...args], { cwd, env: environment() });
const withoutEngine = (...args: string[]) =>
  harn(["eval", ...args], { cwd, env: { PATH: withoutEngines() } });
const calls = (): string[][] =>
  readFileSync(join(engine, "log.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as string[]);
const called = (command: string): string[][] => calls().filter(([name]) => name === command);
const boxes = (): string[] => {
  const folder = join(engine, "containers");
  return existsSync(folder) ? readdirSync(folder) : [];
};

const script = (solver: string, more: string): string => `import "std/eval"
eval_pack t {
  dataset: [{id: "a", files: {"in.txt": "hello"}, target: "HELLO"}]
  solver: { _sample, trial ->
    ${solver}
  }
  ${more}
}
`;
const inPlain = 'sandbox: {container: {image: "plain"}}\n  scorers: [no_error()]';

describe("a trial in a container", () => {
  it("has its files and programs there, and what it left outside of it; a replay needs no engine", () => {
    put("keep.md", "of the script");
    put("checks/run.sh", "cat out.txt | grep -q HELLO\n");
    put(
      "t.harn",
      script(
        `write_file("out.txt", read_file("in.txt").uppercase())
    shell("echo $GREET $IMAGE > greet.txt; rm old.txt")
    mkdir("sub")
    write_file(trial.sandbox + "/sub/deep.txt", "deep")
    append_file("sub/deep.txt", "er")
    copy_file("sub/deep.txt", "copy.txt")
    move_file("copy.txt", "moved.txt")
    let seen = {
      folder: trial.sandbox, names: list_dir(".").sort(), size: stat("out.txt").size, env: exec("env").stdout.contains("STAND_IN_DOCKER"), missing: try { exec("no-such-program") } catch (e) { e },
      gone: try { read_file("nope.txt") } catch (e) { e }, status: exec("sh", "-c", "exit 3").status,
      clean: exec_opts(["sh", "-c", "echo [$IMAGE$A]"], {env: {A: "a"}, env_mode: "replace"}).stdout,
      late: exec_opts(["sleep", "100"], {timeout: 200ms}).timed_out,
    }
    json_stringify(seen)`,
        `sandbox: {files: {"old.txt": "old"}, env: {GREET: "hi"},
    container: {image: "plain", cpus: 1.5, memory_mb: 64, user: "1000:1000"}}
  scorers: [
    file_is("out.txt"),
    diff_is({"out.txt": "HELLO", "greet.txt": "hi yes\\n", "sub/deep.txt": "deeper", "moved.txt": "deeper", "old.txt": nil}),
    tests("sh checks/run.sh", {copy: "checks/"}),
    tests("echo 0.5 > r.txt", {reward: "r.txt", threshold: 0.5}),
    tests("sleep 30", {timeout: 300ms}),
  ]`,
      ),
    );
    const done = run("run", "t.harn", "--set", "s", "--quiet", "--json");
    expect(done.stderr).toBe("");
    const { metrics } = (
      JSON.parse(done.stdout) as { tasks: { t: { metrics: Record<string, { value: number }> } } }
    ).tasks.t;
    expect(
      Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value])),
    ).toMatchObject({
      file_is: 1,
      diff_is: 1,
      tests: 1,
      tests_2: 0.5,
      tests_3: null,
    });
    const shown = run("show", "s:a.1").stdout;
    expect(shown).toContain('"folder":"/workspace"');
    expect(shown).toContain('"names":["greet.txt","in.txt","moved.txt","out.txt","sub"]');
    for (const fact of ['"size":5', '"env":false', '"status":3', '"clean":"[a]\\n"', '"late":true'])
      expect(shown).toContain(fact);
    expect(shown).toContain("process spawn failed: no such file or folder (program 'no-such-program')");
    expect(shown).toContain("Failed to read file /workspace/nope.txt: no such file or folder");
    expect(existsSync(join(cwd, "out.txt"))).toBe(false);
    expect(boxes()).toEqual([]);
    expect(readdirSync(join(cwd, ".harn", "sandboxes"))).toEqual([]);
    const [started] = called("run");
    const [, , , name, , , , store] = started as string[];
    expect(started).toEqual([
      "run",
      "-d",
      "--name",
      name,
      "--label",
      "harn.set=s",
      "--label",
      store,
      "--network",
      "none",
      "--cpus",
      "1.5",
      "--memory",
      "64m",
      "--user",
      "1000:1000",
      "--entrypoint",
      "/bin/sh",
      "plain",
      "-c",
      "while :; do sleep 3600; done",
    ]);
    expect(name).toMatch(/^harn-[0-9a-f]{12}-s\.1$/);
    expect(store).toMatch(/^harn\.store=[0-9a-f]{16}$/);
    expect(called("exec")).toContainEqual(["exec", "--user", "0", name, "mkdir", "-p", "/workspace"]);
    expect(called("exec")).toContainEqual([
      "exec",
      "--user",
      "0",
      name,
      "chown",
      "-R",
      "1000:1000",
      "/workspace",
    ]);
    const greet = called("exec").find((args) => args.at(-1)?.startsWith("echo $GREET"));
    expect(greet?.slice(0, 5)).toEqual(["exec", "-i", "-e", "GREET=hi", "-e"]);
    expect(greet?.slice(6, 9)).toEqual([name, "/bin/sh", "-c"]);
    expect(greet?.slice(-4)).toEqual([
      "/bin/sh",
      "/bin/sh",
      "-c",
      "echo $GREET $IMAGE > greet.txt; rm old.txt",
    ]);
    expect(called("rm").at(-1)).toEqual(["rm", "-f", name]);
    const before = calls().length;
    rmSync(join(engine, "bin", "docker"));
    const replayed = withoutEngine("replay", "s");
    expect(replayed).toMatchObject({ status: 0, stderr: "" });
    expect(calls().length).toBe(before);
  });

  it("is made again from what was kept, for scorers that are run again", () => {
    put("check.sh", "grep -q hello in.txt && grep -q new made.txt && [ ! -e old.txt ]\n");
    put(
      "t.harn",
      script(
        'write_file("made.txt", "new")\n    delete_file("old.txt")\n    "ok"',
        'sandbox: {files: {"old.txt": "old"}, container: {image: "plain"}}\n  scorers: [tests("sh check.sh", {copy: "check.sh"})]',
      ),
    );
    expect(run("run", "t.harn", "--set", "s", "--quiet").status).toBe(0);
    const again = run("score", "s", "--quiet");
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(run("show", "s:a.1").stdout).toMatch(/ tests {2}pass/);
    expect(called("run")).toHaveLength(2);
    expect(boxes()).toEqual([]);
    expect(withoutEngine("replay", "s").status).toBe(0);
  });

  it("is built from a folder once, works where its image says, and reaches a network when it is told so", () => {
    put("box/Dockerfile", "FROM scratch\nWORKDIR /app\n");
    put(
      "t.harn",
      script(
        'write_file("x.txt", "x")\n    trial.sandbox',
        'epochs: 2\n  sandbox: {container: {build: "box", network: true}}\n  scorers: [file_is("x.txt", "x")]',
      ),
    );
    expect(run("run", "t.harn", "--set", "s", "--quiet").status).toBe(0);
    const built = called("build");
    expect(built).toEqual([
      ["build", "-q", "-t", expect.stringMatching(/^harn-eval:[0-9a-f]{16}$/), join(cwd, "box")],
    ]);
    expect(
      called("run").every((args) => !args.includes("--network") && args.includes(built[0]?.[3] as string)),
    ).toBe(true);
    expect(run("show", "s:a.1").stdout).toContain("/app");
  });

  it("is no way around rules of the run, and has no databases and servers over pipes of this machine", () => {
    put(
      "t.harn",
      script(
        `let base = try { sqlite_cache_get("c.db", "space", "k") } catch (e) { e }
    let server = try { mcp_connect({command: "cat"}) } catch (e) { e }
    "\${base} | \${server}"`,
        inPlain,
      ),
    );
    put("denied.harn", `${readFileSync(join(cwd, "t.harn"), "utf8")}\nprintln(eval_run().why)`);
    const denied = harn(["run", "--deny", "process", "denied.harn"], { cwd, env: environment() });
    expect(denied.stdout + denied.stderr).toContain("process");
    expect(called("run")).toEqual([]);
    expect(run("run", "t.harn", "--set", "s", "--quiet").status).toBe(0);
    const shown = run("show", "s:a.1").stdout;
    expect(shown).toContain("a trial in a container has no databases and no store of its own");
    expect(shown).toContain("a trial in a container can't start a server over pipes");
  });
});

describe("what a process leaves", () => {
  const slow = (more = ""): string =>
    script(
      `let a = llm_call("one", nil, {provider: "mock"}).text
    write_file("step.txt", "1")
    if !file_exists("go.txt") {
      shell("touch started; while [ ! -e go.txt ]; do sleep 0.05; done")
    }
    "\${a} \${read_file("step.txt")}"${more}`,
      inPlain,
    );

  async function killedInTheMiddle(): Promise<string> {
    put("t.harn", `llm_mock({text: "first"})\n${slow()}`.replace(/^(llm_mock.*)\n(import.*)\n/, "$2\n$1\n"));
    const running = startHarn(["eval", "run", "t.harn", "--set", "s", "--quiet"], {
      cwd,
      env: environment(),
    });
    const step = (): boolean => {
      const [name] = boxes();
      return name !== undefined && existsSync(join(engine, "containers", name, "root/workspace/started"));
    };
    const late = Date.now() + 90_000;
    while (!step()) {
      if (Date.now() > late) throw new Error("the trial did not come to its program");
      await pause(50);
    }
    running.child.kill("SIGKILL");
    await running.ended;
    return boxes()[0] as string;
  }

  it("is gone on in by `resume`, with its programs ended; other leftovers of the set are removed", async () => {
    const name = await killedInTheMiddle();
    const labels = JSON.parse(readFileSync(join(engine, "containers", name, "meta.json"), "utf8")) as object;
    const stray = join(engine, "containers", "harn-stray");
    mkdirSync(stray);
    writeFileSync(join(stray, "meta.json"), JSON.stringify(labels));
    const other = join(engine, "containers", "elsewhere");
    mkdirSync(other);
    writeFileSync(
      join(other, "meta.json"),
      JSON.stringify({ ...labels, labels: ["harn.set=s", "harn.store=x"] }),
    );
    writeFileSync(join(engine, "containers", name, "root/workspace/go.txt"), "");
    const resumed = run("resume", "s", "--quiet", "--on-doubt", "redo");
    expect(resumed).toMatchObject({ status: 0, stderr: "" });
    expect(called("run")).toHaveLength(1);
    expect(called("restart")).toEqual([["restart", "-t", "0", name]]);
    expect(called("rm")).toContainEqual(["rm", "-f", "harn-stray"]);
    expect(boxes()).toEqual(["elsewhere"]);
    expect(run("show", "s:a.1").stdout).toContain("first 1");
  });

  it("is removed by `stop`, when nobody works on the set; the trial begins anew then", async () => {
    await killedInTheMiddle();
    const stopped = run("stop", "s");
    expect(stopped.stderr + stopped.stdout).toContain("1 container of it removed");
    expect(stopped.status).toBe(0);
    expect(boxes()).toEqual([]);
    expect(run("stop", "s").stderr).toContain("nobody works on the set s");
  });

  it("is removed with the set by `delete`", async () => {
    await killedInTheMiddle();
    const deleted = run("delete", "s");
    expect(deleted.status, deleted.stderr).toBe(0);
    expect(boxes()).toEqual([]);
  });
});

describe("an engine that does not answer", () => {
  it.each([
    ["is not there", () => rmSync(join(engine, "bin", "docker"))],
    ["has no daemon", () => writeFileSync(join(engine, "down"), "")],
  ])("and %s: nothing is run", (_what, breakIt) => {
    put("t.harn", script('"ok"', inPlain));
    breakIt();
    const refused = run("run", "t.harn", "--set", "s", "--quiet");
    expect(refused.stdout + refused.stderr).toContain(
      "t needs a container, and neither docker nor podman answers (HARN-EVL-014)",
    );
    expect(refused.status).toBe(2);
    expect(boxes()).toEqual([]);
  });

  it("is an error of the environment when it goes away in the middle, and is tried again", () => {
    put(
      "t.harn",
      script(
        `write_file("a.txt", "a")
    if !file_exists("${join(engine, "never")}") {
      exec("sh", "-c", "echo; : > ${join(engine, "down")}")
      try { exec("true") } catch (_e) { nil }
      llm_call("never asked", nil, {provider: "mock"})
    }
    "ok"`,
        `retries: {max: 1}\n  ${inPlain}`,
      ),
    );
    const broken = run("run", "t.harn", "--set", "s", "--quiet");
    expect(broken.status).toBe(5);
    const shown = run("show", "s:a.1").stdout;
    expect(shown).toContain(
      "error (environment): t needs a container, and neither docker nor podman answers (HARN-EVL-014)",
    );
    rmSync(join(engine, "down"));
    put("t.harn", script('"ok"', `version: 1\n  ${inPlain}`));
    run("run", "t.harn", "--set", "s", "--stale", "redo", "--quiet");
    expect(run("show", "s:a.1").stdout).toContain("success");
  });

  it("says which image it can't have", () => {
    put("t.harn", script('"ok"', inPlain.replace("plain", "missing:1")));
    expect(run("run", "t.harn", "--set", "s", "--retries", "0", "--quiet").status).toBe(5);
    expect(run("show", "s:a.1").stdout).toContain(
      "error (environment): t can't have its container: docker run: docker: Error response from daemon: pull access denied for missing:1",
    );
    expect(boxes()).toEqual([]);
  });
});

describe("what can't be meant", () => {
  it.each([
    [
      '{image: "-v/:/host"}',
      'sandbox.container.image: expected the name of an image, such as `python:3.13-slim`, got string "-v/:/host"',
    ],
    ['{image: "a b"}', "sandbox.container.image: expected the name of an image"],
    ['{image: "plain", user: "--privileged"}', "sandbox.container.user: expected a name or number"],
    [
      '{image: "plain", workdir: "/"}',
      "sandbox.container.workdir: expected an absolute path below `/`, without `..`",
    ],
    [
      '{image: "plain", workdir: "/a/../../etc"}',
      "sandbox.container.workdir: expected an absolute path below `/`",
    ],
    ['{image: "plain", workdir: "a"}', "sandbox.container.workdir: expected an absolute path below `/`"],
    ['{image: "plain", build: "x"}', "sandbox.container.build: expected nothing beside `image`"],
    ['{build: "-"}', "sandbox.container.build: expected the path of a folder with a Dockerfile"],
    ["{cpus: 1}", "sandbox.container: expected a dict with `image` or `build`"],
    ['{image: "plain", cpus: 0}', "sandbox.container.cpus: expected a number above 0"],
    ['{image: "plain", memory_mb: 1}', "sandbox.container.memory_mb: expected int >= 6"],
    ['{image: "plain", network: "no"}', "sandbox.container.network: expected bool"],
    ['{image: "plain", memory: 100}', 'did you mean "memory_mb"?'],
    ["true", "sandbox.container: expected dict"],
  ])("%s is refused", (container, said) => {
    put("t.harn", script('"ok"', `sandbox: {container: ${container}}\n  scorers: [no_error()]`));
    const { status, stderr, stdout } = run("run", "t.harn", "--quiet");
    expect(stderr + stdout).toContain(said);
    expect(status).toBe(2);
    expect(existsSync(join(engine, "log.jsonl"))).toBe(false);
  });

  it("is seen before anything runs, where the program is checked", () => {
    put("t.harn", script('"ok"', 'sandbox: {container: {imag: "x", cpus: "two"}}\n  scorers: [no_error()]'));
    const { stderr, stdout, status } = harn(["check", "t.harn"], { cwd });
    expect(stderr + stdout).toContain('did you mean "image"?');
    expect(status).toBe(1);
  });

  it("is no program and no variable: options and NUL are refused inside", () => {
    put(
      "t.harn",
      script(
        `let odd = try { exec("--privileged") } catch (e) { e }
    let nul = try { exec("echo", "a\\0b") } catch (e) { e }
    let name = try { exec_opts(["true"], {env: {"A=B": "c"}}) } catch (e) { e }
    let path = try { read_file("../../../../etc/no-such-file") } catch (e) { e }
    let file = try { write_file("x\\0y", "z") } catch (e) { e }
    "\${odd} | \${nul} | \${name} | \${path} | \${file}"`,
        inPlain,
      ),
    );
    expect(run("run", "t.harn", "--set", "s", "--quiet").status).toBe(0);
    const shown = run("show", "s:a.1").stdout;
    expect(shown).toContain("no such file or folder (program '--privileged')");
    expect(shown.match(/nul byte found in provided data/g)).toHaveLength(2);
    expect(shown).toContain("a variable can't be called 'A=B'");
    expect(shown).toContain("Failed to read file");
    expect(calls().some((args) => args.some((word) => word.includes("\0")))).toBe(false);
  });
});

describe("task folders", () => {
  const task = (name: string, files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) put(`tasks/${name}/${path}`, text);
  };
  const reward = (text: string): string => `#!/bin/sh\n${text}\n`;

  beforeEach(() => {
    image("py_3", { WORKDIR: "/app", "/app/given.txt": "given" });
    task("hello", {
      "instruction.md": "Write hello into out.txt.\n",
      "task.toml": `[metadata]
difficulty = "easy"
[agent]
timeout_sec = 30.0
[verifier]
timeout_sec = 20
[environment]
docker_image = "py:3"
cpus = 2
memory_mb = 512
allow_internet = true
`,
      "solution/solve.sh": "#!/bin/sh\necho hello > out.txt\n",
      "tests/test.sh": reward(
        'cat $BOX/tests/words.txt\nif [ "$(cat out.txt 2>/dev/null)" = hello ]; then echo 1; else echo 0; fi > $BOX/logs/verifier/reward.txt',
      ),
      "tests/words.txt": "tested\n",
    });
    task("parts", {
      "instruction.md": "Do half of it.\n",
      "environment/Dockerfile": "FROM scratch\nWORKDIR /box\n",
      "tests/test.sh": reward('echo \'{"a": 1, "b": 0.5}\' > $BOX/logs/verifier/reward.json'),
    });
  });

  const pack = (solver: string, more = ""): string => `import "std/eval"
eval_pack bench {
  dataset: "tasks"
  solver: { sample, _trial -> ${solver} }
  scorers: [task_tests({threshold: 0.75})]
  ${more}
}
`;

  it("are solved and tested in the container that they name, with the reward that their tests leave", () => {
    put(
      "t.harn",
      pack(
        `
      shell("mkdir -p /logs/verifier /tests; echo 1 > /logs/verifier/reward.txt; echo mine > /tests/words.txt")
      if sample.id == "hello" { write_file("out.txt", read_file("given.txt")) }
      "\${sample.difficulty}"
    `,
      ),
    );
    const done = run("run", "t.harn", "--set", "s", "--quiet");
    expect(done).toMatchObject({ status: 0, stderr: "" });
    const hello = run("show", "s:hello.1").stdout;
    expect(hello).toMatch(/ task_tests {2}FAIL {2}0\.000/);
    expect(hello).toContain("tested");
    expect(run("show", "s:parts.1").stdout).toMatch(/ task_tests {2}pass {2}0\.750/);
    // Side by side: whichever begins first.
    const begun = called("run");
    expect(begun.find((args) => args.includes("py:3"))?.slice(8)).toEqual([
      "--cpus",
      "2",
      "--memory",
      "512m",
      "--entrypoint",
      "/bin/sh",
      "py:3",
      "-c",
      "while :; do sleep 3600; done",
    ]);
    expect(begun.find((args) => !args.includes("py:3"))).toContain("none");
    expect(called("build").map((args) => args.at(-1))).toEqual([join(cwd, "tasks/parts/environment")]);
    expect(boxes()).toEqual([]);
    expect(withoutEngine("replay", "s").status).toBe(0);
  });

  it("have their solution as oracle; one that is wrong is named", () => {
    put("t.harn", pack('""', 'where: { s -> s.id == "hello" }'));
    const right = run("check", "t.harn");
    expect(right.stdout).toContain("the oracle succeeds on 1 of 1 sample; doing nothing succeeds on none");
    expect(right.status).toBe(0);
    task("hello", { "solution/solve.sh": "#!/bin/sh\necho broken >&2; exit 4\n" });
    const wrong = run("check", "t.harn");
    expect(wrong.stdout + wrong.stderr).toContain("solution/solve.sh ended with status 4");
    expect(wrong.status).toBe(1);
  });

  it("may be told another image, and network, by the task", () => {
    image("mine");
    put(
      "t.harn",
      pack(
        '""',
        'where: { s -> s.id == "parts" }\n  sandbox: {container: {image: "mine", network: true, workdir: "/box"}}',
      ),
    );
    expect(run("run", "t.harn", "--set", "s", "--quiet").status).toBe(0);
    const [started] = called("run");
    expect(started).toContain("mine");
    expect(started).not.toContain("--network");
    expect(called("build")).toEqual([]);
  });

  it.each([
    ['[[steps]]\nname = "one"\n', "tasks of several [[steps]] are not run"],
    ['[environment]\ncpus = "two"\n', "environment.cpus must be int or float; got string"],
    ["[environment]\ndocker_image = 3\n", "environment.docker_image must be string; got int"],
    ['[environment]\ndocker_image = "--privileged"\n', "container.image: expected the name of an image"],
    ["[environment]\ngpus = 1\n", "environment.gpus: containers get no graphics processors"],
    ["[verifier]\ntimeout_sec = -1\n", "verifier.timeout_sec must be a number above 0; got -1"],
  ])("with %s are refused", (settings, said) => {
    task("parts", { "task.toml": settings });
    put("t.harn", pack('""'));
    const refused = run("run", "t.harn", "--quiet");
    expect(refused.stdout + refused.stderr).toContain(said);
    expect(refused.status).toBe(2);
  });

  it("need an engine like any container", () => {
    chmodSync(join(engine, "images"), 0o755);
    writeFileSync(join(engine, "down"), "");
    put("t.harn", pack('""'));
    const refused = run("run", "t.harn", "--quiet");
    expect(refused.stdout + refused.stderr).toContain(
      "bench needs a container, and neither docker nor podman answers (HARN-EVL-014)",
    );
    expect(refused.status).toBe(2);
  });
});
