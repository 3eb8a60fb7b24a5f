/** Walls 35, 36, 37: what is checked is what is used, whatever links, `..` and other processes do to a path. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  builtinTable,
  Capabilities,
  type CapabilityLists,
  restrictHost,
  restrictTable,
} from "../../src/builtins/index.ts";
import { checkedFiles } from "../../src/host/guard/checked-files.ts";
import { createNodeHost, type Files } from "../../src/host/index.ts";
import { runScript } from "../support/run-script.ts";
import { tempFolders } from "../support/temp-folder.ts";

const freshFolder = tempFolders("paths");

let root = "";
beforeEach(() => {
  root = freshFolder();
  for (const folder of ["in/sub", "out/deep"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "in/a"), "inside");
  writeFileSync(join(root, "out/secret"), "outside");
  symlinkSync(join(root, "out/deep"), join(root, "in/link"));
});

const limited = (lists: CapabilityLists) => {
  const host = createNodeHost({ cwd: root });
  const capabilities = Capabilities.of(lists, builtinTable(), root);
  return { host: restrictHost(host, capabilities), builtins: restrictTable(builtinTable(), capabilities) };
};
const filesUnder = (lists: CapabilityLists): Files => limited(lists).host.files;

/** What `catch` gets from one expression. */
async function caught(code: string, lists: CapabilityLists): Promise<string> {
  const text = `print(try { ${code.replaceAll("ROOT", root)} } catch (e) { e })`;
  const run = await runScript(text, { runtime: limited(lists) });
  expect(run.error).toBe("");
  return run.stdout;
}

describe("a link followed by ..", () => {
  // As text `in/link/../secret` is `in/secret`; to the system it is `out/secret`.
  it.each([
    ['read_file("in/link/../secret")', "fs.read"],
    ['read_file_bytes("in/link/../secret")', "fs.read"],
    ['read_lines("in/link/../secret")', "fs.read"],
    ['file_lines("in/link/../secret").to_list()', "fs.read"],
    ['file_exists("in/link/../secret")', "fs.read"],
    ['stat("in/link/../secret")', "fs.read"],
    ['list_dir("in/link/..")', "fs.read"],
    ['walk_dir("in/link/..")', "fs.read"],
    ['copy_file("in/link/../secret", "in/c")', "fs.read"],
    ['copy_file("in/a", "in/link/../c")', "fs.write"],
    ['write_file("in/link/../secret", "x")', "fs.write"],
    ['write_file("in/link/../new", "x")', "fs.write"],
    ['append_file("in/link/../secret", "x")', "fs.write"],
    ['mkdir("in/link/../made/deep")', "fs.write"],
    ['delete_file("in/link/../secret")', "fs.write"],
    ['move_file("in/link/../secret", "in/c")', "fs.write"],
    ['move_file("in/a", "in/link/../c")', "fs.write"],
    ['render("ROOT/in/link/../secret")', "fs.read"],
  ])("%s", async (code, group) => {
    expect(await caught(code, { allow: ["fs=in"] })).toContain(`lies outside of what ${group}`);
    expect(readdirSync(join(root, "out")).sort()).toEqual(["deep", "secret"]);
    expect(readFileSync(join(root, "out/secret"), "utf8")).toBe("outside");
    expect(readFileSync(join(root, "in/a"), "utf8")).toBe("inside");
  });

  it("leads where the system says it does, when that is allowed", async () => {
    symlinkSync(join(root, "in/sub"), join(root, "in/inner"));
    writeFileSync(join(root, "in/sub/b"), "below");
    expect(await caught('read_file("in/inner/../a")', { allow: ["fs=in"] })).toBe("inside");
    expect(await caught('read_file("in/inner/b")', { allow: ["fs=in"] })).toBe("below");
  });

  it("tells nothing of what lies outside", async () => {
    for (const path of ["out/secret/x", "out/none/x", "out/none", "in/link/../none/x"])
      expect(await caught(`file_exists("${path}")`, { allow: ["fs=in"] })).toContain(
        "lies outside of what fs.read",
      );
  });
});

describe("any path", () => {
  it.each(["held open", "checked"])(
    "leads where the system says, and reads what the system reads (%s)",
    (how) => {
      const top = join(root, "tree");
      // A fixed sequence: a failure can be looked at again.
      let state = 12345;
      const draw = (below: number): number => {
        state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
        return (state >> 8) % below;
      };
      const names = ["a", "b", "c"];
      const words = [...names, "..", ".", "", "x"];
      const some = (list: readonly string[], count: number): string =>
        Array.from({ length: 1 + draw(count) }, () => list[draw(list.length)]).join("/");
      mkdirSync(top);
      for (let made = 0; made < 60; made++) {
        const at = join(top, some(names, 3));
        try {
          const kind = draw(3);
          if (kind === 0) mkdirSync(at, { recursive: true });
          else if (kind === 1) writeFileSync(at, at);
          else symlinkSync(draw(3) === 0 ? join(top, some(words, 3)) : some(words, 4), at);
        } catch {
          // Something is there, or a parent is missing.
        }
      }
      const files =
        how === "checked"
          ? checkedFiles(createNodeHost({ cwd: root }).files, () => {})
          : filesUnder({ deny: ["net"] });
      const tried = (work: () => string): string => {
        try {
          return work();
        } catch (error) {
          return (error as { code?: string }).code ?? "refused";
        }
      };
      let found = 0;
      for (let round = 0; round < 3000; round++) {
        const path = `${top}/${some(words, 6)}`;
        const expected = tried(() => realpathSync.native(path));
        if (!expected.startsWith("/")) continue;
        found += 1;
        expect([path, files.realPath(path)]).toEqual([path, expected]);
        const text = tried(() => readFileSync(path, "utf8"));
        expect([path, tried(() => files.readText(path))]).toEqual([path, text]);
      }
      expect(found).toBeGreaterThan(300);
    },
  );
});

/** Swaps a name between a file or folder and a link to the outside as fast as it can. */
function swapper(name: string, target: string, kind: "file" | "dir"): ChildProcess {
  const code = `
    const fs = require("node:fs");
    const [name, target, kind] = process.argv.slice(1);
    const link = name + ".link", plain = name + ".plain";
    try { fs.symlinkSync(target, link) } catch {}
    process.stdout.write("ready");
    for (;;) {
      try {
        if (kind === "file") {
          fs.symlinkSync(target, link + "2"); fs.renameSync(link + "2", name);
          fs.writeFileSync(plain, "inside"); fs.renameSync(plain, name);
        } else {
          fs.renameSync(name, plain); fs.symlinkSync(target, name); fs.unlinkSync(name); fs.renameSync(plain, name);
        }
      } catch {}
    }`;
  return spawn(process.execPath, ["-e", code, name, target, kind], { stdio: ["ignore", "pipe", "inherit"] });
}

describe("a process that swaps a link in", () => {
  const fewest = 3000;
  const most = 2_000_000;
  let child: ChildProcess | undefined;
  afterEach(() => void child?.kill("SIGKILL"));

  async function raced(
    kind: "file" | "dir",
    name: string,
    target: string,
    attack: (files: Files, round: number) => void,
  ) {
    child = swapper(join(root, name), join(root, target), kind);
    await new Promise((resolve) => child?.stdout?.once("data", resolve));
    const files = filesUnder({ allow: ["fs=in"] });
    let refused = 0;
    let done = 0;
    // On a busy machine the other process may stand still for all of the first rounds.
    const isOne = (): boolean => refused > 0 && done > 0;
    for (let round = 0; round < fewest || (round < most && !isOne()); round++) {
      try {
        attack(files, round);
        done += 1;
      } catch {
        refused += 1;
      }
    }
    child.kill("SIGKILL");
    await new Promise((resolve) => child?.once("close", resolve));
    // The race was one: both happened.
    expect(refused).toBeGreaterThan(0);
    expect(done).toBeGreaterThan(0);
    expect(readFileSync(join(root, "out/secret"), "utf8")).toBe("outside");
    expect(readdirSync(join(root, "out")).sort()).toEqual(["deep", "secret"]);
  }

  it("never has a file outside read", () =>
    raced("file", "in/a", "out/secret", (files) => {
      expect(new TextDecoder().decode(files.readBytes(join(root, "in/a")))).toBe("inside");
    }));

  it("never has a file outside written", () =>
    raced("file", "in/a", "out/secret", (files, round) => {
      if (round % 2 === 0) files.write(join(root, "in/a"), "changed");
      else files.append(join(root, "in/a"), "changed");
    }));

  it("never has a folder outside read or written", () =>
    raced("dir", "in/sub", "out", (files, round) => {
      const at = join(root, "in/sub");
      if (round % 4 === 0) expect(files.list(at).map(({ name }) => name)).not.toContain("secret");
      else if (round % 4 === 1) files.write(join(at, "made"), "x");
      else if (round % 4 === 2) files.makeDir(join(at, "folder/deep"));
      else files.copy(join(root, "in/a"), join(at, "copy"));
    }));

  it("never has anything outside removed", () =>
    raced("dir", "in/sub", "out", (files, round) => {
      if (round % 2 === 0) files.remove(join(root, "in/sub/secret"));
      else files.makeDir(join(root, "in/sub/x"));
    }));
});

describe("templates in an allowed folder", () => {
  it("include their neighbours, and nothing outside", async () => {
    writeFileSync(join(root, "in/page"), 'page {{ include "part" }}');
    writeFileSync(join(root, "in/part"), "part");
    writeFileSync(join(root, "in/bad"), '{{ include "../out/secret" }}');
    expect(await caught('render("ROOT/in/page")', { allow: ["fs.read=in"] })).toBe("page part");
    expect(await caught('render("ROOT/in/bad")', { allow: ["fs.read=in"] })).toContain(
      "lies outside of what fs.read",
    );
  });
});

describe("where folders can't be held open", () => {
  it("links are followed before .. all the same", () => {
    const seen: string[] = [];
    const files = checkedFiles(createNodeHost({ cwd: root }).files, (access) => {
      if (access.kind === "file") seen.push(access.path);
      if (access.kind === "file" && !`${access.path}/`.startsWith(`${root}/in/`)) throw new Error("refused");
    });
    const outside = ["in/link/../secret", "in/link/new", "in/sub/../../out/secret", "in/link/../none/x"];
    for (const path of outside) {
      const full = `${root}/${path}`;
      for (const attempt of [
        () => files.readText(full),
        () => files.stat(full),
        () => files.write(full, "x"),
        () => files.append(full, "x"),
        () => files.makeDir(full),
        () => files.remove(full),
        () => files.list(full),
        () => files.copy(full, `${root}/in/c`),
        () => files.copy(`${root}/in/a`, full),
        () => files.rename(full, `${root}/in/c`),
        () => files.rename(`${root}/in/a`, full),
      ])
        expect(attempt).toThrow("refused");
    }
    expect(readdirSync(join(root, "out")).sort()).toEqual(["deep", "secret"]);
    expect(files.readText(`${root}/in/sub/../a`)).toBe("inside");
    expect(seen.at(-1)).toBe(`${root}/in/a`);
  });
});

describe("a folder that may only be written", () => {
  it("is written, emptied and tidied without being read", async () => {
    const lists = { allow: ["fs.write=in"] };
    for (const code of [
      'write_file("in/n", "x")',
      'write_file("in/n", "y")',
      'append_file("in/n", "z")',
      'mkdir("in/m/deep")',
      'move_file("in/n", "in/m/n")',
      'delete_file("in/m")',
    ])
      expect([code, await caught(code, lists)]).toEqual([code, "nil"]);
    expect(await caught('read_file("in/a")', lists)).toContain("needs the capability fs.read");
    expect(readdirSync(join(root, "in")).sort()).toEqual(["a", "link", "sub"]);
  });
});

describe("a denied folder", () => {
  beforeEach(() => {
    mkdirSync(join(root, "data/secret"), { recursive: true });
    writeFileSync(join(root, "data/secret/key"), "key");
  });

  it.each<[string, string]>([
    ['move_file("data", "moved")', "it holds ROOT/data/secret, which `deny` names for fs.read"],
    ['delete_file("data")', "it holds ROOT/data/secret, which `deny` names for fs.read"],
    ['move_file("data/secret", "moved")', "which `deny` names for fs.read"],
    ['move_file("data/secret/key", "key")', "it can't be moved to where it could be read"],
  ])("stays denied: %s", async (code, why) => {
    expect(await caught(code, { deny: ["fs.read=data/secret"] })).toContain(why.replace("ROOT", root));
    expect(existsSync(join(root, "data/secret/key"))).toBe(true);
  });

  it("does not keep its neighbours from moving", async () => {
    writeFileSync(join(root, "data/other"), "x");
    expect(await caught('move_file("data/other", "data/moved")', { deny: ["fs.read=data/secret"] })).toBe(
      "nil",
    );
  });

  it("keeps what only may be written unreadable", async () => {
    expect(await caught('move_file("out/secret", "in/b")', { allow: ["fs.read=in", "fs.write"] })).toContain(
      "it can't be moved to where it could be read",
    );
  });
});

describe("files of the system", () => {
  it.each([
    ["/proc/self/environ", "env"],
    ["/proc/thread-self/environ", "env"],
    ["/proc/self/cmdline", "process"],
    ["/proc/self/net/tcp", "net"],
    ["/proc/net/tcp", "net"],
    ["/proc/self/root/proc/self/environ", "env"],
    ["/dev/fd/../environ", "env"],
    ["/sys/kernel/hostname", "process"],
  ])("%s without %s", async (path, group) => {
    expect(await caught(`read_file("${path}")`, { deny: [group] })).toContain("shows or changes the system");
    expect(await caught(`write_file("${path}", "x")`, { deny: [group] })).toContain(
      "shows or changes the system",
    );
  });

  it("that tell of the machine only are read", async () => {
    expect(await caught('len(read_file("/proc/meminfo")) > 0', { deny: ["env", "process", "net"] })).toBe(
      "true",
    );
    expect(await caught('len(read_file("/proc/self/cmdline")) > 0', { deny: ["people"] })).toBe("true");
  });

  it("are no way round folders", async () => {
    for (const way of ["/proc/self/root", "/proc/self/cwd/../../../../../.."])
      expect(await caught(`read_file("${way}ROOT/out/secret")`, { allow: ["fs=in"] })).toContain(
        "lies outside",
      );
  });
});
