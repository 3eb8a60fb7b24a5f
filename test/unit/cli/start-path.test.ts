/** What a plain run loads, and what it must not: seconds of a user's day hang on a forgotten import. */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("start");

/** Tells at the end which files of the bundle and which parts of Node were loaded. */
const probe = join(folder, "probe.cjs");
writeFileSync(
  probe,
  `const before = new Set(process.moduleLoadList);
process.on("exit", () => {
  const files = Object.keys(require.cache);
  const parts = process.moduleLoadList.filter((name) => !before.has(name) && name.startsWith("NativeModule "));
  const told = JSON.stringify({ files, parts: parts.map((name) => name.slice(13)) });
  require("node:fs").writeSync(2, "\\n##" + told);
});`,
);

interface Loaded {
  readonly stdout: string;
  /** Files of the bundle, without the hash in their names. */
  readonly files: readonly string[];
  /** Libraries that builtins load at once. */
  readonly libraries: readonly string[];
  /** Parts of Node that are not there from the start. */
  readonly parts: readonly string[];
}

function loaded(program: string, cache: string, ...flags: string[]): Loaded {
  const script = join(folder, "script.harn");
  writeFileSync(script, program);
  return loadedBy(cache, "run", ...flags, script);
}

function loadedBy(cache: string, ...command: string[]): Loaded {
  const env = { NODE_OPTIONS: `--require=${probe}`, XDG_CACHE_HOME: join(folder, cache) };
  const { stdout, stderr, status } = harn(command, { env });
  expect(status, stderr).toBe(0);
  const report = JSON.parse(stderr.slice(stderr.lastIndexOf("\n##") + 3));
  const ours = (report.files as string[]).filter((file) => file.startsWith(join(projectRoot, "dist")));
  const [libraries, files] = [true, false].map((wanted) =>
    ours
      .filter((file) => file.includes("/libraries/") === wanted)
      .map((file) => basename(file).replace(/(-[\w-]{8})?\.cjs$/, wanted ? "" : ".cjs"))
      .filter((name) => name !== "rolldown-runtime" || !wanted)
      .sort(),
  ) as [string[], string[]];
  return { stdout, files, libraries, parts: report.parts };
}

const plain =
  'fn twice(n) { return n * 2 }\nlet xs = [1, 2].map(twice)\nprintln("${xs} ${json_stringify({a: 1})}")\n';
const agent = 'llm_mock({text: "hi"})\nprintln(llm_call("x", nil, {provider: "mock"}).text)\n';

describe("a plain run", () => {
  it("loads the core and, the first time, parser and type checker", () => {
    const first = loaded(plain, "plain");
    expect(first.stdout).toBe('[2, 4] {"a":1}\n');
    expect(first.files).toEqual(["cli.cjs", "rolldown-runtime.cjs", "syntax.cjs", "types.cjs"]);
    const second = loaded(plain, "plain");
    expect(second.stdout).toBe(first.stdout);
    expect(second.files).toEqual(["cli.cjs"]);
  });

  it("has no texts of diagnostics in the core, no work and no host in memory", () => {
    const core = readFileSync(join(projectRoot, "dist/cli.cjs"), "utf8");
    for (const name of ["handoffText", "MemoryFiles", "because a recursion does not end"])
      expect(core.includes(name), name).toBe(false);
    expect(core).toContain("ProcessConsole");
  });

  it("loads nothing heavy of Node", () => {
    loaded(plain, "node");
    const { parts } = loaded(plain, "node");
    const heavy = /^(crypto|zlib|tty|net|stream|child_process|readline|v8|http|worker_threads|fs\/promises)$/;
    expect(parts.filter((name) => heavy.test(name) || name.startsWith("internal/streams/"))).toEqual([]);
    // A few light ones: os, vm, module … More than that wants a look.
    expect(parts.length, parts.join(", ")).toBeLessThan(12);
  });
});

describe("libraries", () => {
  it.each<[string, string, string, readonly string[]]>([
    ["a plain run", plain, '[2, 4] {"a":1}\n', []],
    ["builtins that need none", 'println(sha256("a").len())\n', "64\n", []],
    ["an agent", agent, "hi\n", []],
    ["a session without cookies", "println(http_session())\n", "http_session_1\n", []],
    ["blake3", 'println(blake3("a").len())\n', "64\n", ["@noble-hashes-blake3.js"]],
    ["a cookie", 'println(cookie_round_trip(nil, ["a=1"]).cookie_header)\n', "a=1\n", ["tough-cookie"]],
    [
      "a schedule",
      'println(try { trigger_register({id: "t", kind: "cron", provider: "cron", schedule: "99 * * * *", handler: { e -> e }}) })\n',
      "Result.Err(Runtime error: trigger_register: schedule '99 * * * *': '99' is no minute (0-59))\n",
      ["croner"],
    ],
  ])("%s", (_what, program, prints, expected) => {
    loaded(program, "libraries");
    const { stdout, libraries } = loaded(program, "libraries");
    expect(stdout).toBe(prints);
    expect(libraries).toEqual(expected);
  });
});

describe("other runs load what they use", () => {
  it("builtins that are not everyday", () => {
    const program = 'println(sha256("a").len())\n';
    loaded(program, "rare");
    const { stdout, files } = loaded(program, "rare");
    expect(stdout).toBe("64\n");
    expect(files).toEqual(["builtins.cjs", "cli.cjs"]);
  });

  it("models and tools", () => {
    loaded(agent, "agent");
    const { stdout, files } = loaded(agent, "agent");
    expect(stdout).toBe("hi\n");
    expect(files).toEqual(["agents.cjs", "builtins.cjs", "cli.cjs", "journal.cjs"]);
  });

  it("the agent loop", () => {
    const loop = 'llm_mock({text: "##DONE##"})\nprintln(agent_loop("x", nil, {provider: "mock"}).status)\n';
    loaded(loop, "loop");
    const { stdout, files } = loaded(loop, "loop");
    expect(stdout).toBe("done\n");
    expect(files).toEqual([
      "agent-loop.cjs",
      "agents.cjs",
      "builtins.cjs",
      "cli.cjs",
      "journal.cjs",
      "rolldown-runtime.cjs",
    ]);
  });

  it("a journal", () => {
    loaded(plain, "journal");
    const { files } = loaded(plain, "journal", "--record", join(folder, "j"));
    expect(files).toEqual(["cli.cjs", "journal.cjs"]);
  });

  it("a replay, which has no use for evaluations", () => {
    loaded(plain, "replay", "--record", join(folder, "k"));
    const { stdout, files } = loadedBy("replay", "replay", join(folder, "k"));
    expect(stdout).toBe('[2, 4] {"a":1}\n');
    expect(files).toContain("journal.cjs");
    expect(files).not.toContain("engine.cjs");
  });

  it("commander, for what is not plain", () => {
    const { stdout, files } = loaded(plain, "node", "-qq");
    expect(stdout).toBe('[2, 4] {"a":1}\n');
    expect(files).toContain("tree.cjs");
  });
});
