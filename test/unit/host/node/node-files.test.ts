import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createNodeHost, HostError } from "../../../../src/host/index.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("files");

const { files } = createNodeHost();
let dir = "";
const at = (name: string): string => join(dir, name);
const failure = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof HostError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "no error";
};

beforeEach(() => {
  dir = freshFolder();
});

describe("making folders", () => {
  it("makes those above too, takes what is there, and goes through `..`", () => {
    files.makeDir(at("a/b/c"));
    files.makeDir(at("a/b/c"));
    files.makeDir(at("x/../y"));
    expect(fs.readdirSync(at("a/b"))).toEqual(["c"]);
    expect(fs.existsSync(at("y"))).toBe(true);
  });

  it("fails where there is a file, or nothing can be made", () => {
    files.write(at("file"), "");
    expect(failure(() => files.makeDir(at("file")))).toContain("EEXIST");
    expect(failure(() => files.makeDir(at("file/x")))).toContain("ENOTDIR");
    expect(failure(() => files.makeDir("/proc/nope/x"))).not.toBe("no error");
  });
});

describe("reading and writing", () => {
  it("writes, reads, appends", () => {
    files.write(at("a"), "häß\n");
    files.append(at("a"), "b");
    expect(files.readText(at("a"))).toBe("häß\nb");
    expect([...files.readBytes(at("a"))].slice(0, 3)).toEqual([0x68, 0xc3, 0xa4]);
  });

  it("leaves nothing beside the file", () => {
    files.write(at("a"), "1");
    files.write(at("a"), "2");
    expect(fs.readdirSync(dir)).toEqual(["a"]);
  });

  it("keeps mode, links and hard links", () => {
    fs.writeFileSync(at("script"), "old", { mode: 0o750 });
    fs.symlinkSync("script", at("link"));
    files.write(at("link"), "new");
    expect(fs.lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(at("script"), "utf8")).toBe("new");
    expect(fs.statSync(at("script")).mode & 0o777).toBe(0o750);
    fs.linkSync(at("script"), at("twin"));
    files.write(at("twin"), "both");
    expect(fs.readFileSync(at("script"), "utf8")).toBe("both");
  });

  it("writes through a dangling link and into a device", () => {
    fs.symlinkSync(at("target"), at("dangling"));
    files.write(at("dangling"), "x");
    expect(fs.readFileSync(at("target"), "utf8")).toBe("x");
    files.write("/dev/null", "gone");
    expect(fs.statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  it("keeps a byte order mark and refuses what is no UTF-8", () => {
    fs.writeFileSync(at("bom"), "\ufeffx");
    expect(files.readText(at("bom"))).toBe("\ufeffx");
    fs.writeFileSync(at("binary"), Buffer.from([0xff, 0xfe]));
    expect(failure(() => files.readText(at("binary")))).toBe("EILSEQ stream did not contain valid UTF-8");
  });
});

describe("errors in the system's words", () => {
  it.each<[string, () => unknown, string]>([
    ["a missing file", () => files.readText(at("no")), "ENOENT no such file or folder"],
    ["a folder as file", () => files.readText(dir), "EISDIR is a directory"],
    ["writing a folder", () => files.write(dir, ""), "EISDIR is a directory"],
    ["a missing parent", () => files.write(at("no/x"), ""), "ENOENT no such file or folder"],
    ["a file as parent", () => files.write(at("f/x"), ""), "ENOTDIR not a directory"],
    ["a long name", () => files.write(at("x".repeat(300)), ""), "ENAMETOOLONG file name too long"],
    ["a NUL", () => files.readText(at("a\0b")), "EINVAL file name contained an unexpected NUL byte"],
    ["removing nothing", () => files.remove(at("no")), "ENOENT no such file or folder"],
    ["a folder over a file", () => files.makeDir(at("f")), "EEXIST file exists"],
    ["copying a folder", () => files.copy(dir, at("copy")), "EISDIR is a directory"],
    ["a full disk", () => files.append("/dev/full", "x"), "ENOSPC no space left on device"],
  ])("%s", (_what, call, text) => {
    fs.writeFileSync(at("f"), "");
    expect(failure(call)).toBe(text);
  });
});

describe("folders", () => {
  it("lists, looks, moves and removes", () => {
    files.makeDir(at("a/b"));
    files.makeDir(at("a/b"));
    files.write(at("a/b/c"), "12345");
    expect(files.list(at("a"))).toEqual([{ name: "b", kind: "dir" }]);
    expect(files.stat(at("a/b/c"))).toMatchObject({ kind: "file", size: 5 });
    expect(files.stat(at("a/b/c/d"))).toBeUndefined();
    files.rename(at("a"), at("z"));
    expect(files.readText(at("z/b/c"))).toBe("12345");
    files.remove(at("z"));
    expect(files.stat(at("z"))).toBeUndefined();
  });
});
