/** What unpacks to more than it may is cut off, by what comes out and not by what the archive says. */
import { describe, expect, it } from "vitest";
import { writeTar } from "../../../src/host/archives/tar.ts";
import { writeZip, zipEntries } from "../../../src/host/archives/zip.ts";
import { nodeCompression } from "../../../src/host/index.ts";
import { Bytes } from "../../../src/values/index.ts";
import { machine } from "../../support/builtin-call.ts";

const zeros = new Uint8Array(1_000_000);
const bomb = writeZip([{ path: "zeros", content: zeros, mode: undefined }], nodeCompression);

describe("bombs", () => {
  it.each(["gzip", "zstd", "brotli", "deflate"] as const)("%s", (format) => {
    const packed = nodeCompression.encode(format, zeros);
    expect(packed.length).toBeLessThan(2000);
    expect(nodeCompression.decode(format, packed, 1_000_000).length).toBe(1_000_000);
    expect(() => nodeCompression.decode(format, packed, 999_999)).toThrow(
      expect.objectContaining({ code: "EFBIG", message: "output exceeds 999999 bytes" }),
    );
  });

  it("zip, also when it lies about its size", () => {
    const lying = bomb.slice();
    const view = new DataView(lying.buffer);
    const central = view.getUint32(lying.length - 22 + 16, true);
    view.setUint32(central + 24, 10, true);
    for (const archive of [bomb, lying]) {
      expect(() => zipEntries(archive, nodeCompression, 100_000)).toThrow(
        expect.objectContaining({ code: "EFBIG" }),
      );
    }
  });

  it("zip, counted over all entries", () => {
    const entry = { path: "a", content: zeros, mode: undefined };
    const two = writeZip([entry, entry], nodeCompression);
    expect(zipEntries(two, nodeCompression, 2_000_000).length).toBe(2);
    expect(() => zipEntries(two, nodeCompression, 1_999_999)).toThrow(
      expect.objectContaining({ code: "EFBIG" }),
    );
  });
});

describe("archives of others", () => {
  it("whose entries lead outside are refused", () => {
    const evil = writeTar([{ path: "../../etc/passwd", content: zeros.subarray(0, 3), mode: undefined }]);
    expect(machine().show("tar_extract", new Bytes(evil))).toBe(
      "! Runtime error: tar_extract: entry path '../../etc/passwd' leads out of the archive",
    );
  });

  it("that are damaged are told, byte by byte", () => {
    const good = writeZip(
      [{ path: "a", content: new TextEncoder().encode("hello hello hello"), mode: undefined }],
      nodeCompression,
    );
    for (let at = 0; at < good.length; at++) {
      const bad = good.slice();
      bad[at] = (bad[at] as number) ^ 0xff;
      expect(machine().show("zip_extract", new Bytes(bad))).toMatch(/^(\[|! Runtime error: zip_extract: )/);
    }
  });
});

describe("limits of formats", () => {
  it("a pattern that explodes elsewhere runs in linear time", () => {
    const run = machine();
    // An engine that backtracks would never end.
    expect(run.show("regex_match", "(a+)+$", `${"a".repeat(100_000)}!`)).toBe("nil");
    expect(run.show("regex_match", "(x+x+)+y", "x".repeat(100_000))).toBe("nil");
  });

  it("YAML aliases that multiply are cut off", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 12; i++) lines.push(`a${i}: &a${i} [${new Array(10).fill(`*a${i - 1}`).join(", ")}]`);
    // Written out they would be 10^12 items.
    expect(machine().show("yaml_parse", lines.join("\n"))).toMatch(/^! YAML parse error: /);
  });
});
