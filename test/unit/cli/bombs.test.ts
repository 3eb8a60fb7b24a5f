/**
 * Issue 5, bad input: whatever grows without end is cut off at a limit (docs/limits.md) with an error that the script
 * catches; from the command line, alone, in `parallel`, and through modules and streaming readers.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("bombs");

/** What each expression throws, a line each. */
function caught(expressions: readonly string[], head = ""): string[] {
  const file = join(folder, "bombs.harn");
  const lines = expressions.map(
    (code) => `println(try { to_string(${code}).substring(0, 99) } catch (e) { e })`,
  );
  writeFileSync(file, [head, ...lines].join("\n"));
  const run = harn(["run", "--no-record", file], { cwd: folder, timeout: 300_000 });
  expect(run.stderr).toBe("");
  return run.stdout.trimEnd().split("\n");
}

describe("what unpacks to more than 256 MiB", () => {
  beforeAll(() => {
    const zeros = Buffer.alloc(300 * 1024 * 1024);
    const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    writeFileSync(join(folder, "bomb.gz"), gzipSync(zeros, { level: 1 }));
    writeFileSync(join(folder, "bomb.br"), brotliCompressSync(zeros, fast));
    writeFileSync(join(folder, "bomb.zst"), zstdCompressSync(zeros));
  });

  it("is cut off, also beside others", () => {
    const limit = "output exceeds 268435456 bytes";
    expect(
      caught([
        'gzip_decode(read_file_bytes("bomb.gz"))',
        'brotli_decode(read_file_bytes("bomb.br"))',
        'zstd_decode(read_file_bytes("bomb.zst"))',
        '(parallel settle [1, 2] { _ -> gzip_decode(read_file_bytes("bomb.gz")) }).results.map({ r -> unwrap_err(r) })',
      ]),
    ).toEqual([
      `Runtime error: gzip_decode: ${limit}`,
      `Runtime error: brotli_decode: ${limit}`,
      `Runtime error: zstd_decode: ${limit}`,
      expect.stringMatching(/gzip_decode: output exceeds 268435456 bytes.*, Runtime error: gzip_decode/),
    ]);
  });
});

describe("archives and documents that claim more than they have", () => {
  it("are refused by what they are", () => {
    const head = Buffer.alloc(512);
    head.write("huge");
    // 10 GiB as archivers write it: the highest bit, then a binary number.
    head[124] = 0x80;
    head.writeUInt32BE(2, 128);
    head.writeUInt32BE(0x80000000, 132);
    head.write("0", 156);
    head.write("ustar\x0000", 257);
    head.write("        ", 148);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    writeFileSync(join(folder, "huge.tar"), head);
    const levels = ["b", "c", "d", "e", "f", "g"].map((name, at) => {
      const before = String.fromCharCode(97 + at);
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`;
    });
    writeFileSync(join(folder, "bomb.yaml"), ["a: &a [x, x, x, x]", ...levels, ""].join("\n"));
    expect(
      caught(
        [
          'tar_extract(read_file_bytes("huge.tar"))',
          'yaml_parse(read_file("bomb.yaml"))',
          'read_yaml("bomb.yaml")',
          // Deeper than the stack holds; what lies deeper still is read before that and takes ten times as long.
          'yaml_parse("[".repeat(60000))',
        ],
        'import "std/fs"',
      ),
    ).toEqual([
      "Runtime error: tar_extract: the archive is cut off in 'huge'",
      "YAML parse error: Excessive alias count indicates a resource exhaustion attack",
      "YAML parse error: Excessive alias count indicates a resource exhaustion attack",
      expect.stringMatching(/^YAML parse error: values are nested too deeply at line 1, column \d+$/),
    ]);
  });
});

describe("a program that prints without end", () => {
  it("is ended, and its caller told, by whatever way it was started", () => {
    const words = (who: string, program = "yes"): string =>
      `${who}: '${program}' printed more than 67108864 bytes and was ended`;
    expect(
      caught(
        [
          'exec("yes")',
          'shell("yes 1>&2")',
          'exec_opts(["yes"])',
          'spawn_captured({cmd: "yes"})',
          'host_call("process.exec", {mode: "argv", argv: ["yes"]})',
          'process_run(["yes"])',
          'process_wait(process_start({argv: ["yes"]}))',
          '(parallel settle [1, 2] { _ -> exec("yes") }).failed',
        ],
        'import { process_run } from "std/runtime"',
      ),
    ).toEqual([
      words("exec failed"),
      words("exec failed", "/bin/sh"),
      words("exec failed"),
      words("exec failed"),
      `Runtime error: ${words("host_call process.exec")}`,
      `Runtime error: ${words("host_call process.exec")}`,
      words("process_wait"),
      "2",
    ]);
  });
});

describe("readers of streams", () => {
  it("hold no more than 64 MiB of one line, element or row", () => {
    writeFileSync(join(folder, "line.txt"), Buffer.alloc(65 * 1024 * 1024, "x"));
    writeFileSync(
      join(folder, "text.json"),
      Buffer.concat([Buffer.from('["'), Buffer.alloc(65 * 1024 * 1024, "x")]),
    );
    expect(
      caught(
        [
          'first(file_lines("line.txt"))',
          'first(json_stream(file_chunks("text.json")))',
          'first(csv_stream(file_chunks("line.txt")))',
          'first(jsonl_stream(file_chunks("line.txt")))',
        ],
        "fn first(pieces) { for piece in pieces { return piece } }",
      ),
    ).toEqual([
      "file_lines: a piece is longer than 67108864 bytes",
      expect.stringContaining("67108864 bytes"),
      expect.stringContaining("67108864 bytes"),
      expect.stringContaining("67108864 bytes"),
    ]);
  });
});
