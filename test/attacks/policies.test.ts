/** Walls 36 and 38, as tools meet them: rules of loops hold for where a path leads, in the call and in what handlers do. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type HostOperation, offerHostOperations } from "../../src/agent/index.ts";
import { MemoryJournal } from "../../src/effects/index.ts";
import { createNodeHost, type Host } from "../../src/host/index.ts";
import { recordingEffects, replayEffects, unusableHost } from "../support/concurrent.ts";
import { runScript } from "../support/run-script.ts";
import { tempFolders } from "../support/temp-folder.ts";

const freshFolder = tempFolders("policies");

let root = "";
let up = "";
beforeEach(() => {
  root = freshFolder();
  for (const folder of ["work/src", "work/lib", "etc/deep"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "work/src/a"), "inside");
  writeFileSync(join(root, "work/lib/b"), "library");
  writeFileSync(join(root, "etc/passwd"), "outside");
  symlinkSync(join(root, "etc"), join(root, "work/src/link"));
  symlinkSync(join(root, "etc/passwd"), join(root, "work/notes"));
  symlinkSync(join(root, "etc/deep"), join(root, "work/src/deep"));
  up = relative(join(root, "work"), join(root, "etc/passwd"));
});

const text = (options: string, path: string, handler: string): string =>
  `
let reg = tool_define(tool_registry(), "write", "Writes.", {
  parameters: {path: {type: "string"}},
  annotations: {kind: "edit", side_effect_level: "workspace_write", arg_schema: {path_params: ["path"]}},
  handler: { args -> ${handler} },
})
llm_mock({tool_calls: [{name: "write", arguments: {path: ${JSON.stringify(path)}}}]})
llm_mock({text: "end"})
let r = agent_loop("Go.", nil, {tools: reg, tool_format: "native", ${options}})
println(r.tools.rejected)
println(llm_mock_calls().last().messages.last().content)`.replaceAll("ROOT", root);

/** A machine that can't be touched, in some folder. */
const nowhere = (cwd: string): Host =>
  new Proxy(unusableHost(), {
    get: (target, name) => (name === "cwd" ? cwd : (Reflect.get(target, name, target) as unknown)),
  });

/** What the model is told of a call with one path. */
async function report(options: string, path: string, handler = '"wrote"'): Promise<string> {
  const script = text(options, path.replaceAll("ROOT", root), handler);
  const writer = new MemoryJournal();
  const recorded = await runScript(script, {
    runtime: { host: createNodeHost({ cwd: join(root, "work") }), effects: recordingEffects(writer) },
  });
  expect(recorded.error).toBe("");
  // A replay decides the same, and looks at no disk.
  const replayed = await runScript(script, {
    runtime: { host: nowhere(join(root, "work")), effects: replayEffects(writer.read()) },
  });
  expect([replayed.error, replayed.stdout]).toEqual(["", recorded.stdout]);
  return recorded.stdout;
}

describe("a denied path stays denied", () => {
  const deny = 'permissions: {deny: {write: ["ROOT/etc/**"]}}';
  it.each([
    "UP",
    "ROOT/etc/passwd",
    "ROOT/work/../etc/passwd",
    "src/link/passwd",
    "src/../src/link/new",
    "notes",
    "src/deep/../passwd",
    "ROOT/work/notes",
  ])("as %s", async (path) => {
    const said = await report(deny.replace("ROOT", root), path.replace("UP", up));
    expect(said).toContain("[write]\n");
    expect(said).toContain("permission denied by deny rule: write");
  });
  it("when the rule names a link", async () => {
    const rule = `permissions: {deny: {write: ["${root}/work/src/link/**"]}}`;
    expect(await report(rule, up)).toContain("permission denied by deny rule");
    expect(await report(rule, `${root}/etc/passwd`)).toContain("permission denied by deny rule");
  });
  it("when the rule is relative", async () => {
    expect(await report('permissions: {deny: {write: ["src/**"]}}', `${root}/work/lib/../src/a`)).toContain(
      "deny rule",
    );
  });
  it("and its neighbours are open", async () => {
    for (const path of ["src/a", "lib/b", `${root}/work/lib/b`])
      expect(await report(deny.replace("ROOT", root), path)).toContain("wrote");
  });
});

describe("an allowed path", () => {
  it("is allowed for where it leads", async () => {
    const allow = 'permissions: {allow: {write: ["src/**"]}}';
    expect(await report(allow, "src/a")).toContain("wrote");
    for (const path of ["src/link/passwd", "src/deep/../passwd", "src/../lib/b"])
      expect(await report(allow, path)).toContain("not allowed by this agent's permissions");
  });
  it("in a scope, too", async () => {
    const scope = 'permissions: {allow: {write: {kind: "path_scope"}}}';
    expect(await report(scope, "src/a")).toContain("wrote");
    for (const path of ["src/link/passwd", "notes", up])
      expect(await report(scope, path)).toContain("not allowed by this");
  });
  it("under the roots of a policy, too", async () => {
    const roots = 'policy: {workspace_roots: ["src"], read_only_roots: ["lib"]}';
    expect(await report(roots, "src/a")).toContain("wrote");
    for (const path of ["src/link/passwd", "src/deep/../passwd", "lib/b"])
      expect(await report(roots, path)).toContain("is outside your allowed scope");
  });
});

describe("roots in each other", () => {
  beforeEach(() => {
    mkdirSync(join(root, "work/src/lib/out"), { recursive: true });
    writeFileSync(join(root, "work/src/lib/b"), "kept");
  });
  const roots = 'policy: {workspace_roots: ["src", "src/lib/out"], read_only_roots: ["src/lib"]}';
  it("the narrower one holds for the paths of calls", async () => {
    expect(await report(roots, "src/a")).toContain("wrote");
    for (const path of ["src/lib/b", "src/lib", "src/deep/../src/lib/b"])
      expect(await report(roots, path)).toContain("is outside your allowed scope");
    expect(await report(roots, "src/lib/out/c")).toContain("wrote");
    // The same folder in both lists is only to be read.
    expect(await report('policy: {workspace_roots: ["src"], read_only_roots: ["src"]}', "src/a")).toContain(
      "is outside your allowed scope",
    );
  });
  it.each([
    'write_file("src/lib/b", "x")',
    'append_file("src/lib/b", "x")',
    'delete_file("src/lib")',
    'delete_file("src")',
    'move_file("src/lib", "src/moved")',
    'move_file("src/a", "src/lib/a")',
  ])("and for what a handler does: %s", async (code) => {
    expect(await report(roots, "src/a", `to_string(try { ${code} } catch (e) { e })`)).toContain(
      "exceeds workspace write ceiling",
    );
    expect(readFileSync(join(root, "work/src/lib/b"), "utf8")).toBe("kept");
  });
  it("and writes where a root in it allows that", async () => {
    const write = 'to_string(try { write_file("src/lib/out/d", "x") } catch (e) { e })';
    expect(await report(roots, "src/a", write)).not.toContain("exceeds");
    expect(readFileSync(join(root, "work/src/lib/out/d"), "utf8")).toBe("x");
  });
});

describe("an approval policy", () => {
  it("knows a link for what it leads to", async () => {
    writeFileSync(join(root, "work/.env"), "KEY=x");
    symlinkSync(join(root, "work/.env"), join(root, "work/src/plain"));
    expect(await report("approval_policy: {}", "src/plain")).toContain(
      "is denied by the sensitive-path default",
    );
    for (const path of ["src/link/passwd", "notes"])
      expect(await report("approval_policy: {}", path)).toContain(
        "is outside the workspace and no external root allows it",
      );
    expect(await report(`approval_policy: {external_roots: ["${root}/etc"]}`, "notes")).toContain("wrote");
    symlinkSync(join(root, "work/lib"), join(root, "work/src/library"));
    const listed = 'approval_policy: {write_path_allowlist: ["src/**"]}';
    expect(await report(listed, "src/a")).toContain("wrote");
    expect(await report(listed, "src/library/b")).toContain("is not in the write-path allowlist");
  });
});

describe("what a handler does itself", () => {
  const roots = 'policy: {workspace_roots: ["src"], read_only_roots: ["lib"]}';
  it.each([
    ['write_file("ROOT/etc/new", "x")', "write_file"],
    ['write_file("src/link/new", "x")', "write_file"],
    ['append_file("src/link/passwd", "x")', "append_file"],
    ['copy_file("src/a", "src/link/new")', "copy_file"],
    ['move_file("src/a", "src/link/new")', "move_file"],
    ['move_file("src/a", "lib/new")', "move_file"],
    ['delete_file("src/deep/../passwd")', "delete_file"],
    ['mkdir("src/link/new/deep")', "mkdir"],
    ['store_set("a", 1)', "store_set"],
    ['checkpoint("a", 1)', "checkpoint"],
    ['http_download("http://a.test/", "src/link/new")', "http_download"],
    ['sqlite_cache_put("src/link/x.db", "n", "k", 1, 1, 1)', "sqlite_cache_put"],
    ["mkdtemp()", "mkdtemp"],
    ['run_record_save(run_record({task: "t"}), "src/link/r.json")', "workflow_save_run"],
    ['agent_loop("x", nil, {llm_transcript_dir: "src/link/log"})', "llm_transcript_append"],
    ['agent_loop("x", nil, {daemon: true, persist_path: "src/link/d.json"})', "daemon_save"],
  ])("%s writes nothing outside", async (code, name) => {
    const attempt = `to_string(try { ${code} } catch (e) { e })`.replaceAll("ROOT", root);
    const run = await runScript(
      text(roots, "src/a", attempt).replace(
        'llm_mock({text: "end"})',
        'llm_mock({text: "in"})\nllm_mock({text: "end"})',
      ),
      {
        runtime: { host: createNodeHost({ cwd: join(root, "work") }) },
      },
    );
    expect(run.error).toBe("");
    if (!name.startsWith("llm_"))
      expect(run.stdout).toMatch(new RegExp(`builtin '${name}' exceeds workspace (?:read|write) ceiling`));
    expect(readdirSync(join(root, "etc")).sort()).toEqual(["deep", "passwd"]);
    expect(readdirSync(join(root, "work")).sort()).toEqual(["lib", "notes", "src"]);
    expect(readFileSync(join(root, "etc/passwd"), "utf8")).toBe("outside");
    expect(readFileSync(join(root, "work/src/a"), "utf8")).toBe("inside");
  });

  it.each([
    'read_file("ROOT/etc/passwd")',
    'read_file("src/link/passwd")',
    'read_file("notes")',
    'copy_file("notes", "src/c")',
    'list_dir("src/link")',
  ])("%s reads nothing outside", async (code) => {
    const said = await report(roots, "src/a", `to_string(try { ${code} } catch (e) { e })`);
    expect(said).toMatch(/exceeds workspace (?:read|write) ceiling/);
    expect(said).not.toContain("outside\n");
  });

  it("changes nothing where only reading is granted", async () => {
    const reading = 'policy: {capabilities: {workspace: ["read_text", "list"], process: ["list_shells"]}}';
    for (const code of ['write_file("src/a", "x")', 'delete_file("src/a")'])
      expect(await report(reading, "src/a", `to_string(try { ${code} } catch (e) { e })`)).toContain(
        "exceeds workspace write ceiling",
      );
    expect(await report(reading, "src/a", 'to_string(try { exec("ls") } catch (e) { e })')).toContain(
      "exceeds process.exec ceiling",
    );
    expect(await report(reading, "src/a", 'read_file("src/a")')).toContain("inside");
    expect(
      await report(
        'policy: {capabilities: {workspace: ["write_text"]}}',
        "src/a",
        'to_string(write_file("src/n", "x"))',
      ),
    ).toContain("nil");
  });

  it("through the program around the runtime, is under the same rules", async () => {
    const run = async (options: string, code: string): Promise<{ printed: string; asked: string[] }> => {
      const asked: string[] = [];
      const script = text(
        options,
        "src/a",
        `to_string(try { ${code} } catch (e) { type_of(e) == "dict" ? e.message : e })`,
      );
      const offered: [string, HostOperation][] = [
        [
          "fs.write_text_file",
          {
            doc: "Writes.",
            effect: "write",
            touches: ({ path }) => ({
              kind: "file",
              group: "fs.write",
              operation: "write",
              path: String(path),
            }),
            run: async ({ path }) => void asked.push(String(path)),
          },
        ],
        [
          "terminal.run",
          {
            doc: "Runs.",
            effect: "write",
            touches: ({ command }) => ({ kind: "process", program: String(command), args: ["x"], cwd: "." }),
            run: async ({ command }) => void asked.push(String(command)),
          },
        ],
        [
          "process.exec",
          { doc: "Runs.", effect: "write", run: async ({ argv }) => void asked.push(String(argv)) },
        ],
      ];
      const created = await runScript(script, {
        runtime: { host: createNodeHost({ cwd: join(root, "work") }) },
        prepare: (runtime) => offerHostOperations(runtime, new Map(offered)),
      });
      expect(created.error).toBe("");
      return { printed: created.stdout, asked };
    };
    const write = (path: string): string => `host_call("fs.write_text_file", {path: "${path}"})`;
    expect((await run('policy: {workspace_roots: ["src"]}', write("src/a"))).asked).toEqual(["src/a"]);
    const outside = await run('policy: {workspace_roots: ["src"]}', write("src/link/x"));
    expect([outside.asked, outside.printed.includes("exceeds workspace write ceiling")]).toEqual([[], true]);
    const denied = 'command_policy: {deny_patterns: ["rm *"]}';
    for (const code of [
      'host_call("terminal.run", {command: "/bin/rm"})',
      'host_call("process.exec", {argv: ["env", "rm", "x"]}).stderr',
    ]) {
      const { printed, asked } = await run(denied, code);
      expect([asked, printed.includes("denied by policy pattern")]).toEqual([[], true]);
    }
  });

  it("inside its roots stays possible", async () => {
    expect(await report(roots, "src/a", 'read_file("src/a") + read_file("lib/b")')).toContain(
      "insidelibrary",
    );
    expect(await report(roots, "src/a", '[write_file("src/new/../n", "x"), mkdir("src/m")]')).toContain(
      "no such file",
    );
    expect(
      await report(
        roots,
        "src/a",
        'to_string([write_file("src/n", "x"), mkdir("src/m/d"), copy_file("lib/b", "src/c")])',
      ),
    ).toContain("[nil, nil, nil]");
  });
});
