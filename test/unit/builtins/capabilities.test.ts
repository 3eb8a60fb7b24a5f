/** `--allow` and `--deny`: what is refused, in what words, whoever asks; and what paths really are. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  builtinTable,
  Capabilities,
  type CapabilityLists,
  CapabilityMistake,
  restrictHost,
  restrictTable,
} from "../../../src/builtins/index.ts";
import { MemoryJournal } from "../../../src/effects/index.ts";
import { createNodeHost, type Host } from "../../../src/host/index.ts";
import { loadCapabilities } from "../../../src/tools/index.ts";
import { recordingEffects, replayEffects, unusableHost } from "../../support/concurrent.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { compileScript, runScript, type ScriptOptions } from "../../support/run-script.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("capabilities");

function limited(lists: CapabilityLists, host: Host = createMemoryHost(), effects = {}): ScriptOptions {
  const capabilities = Capabilities.of(lists, builtinTable(), host.cwd);
  const runtime = {
    host: restrictHost(host, capabilities),
    builtins: restrictTable(builtinTable(), capabilities),
    ...effects,
  };
  return { runtime, files: { "m.harn": 'pub fn peek() { return read_file("/etc/x") }' } };
}

/** What `catch` gets from one expression. */
async function caught(code: string, lists: CapabilityLists, host?: Host): Promise<string> {
  const run = await runScript(`print(try { ${code} } catch (e) { e })`, limited(lists, host));
  expect(run.error).toBe("");
  return run.stdout;
}

const refusedRead = (why: string): string =>
  `Error [tool_rejected]: read_file needs the capability fs.read, which this run does not have; ${why}`;

describe("capabilities", () => {
  it("leave everything alone without lists", async () => {
    expect(await caught('write_file("/work/a", "x")', {})).toBe("nil");
  });

  it.each<[CapabilityLists, string]>([
    [{ deny: ["fs.read"] }, refusedRead("`deny` names fs.read")],
    [{ deny: ["fs"] }, refusedRead("`deny` names fs.read")],
    [{ allow: ["net"] }, refusedRead("`allow` does not name fs.read")],
    [{ allow: ["none"] }, refusedRead("`allow` does not name fs.read")],
    [
      { allow: ["all"], deny: ["read_file"] },
      "Error [tool_rejected]: read_file is denied in this run: `deny` names it",
    ],
    [{ allow: ["read_file"], deny: ["fs.read"] }, refusedRead("`deny` names fs.read")],
    [{ allow: ["read_file"] }, "text"],
    [{ allow: ["fs.read"], deny: ["write_file"] }, "text"],
  ])("%j", async (lists, result) => {
    const host = createMemoryHost({ files: { "/etc/x": "text" } });
    expect(await caught('read_file("/etc/x")', lists, host)).toBe(result);
  });

  it("hold in modules, tasks, callbacks, generators and the harness", async () => {
    const text = `import { peek } from "./m"
gen fn lines() -> Stream<string> { emit read_file("/etc/x") }
let ways = [
  { -> peek() },
  { -> await(spawn { read_file("/etc/x") }) },
  { -> unwrap((parallel settle [1] { _ -> read_file("/etc/x") }).results[0]) },
  { -> ["/etc/x"].map(read_file) },
  { -> lines().next() },
  { -> harness.fs.read_text("/etc/x") },
  { -> "/etc/x" |> read_file },
]
for way in ways { println(contains(to_string(try { way() } catch (e) { e }), "needs the capability fs.read")) }`;
    const host = createMemoryHost({ files: { "/etc/x": "text" } });
    expect((await runScript(text, limited({ deny: ["fs.read"] }, host))).stdout).toBe("true\n".repeat(7));
  });

  it("reach what a builtin does on the way, and operations of host_call", async () => {
    const net = { allow: ["net", "host_call"] };
    expect(
      await caught('http_post("https://a.test", {multipart: [{name: "f", path: "/etc/x"}]})', net),
    ).toContain("'/etc/x' needs the capability fs.read");
    expect(await caught('host_call("process.exec", {argv: ["ls"]})', net)).toContain(
      "needs the capability process",
    );
    expect(await caught('host_call("interaction.ask", {question: "?"})', net)).toContain(
      "needs the capability people",
    );
    expect(await caught('store_set("a", 1)', { allow: ["fs=/elsewhere"] })).toContain(
      "lies outside of what fs.write",
    );
    expect(await caught('error_category(try { env("A") } catch (e) { e })', { deny: ["env"] })).toBe(
      "tool_rejected",
    );
  });

  it("refuse lists that mean nothing", () => {
    const mistakes: CapabilityLists[] = [
      { allow: ["fs.raed"] },
      { deny: ["net=/x"] },
      { allow: ["all=/x"] },
      { allow: ["fs="] },
    ];
    for (const lists of mistakes) {
      expect(() => Capabilities.of(lists, builtinTable(), "/work")).toThrow(CapabilityMistake as never);
    }
  });

  it("decide on replay as they did", async () => {
    const text = `println(try { read_file("/etc/x") } catch (e) { e })
println(try { read_file("/work/a/../../etc/x") } catch (e) { e })
println(try { exec("ls") } catch (e) { e })
println(read_file("/work/a/b"))`;
    const lists = { allow: ["fs=/work/a"] };
    const host = createMemoryHost({ files: { "/work/a/b": "in", "/etc/x": "out" } });
    const writer = new MemoryJournal();
    const recorded = await runScript(text, limited(lists, host, { effects: recordingEffects(writer) }));
    const effects = replayEffects(writer.read());
    const replayed = await runScript(text, limited(lists, unusableHost(), { effects }));
    expect(recorded.stdout).toContain("lies outside of what fs.read is allowed for (/work/a)");
    expect(replayed.stdout).toBe(recorded.stdout);
  });
});

describe("folders", () => {
  let root = "";
  beforeAll(() => {
    root = freshFolder();
    for (const folder of ["in/deep", "out"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "in/a"), "inside");
    writeFileSync(join(root, "out/b"), "outside");
    symlinkSync(join(root, "out"), join(root, "in/link"));
    symlinkSync(join(root, "out/later"), join(root, "in/dangling"));
    symlinkSync(join(root, "in"), join(root, "alias"));
  });

  const attempt = (code: string, lists: CapabilityLists): Promise<string> =>
    caught(code.replaceAll("ROOT", root), lists, createNodeHost({ cwd: root }));

  it.each([
    ['read_file("in/a")', "inside"],
    ['read_file("in/deep/../a")', "inside"],
    ['read_file("ROOT/alias/a")', "inside"],
    ['write_file("in/new", "x")', "nil"],
    ['read_file("out/b")', "outside of what fs.read"],
    ['read_file("in/../out/b")', "outside of what fs.read"],
    ['read_file("in/link/b")', "outside of what fs.read"],
    ['write_file("in/link/new", "x")', "outside of what fs.write"],
    ['write_file("in/dangling", "x")', "is a link that leads nowhere"],
    ['mkdir("in/link/deeper/still")', "outside of what fs.write"],
    ['copy_file("out/b", "in/c")', "outside of what fs.read"],
    ['copy_file("in/a", "out/c")', "outside of what fs.write"],
    ['move_file("in/a", "out/a")', "outside of what fs.write"],
    ['delete_file("ROOT/out")', "outside of what fs.write"],
    ['delete_file("ROOT")', "it is the working folder"],
    ['file_exists("out/b")', "outside of what fs.read"],
    ['glob("**", "out")', "outside of what fs.read"],
    ['render("ROOT/out/b")', "outside of what fs.read"],
    ["mkdtemp()", "outside of what fs.write"],
    ['read_file("IN/a")', "outside of what fs.read"],
  ])("%s", async (code, result) => {
    expect(await attempt(code, { allow: ["fs=in"] })).toContain(result);
  });

  it("that are denied stay denied through links and in any case", async () => {
    const lists = { deny: ["fs.read=out"] };
    expect(await attempt('read_file("in/a")', lists)).toBe("inside");
    expect(await attempt('read_file("in/link/b")', lists)).toContain("which `deny` names for fs.read");
    expect(await attempt('read_file("OUT/b")', lists)).toContain("which `deny` names for fs.read");
  });
});

describe("what a script needs of a `harness` that it hands on", () => {
  const needs = async (text: string): Promise<string[]> => {
    const { capabilityUses } = await loadCapabilities();
    const { program } = compileScript(text);
    return [...new Set(capabilityUses(program!.resolved).map((use) => use.capability))];
  };
  const everything = ["env", "fs.read", "fs.write", "net", "people", "process"];

  it("is all of it under another name, and no more than is used under its own", async () => {
    expect(await needs("let h = harness\nprintln(h)")).toEqual(expect.arrayContaining(everything));
    expect(await needs("fn go(h) { return h }\ngo(harness)")).toEqual(expect.arrayContaining(everything));
    expect(await needs("[harness].map({ h -> h })")).toEqual(expect.arrayContaining(everything));
    expect(await needs('fn go(harness) { return harness.fs.exists("a") }\ngo(harness)')).toEqual(["fs.read"]);
    expect(await needs("println(harness.clock.now_ms())")).toEqual([]);
  });
});

describe("what a script needs", () => {
  it("is found through calls, imports, values and the harness; not what nobody calls", async () => {
    const module = 'pub fn peek() { return read_file("/etc/x") }\npub fn unused() { return exec("ls") }';
    const text = `import { peek } from "./m"
fn outer() { return peek() }
outer()
[1].map(env)
harness.net.get("https://a.test")
host_call("interaction.ask", {question: "?"})`;
    const { program } = compileScript(text, { files: { "m.harn": module } });
    const { capabilityUses } = await loadCapabilities();
    expect(
      capabilityUses(program!.resolved).map((use) => `${use.capability} ${use.builtin} ${use.at}`),
    ).toEqual([
      "env env main.harn:4:9",
      "fs.read read_file m.harn:1:24",
      "net http_get main.harn:5:1",
      "people host_call main.harn:6:1",
    ]);
  });
});
