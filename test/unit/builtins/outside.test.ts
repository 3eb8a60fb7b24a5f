/** What reaches outside: output, input, clock, files, environment, programs, host calls; and that replay reaches nothing. */
import { describe, expect, it } from "vitest";
import { MemoryJournal } from "../../../src/effects/index.ts";
import { systemError } from "../../../src/host/index.ts";
import { Bytes, Duration } from "../../../src/values/index.ts";
import { type Machine, machine } from "../../support/builtin-call.ts";
import { recordingEffects, replayEffects, unusableHost } from "../../support/concurrent.ts";
import { createMemoryHost, type MemoryHost, ScriptedProcesses } from "../../support/memory-host.ts";

const files = {
  "/work/a.txt": "line 1\r\nline 2\n",
  "/work/sub/b.md": "b",
  "/work/sub/deep/c.md": "c",
  "/work/.hidden/d.md": "d",
  "/work/binary": Uint8Array.of(0xff, 0xfe),
};
const on = (host?: Partial<Parameters<typeof createMemoryHost>[0]>): Machine =>
  machine(createMemoryHost({ files, ...host }));

describe("output", () => {
  it("prints only the first argument", () => {
    const run = on();
    run.call("println", 1, 2);
    run.call("print", [1, "a"]);
    run.call("println");
    run.call("log", "two\nlines");
    run.call("log");
    expect(run.output()).toBe("1\n[1, a]\n[harn] two\nlines\n[harn] \n");
  });

  it("writes structured lines with sorted fields", () => {
    const run = on();
    run.call("log_info", "hi", { b: [1], a: 1.5, c: null });
    run.call("log_error", "no", "fields");
    run.call("log_json", "k", { z: 1 });
    const ts = '"ts":"2026-01-02T03:04:05.678Z"';
    expect(run.output()).toBe(
      `{${ts},"level":"info","msg":"hi","a":1.5,"b":"[1]","c":null}\n` +
        `{${ts},"level":"error","msg":"no"}\n{${ts},"key":"k","value":{"z":1}}\n`,
    );
  });

  it("leaves out what is below the level", () => {
    const run = on();
    run.call("log_set_level", "warn");
    run.call("log_info", "no");
    run.call("log_warn", "yes");
    expect(run.output()).toContain('"msg":"yes"');
    expect(run.output()).not.toContain('"msg":"no"');
    expect(run.show("log_set_level", "loud")).toBe(
      "! log_set_level: invalid level 'loud'. Expected debug, info, warn, or error",
    );
  });

  it.each<[readonly unknown[], string]>([
    [["load", "msg"], "[load] msg\n"],
    [["load", "msg", 50], "[load] msg (50%)\n"],
    [["load", "msg", 3, 10], "[load] msg (3/10)\n"],
    [["load", "msg", "x"], "[load] msg\n"],
    [["load", "msg", { mode: "spinner", step: 5 }], "[load] / msg\n"],
    [["load", "msg", { mode: "bar", current: 3, total: 5 }], "[load] [######----] msg (3/5)\n"],
    [["load", "msg", { mode: "bar", current: 9, total: 5, width: 1 }], "[load] [###] msg (9/5)\n"],
    [["load", "msg", { mode: "bar", current: 1, total: 0 }], "[load] [----------] msg (1/0)\n"],
    [["load", "msg", { step: 1 }], "[load] msg\n"],
  ])("shows progress %j", (args, line) => {
    const run = on();
    run.call("progress", ...args);
    expect(run.output()).toBe(line);
  });

  it("colours on terminals, or as told", () => {
    expect(on().show("color", "x", "red")).toBe("x");
    expect(on({ tty: ["stdout"] }).show("color", "x", "red")).toBe("\x1b[31mx\x1b[0m");
    expect(on({ tty: ["stdout"], env: { NO_COLOR: "" } }).show("bold", "x")).toBe("x");
    expect(on({ env: { FORCE_COLOR: "1" } }).show("dim", "x")).toBe("\x1b[2mx\x1b[0m");
    const run = on();
    run.call("set_color_mode", "always");
    expect(run.show("color", "x", "bright_blue")).toBe("\x1b[94mx\x1b[0m");
    expect(run.show("color", "x", "pink")).toBe("x");
    expect(run.show("set_color_mode", "maybe")).toBe(
      "! set_color_mode: invalid mode 'maybe'. Expected 'auto', 'always', or 'never'.",
    );
  });

  it("captures standard error", () => {
    const run = on();
    run.call("capture_stderr_start");
    run.call("eprint", "a");
    run.call("eprintln", "b");
    expect(run.show("capture_stderr_take")).toBe("ab\n");
    expect(run.show("capture_stderr_take")).toBe("");
  });
});

describe("standard input", () => {
  it("comes by line, then as the rest, then not at all", () => {
    const run = on({ stdin: "one\r\ntwo\nthree\n" });
    expect(run.show("read_line")).toBe("one");
    expect(run.show("prompt_user", "? ")).toBe("two");
    expect(run.output()).toBe("? ");
    expect(run.show("read_stdin")).toBe("three\n");
    expect(run.show("read_line")).toBe("nil");
    expect(run.show("prompt_user")).toBe("");
  });

  it("can be scripted", () => {
    const run = on({ stdin: "real" });
    run.call("mock_stdin", "a\n\nb\n");
    expect([1, 2, 3, 4].map(() => run.show("read_line"))).toEqual(["a", "", "b", "nil"]);
    run.call("unmock_stdin");
    expect(run.show("read_line")).toBe("real");
  });

  it("tells terminals, mocked ones too", () => {
    const run = on({ tty: ["stdin"] });
    expect(run.show("is_stdin_tty")).toBe("true");
    run.call("mock_tty", "stdin", false);
    expect(run.show("is_stdin_tty")).toBe("false");
    run.call("unmock_tty");
    expect(run.show("is_stdin_tty")).toBe("true");
    expect(run.show("mock_tty", "stdlog", true)).toBe(
      "! mock_tty: invalid stream 'stdlog'. Expected 'stdin', 'stdout', or 'stderr'.",
    );
  });
});

describe("the clock", () => {
  it("shows the machine's time", () => {
    const run = on();
    expect(run.show("now_ms")).toBe("1767323045678");
    expect(run.show("timestamp")).toBe("1767323045.678");
    expect(run.show("date_now_iso")).toBe("2026-01-02T03:04:05.678Z");
    expect(run.show("date_now")).toBe(
      "{day: 2, hour: 3, iso8601: 2026-01-02T03:04:05.678Z, minute: 4, month: 1, second: 5, timestamp: 1767323045.678, weekday: 5, year: 2026}",
    );
  });

  it("can be stopped, moved and let go", async () => {
    const run = on();
    run.call("mock_time", 1000);
    expect([run.show("now_ms"), run.show("elapsed")]).toEqual(["1000", "0"]);
    run.call("advance_time", 500);
    run.call("advance_time", new Duration(500));
    await run.call("sleep_ms", 250);
    expect([run.show("timestamp"), run.show("monotonic_ms")]).toEqual(["1.75", "750"]);
    run.call("mock_time", 5);
    run.call("unmock_time");
    expect(run.show("now_ms")).toBe("1767323045678");
    expect(run.show("advance_time", 1)).toBe("! advance_time: no mock active. Call mock_time(ms) first.");
    expect(run.show("mock_time", "x")).toBe("! mock_time(ms): expected an integer millisecond timestamp");
  });

  it("sleeps on the machine's clock without a mock", async () => {
    const run = on();
    expect(run.show("sleep_ms", -5)).toBe("nil");
    await run.call("sleep_ms", new Duration(1500));
    expect(run.show("now_ms")).toBe(String(1767323045678 + 1500));
  });

  it("times", () => {
    const run = on();
    const timer = run.call("timer_start", "load");
    run.host.clock.advance(42);
    expect(run.show("timer_end", timer)).toBe("42");
    expect(run.output()).toBe("[timer] load: 42ms\n");
    expect(run.show("timer_end", 5)).toBe("! timer_end: timer: expected what timer_start gave, got int 5");
  });
});

describe("files", () => {
  const enoent = "no such file or folder";

  it("are read under the working directory", () => {
    const run = on();
    expect(run.show("read_file", "sub/b.md")).toBe("b");
    expect(run.show("read_lines", "a.txt")).toBe("[line 1, line 2]");
    expect(run.show("read_file_bytes", "/work/binary")).toBe('b"fffe"');
    expect(run.show("read_file_result", "a.txt")).toBe("Result.Ok(line 1\r\nline 2\n)");
    expect(run.show("list_dir")).toBe("[.hidden, a.txt, binary, sub]");
    expect(run.show("stat", "a.txt")).toBe(
      "{is_dir: false, is_file: true, modified: 1767323045.678, readonly: false, size: 15}",
    );
  });

  it("are written, moved and deleted", () => {
    const run = on();
    run.call("mkdir", "new/deep");
    run.call("mkdir", "new/deep");
    run.call("write_file", "new/x", 42);
    run.call("append_file", "new/x", "!");
    run.call("copy_file", "new/x", "new/y");
    run.call("move_file", "new/y", "new/deep/y");
    run.call("write_file_bytes", "new/z", new Bytes(Uint8Array.of(1)));
    expect(run.show("read_file", "new/deep/y")).toBe("42!");
    expect(run.show("read_file_bytes", "new/z")).toBe('b"01"');
    run.call("delete_file", "new");
    expect(run.show("file_exists", "new/x")).toBe("false");
  });

  it.each<[readonly [string, ...unknown[]], string]>([
    [["read_file", "none"], `! Failed to read file /work/none: ${enoent}`],
    [["read_file", "sub"], "! Failed to read file /work/sub: is a directory"],
    [["read_file", "binary"], "! Failed to read file /work/binary: stream did not contain valid UTF-8"],
    [["read_file"], "! Failed to read file /work: is a directory"],
    [["read_file_result", "none"], `Result.Err(Failed to read file /work/none: ${enoent})`],
    [["read_lines", "none"], `! read_lines: /work/none: ${enoent}`],
    [["write_file", "none/x", ""], `! Failed to write file /work/none/x: ${enoent}`],
    [["append_file", "none/x", ""], `! Failed to open file /work/none/x: ${enoent}`],
    [["write_file_bytes", "x", "text"], "! write_file_bytes expects bytes content, got string"],
    [["copy_file", "none", "x"], `! Failed to copy /work/none to /work/x: ${enoent}`],
    [["move_file", "none", "x"], `! move_file: copy failed: ${enoent}`],
    [["delete_file", "none"], `! Failed to delete file /work/none: ${enoent}`],
    [["stat", "none"], `! Failed to stat /work/none: ${enoent}`],
    [["list_dir", "none"], `! Failed to list directory /work/none: ${enoent}`],
    [["mkdir", "a.txt/x"], "! Failed to create directory /work/a.txt/x: not a directory"],
    [["walk_dir", "none"], "[]"],
    [["glob", "**", "none"], "[]"],
    [["glob", "["], "! glob: error parsing glob '[': unclosed character class; missing ']'"],
  ])("say what is wrong: %j", (call, shown) => {
    const [name, ...args] = call;
    expect(on().show(name, ...args)).toBe(shown);
  });

  it("say when they can't be written", () => {
    const run = on();
    run.host.files.failing.set("/work/full", "ENOSPC");
    run.host.files.failing.set("/work/a.txt", "EACCES");
    expect(run.show("write_file", "full", "x")).toBe(
      "! Failed to write file /work/full: no space left on device",
    );
    expect(run.show("read_file", "a.txt")).toBe("! Failed to read file /work/a.txt: permission denied");
    expect(run.show("file_exists", "a.txt")).toBe("false");
  });

  it("are walked from the root down", () => {
    const run = on();
    const paths = (value: unknown): string[] =>
      JSON.parse(run.show("json_stringify", value)).map(
        (e: { path: string; depth: number }) => `${e.depth} ${e.path}`,
      );
    expect(paths(run.call("walk_dir", "sub"))).toEqual([
      "0 /work/sub",
      "1 /work/sub/b.md",
      "1 /work/sub/deep",
      "2 /work/sub/deep/c.md",
    ]);
    expect(paths(run.call("walk_dir", "sub", { max_depth: 1 }))).toHaveLength(3);
  });

  it.each([
    ["*.txt", "[a.txt]"],
    ["**/*.md", "[.hidden/d.md, sub/b.md, sub/deep/c.md]"],
    ["sub/{b,x}.md", "[sub/b.md]"],
    ["sub/[ab].md", "[sub/b.md]"],
    ["s?b", "[sub]"],
    ["nope*", "[]"],
  ])("are found by %s", (pattern, found) => {
    expect(on().show("glob", pattern)).toBe(found);
  });

  it("lie to the workspace as they do", () => {
    const run = on();
    const info = (path: string): string => run.show("path_workspace_info", path);
    expect(info("sub/../a.txt")).toBe(
      "{host_path: /work/a.txt, input: sub/../a.txt, kind: workspace_relative, normalized: a.txt, reason: nil, recovered_root_drift: false, workspace_path: a.txt}",
    );
    expect(info("/sub/b.md")).toContain(
      "kind: workspace_relative, normalized: sub/b.md, reason: nil, recovered_root_drift: true",
    );
    expect(info("/work/a.txt")).toContain(
      "kind: host_absolute, normalized: /work/a.txt, reason: nil, recovered_root_drift: false, workspace_path: a.txt",
    );
    expect(info("/etc/passwd")).toContain("workspace_path: nil");
    expect(info(" ")).toContain("kind: invalid, normalized: nil, reason: path is empty");
    expect(run.show("path_workspace_normalize", "../x")).toBe("nil");
  });
});

describe("paths", () => {
  it.each<[readonly [string, ...unknown[]], string]>([
    [["path_join", "a", "", "b/", "c"], "a/b/c"],
    [["path_join", "a", "/b", "c"], "/b/c"],
    [["path_join"], ""],
    [["path_normalize", "a/.."], "."],
    [["path_normalize", "../../a//b/./"], "../../a/b"],
    [["path_normalize", "/../a"], "/a"],
    [["path_normalize", "C:\\a\\..\\b"], "C:/b"],
    [["path_normalize", "/"], "/"],
    [["path_with_extension", "a/b", ".md"], "a/b.md"],
    [["path_with_stem", "b.tar.gz", "c"], "c.gz"],
    [["path_relative_to", "/a/b", "/a/b"], "."],
    [["path_relative_to", "/a", "b"], "nil"],
    [
      ["path_parts", "/x/y.tar.gz"],
      "{dir: /x, ext: .gz, file: y.tar.gz, segments: [x, y.tar.gz], stem: y.tar}",
    ],
    [["path_parts", "plain"], "{dir: , ext: , file: plain, segments: [plain], stem: plain}"],
  ])("%j", ([name, ...args], shown) => {
    expect(on().show(name, ...args)).toBe(shown);
  });
});

describe("environment", () => {
  it("answers what is asked", () => {
    const run = on({ env: { A: "1" } });
    expect(run.show("env", "A")).toBe("1");
    expect(run.show("env", "B")).toBe("nil");
    expect(run.show("env_or", "B", [1])).toBe("[1]");
    expect(["platform", "arch", "cwd", "username", "temp_dir"].map((name) => run.show(name))).toEqual([
      "linux",
      "x86_64",
      "/work",
      "tester",
      "/tmp",
    ]);
  });

  it("finds the project upwards", () => {
    expect(on({ cwd: "/work/sub/deep" }).show("project_root")).toBe("nil");
    const inProject = on({ cwd: "/work/sub/deep", files: { ...files, "/work/harn.toml": "" } });
    expect(inProject.show("project_root")).toBe("/work");
  });
});

describe("programs", () => {
  const answer = new ScriptedProcesses((program) =>
    program === "fail"
      ? { status: 3, stderr: "bad" }
      : program === "killed"
        ? { status: null, signal: "SIGKILL" }
        : program === "none"
          ? undefined
          : { stdout: "out" },
  );
  const run = on({ processes: answer });

  it("give outputs and status", async () => {
    expect(await run.showLater("exec", "echo", "a", 1)).toBe(
      "{status: 0, stderr: , stdout: out, success: true}",
    );
    expect(answer.calls.at(-1)).toMatchObject({
      program: "echo",
      args: ["a", "1"],
      options: { cwd: "/work" },
    });
    expect(await run.showLater("exec", "fail")).toBe("{status: 3, stderr: bad, stdout: , success: false}");
    expect(await run.showLater("exec", "killed")).toContain("status: -1");
    await run.showLater("shell_at", "sub", "a | b");
    expect(answer.calls.at(-1)).toMatchObject({
      program: "/bin/sh",
      args: ["-c", "a | b"],
      options: { cwd: "/work/sub" },
    });
    expect(
      await run.showLater("exec_opts", ["x", "y"], {
        env: { A: 1 },
        env_mode: "replace",
        timeout: 5,
      }),
    ).toContain("timed_out: false");
    expect(answer.calls.at(-1)?.options).toMatchObject({ env: { A: "1" }, replaceEnv: true, timeoutMs: 5 });
    expect(await run.showLater("spawn_captured", { cmd: "x", args: ["a"], stdin: "in" })).toContain(
      "exit_code: 0",
    );
  });

  it.each<[readonly [string, ...unknown[]], string]>([
    [["exec"], "! exec: command is required"],
    [["exec_at", "sub"], "! exec_at: directory and command are required"],
    [["shell"], "! shell: command string is required"],
    [["shell_at", "sub"], "! shell_at: directory and command string are required"],
    [["exec", "none"], "! exec failed: process spawn failed: no such file or folder (program 'none')"],
    [["spawn_captured", {}], "! spawn_captured: cmd is required"],
    [["exec_opts", []], "! exec_opts: command is required"],
  ])("say what is missing: %j", async ([name, ...args], shown) => {
    expect(await run.showLater(name, ...args)).toBe(shown);
  });
});

describe("host calls", () => {
  it("are answered by the last mock that fits", () => {
    const run = on();
    run.call("host_mock", "fs", "read", "any");
    run.call("host_mock", "fs", "read", { result: "x only", params: { path: "x" } });
    run.call("host_mock", "fs", "fail", { error: "broken" });
    expect(run.show("host_call", "fs.read", { path: "x", more: 1 })).toBe("x only");
    expect(run.show("host_call", "fs.read", { path: "y" })).toBe("any");
    expect(run.show("host_call", "fs.fail")).toBe("! broken");
    expect(run.show("host_mock_calls")).toBe(
      "[{capability: fs, operation: read, params: {more: 1, path: x}}, {capability: fs, operation: read, params: {path: y}}, {capability: fs, operation: fail, params: {}}]",
    );
    run.call("host_mock_push_scope");
    expect(run.show("host_call", "fs.read")).toBe("! host_call: unsupported operation fs.read");
    run.call("host_mock_pop_scope");
    expect(run.show("host_has", "fs", "fail")).toBe("true");
    run.call("host_mock_clear");
    expect(run.show("host_has", "fs")).toBe("false");
    expect(run.show("host_mock_pop_scope")).toBe("! host_mock_pop_scope: no scope to pop");
    expect(run.show("host_call", "plain")).toBe("! host_call: unsupported operation name 'plain'");
    expect(run.show("host_mock", "", "")).toBe("! host_mock: capability and operation are required");
  });

  it("run programs", async () => {
    const processes = new ScriptedProcesses((program) =>
      program === "slow"
        ? { timedOut: true, status: null }
        : program === "none"
          ? systemError("ENOENT")
          : { stdout: "o", stderr: "e" },
    );
    const run = on({ processes });
    const shown = await run.showLater("host_call", "process.exec", { mode: "argv", argv: ["a"] });
    expect(shown).toContain("combined: oe, command_id: cmd_4242");
    expect(await run.showLater("host_call", "process.exec", { argv: ["slow"], timeout_ms: 5 })).toContain(
      "exit_code: -1",
    );
    const fails = (params: object): Promise<string> => run.showLater("host_call", "process.exec", params);
    expect(await fails({})).toBe("! host_call: missing required parameter 'command'");
    expect(await fails({ mode: "argv" })).toBe("! Runtime error: host_call process.exec missing argv");
    expect(await fails({ mode: "shell", command: "x" })).toBe(
      "! Runtime error: host_call process.exec: shell mode requires `shell` or `shell_id`",
    );
    expect(await fails({ argv: ["none"] })).toBe(
      "! Runtime error: host_call process.exec: no such file or folder (program 'none')",
    );
    await run.showLater("host_call", "process.exec", { mode: "shell", shell_id: "bash", command: "x y" });
    expect(processes.calls.at(-1)).toMatchObject({ program: "/bin/bash", args: ["-c", "x y"] });
  });
});

describe("replay", () => {
  /** The same calls on a recording and on a replaying machine. */
  async function twice(use: (run: Machine) => Promise<string[]>, host?: MemoryHost): Promise<void> {
    const writer = new MemoryJournal();
    const recorded = await use(
      machine(host ?? createMemoryHost({ files, stdin: "a\nb", env: { K: "v" } }), recordingEffects(writer)),
    );
    const replayed = await use(machine(unusableHost(), replayEffects(writer.read())));
    expect(replayed).toEqual(recorded);
  }

  it("sees the same clock, mocked and not", () =>
    twice(async (run) => {
      const shown = [run.show("now_ms")];
      run.call("mock_time", 1000);
      await run.call("sleep_ms", 250);
      shown.push(run.show("now_ms"));
      run.call("unmock_time");
      await run.call("sleep_ms", 30);
      shown.push(
        run.show("now_ms"),
        run.show("uuid"),
        run.show("uuid_v7"),
        run.show("random_int", 1, 1_000_000),
      );
      return shown;
    }));

  it("sees the same input, files and environment, and writes nothing", () =>
    twice(async (run) => {
      run.call("write_file", "x", "new");
      return [
        run.show("read_line"),
        run.show("env", "K"),
        run.show("read_file", "a.txt"),
        run.show("read_file_bytes", "binary"),
        run.show("read_file", "none"),
        run.show("glob", "**/*.md"),
        run.show("render_string", "{{ x }}", { x: 1 }),
        run.show("is_stdout_tty"),
        run.show("color", "x", "red"),
      ];
    }));

  it("asks no program again", () =>
    twice(
      async (run) => [
        await run.showLater("exec", "date"),
        await run.showLater("exec", "none"),
        await run.showLater("host_call", "process.exec", { argv: ["date"] }),
      ],
      createMemoryHost({
        processes: new ScriptedProcesses((name) => (name === "date" ? { stdout: "today" } : undefined)),
      }),
    ));
});
