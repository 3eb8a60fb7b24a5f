/** Logs of Inspect AI as the archives that it writes (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync, zstdCompressSync } from "node:zlib";
import { beforeEach, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-inspect-log");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

interface Packed {
  readonly name: string;
  readonly text: string;
  readonly method: 0 | 8 | 93;
}

function zip(members: readonly Packed[], change: (entry: Buffer) => void = () => {}): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, text, method } of members) {
    const content = Buffer.from(text);
    const data = method === 8 ? deflateRawSync(content) : method === 93 ? zstdCompressSync(content) : content;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc32(content), 16);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    change(entry);
    bodies.push(local, Buffer.from(name), data);
    entries.push(entry, Buffer.from(name));
    at += 30 + name.length + data.length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, list, end]);
}

const sample = (id: string, score: string): string =>
  `{"id": "${id}", "epoch": 1, "input": "attachment://ab", "target": "x", "messages": [],
    "output": {"completion": "said"}, "scores": {"match": {"value": ${score}, "explanation": "why"}},
    "attachments": {"ab": "a long question"}, "model_usage": {"m": {"input_tokens": 3, "output_tokens": 4}}}`;

const members: readonly Packed[] = [
  {
    name: "_journal/start.json",
    text: '{"version": 2, "eval": {"task": "sums", "model": "openai/gpt"}}',
    method: 8,
  },
  { name: "samples/a_epoch_1.json", text: sample("a", '"C"'), method: 8 },
  { name: "samples/b_epoch_1.json", text: sample("b", '"I"'), method: 93 },
  { name: "samples/c_epoch_1.json", text: sample("c", "NaN"), method: 0 },
  {
    name: "header.json",
    text: '{"version": 2, "status": "success", "eval": {"task": "sums", "model": "openai/gpt"}}',
    method: 8,
  },
];
const load = async (bytes: Buffer) => {
  writeFileSync(join(cwd, "log.eval"), bytes);
  return await harnHere(["eval", "import", "log.eval", "--set", "i"], { cwd });
};

it("become sets, however their members are packed", async () => {
  expect(await load(zip(members))).toMatchObject({ stderr: "", stdout: "i  3 trials of sums\n" });
  const { stdout } = await harnHere(["eval", "show", "i"], { cwd });
  expect(stdout).toContain("0.500 [");
  expect(stdout).toContain("1 unscored");
  expect((await harnHere(["eval", "show", "i:a.1"], { cwd })).stdout).toContain("match  pass");
});

it("without a header the samples are those that there are", async () => {
  expect((await load(zip(members.filter(({ name }) => name !== "header.json")))).status).toBe(0);
});

it.each([
  ["cut off", zip(members).subarray(0, 200), "this is no zip archive"],
  ["a wrong sum", zip(members, (entry) => entry.writeUInt32LE(7, 16)), "is damaged"],
  [
    "a size that is a lie",
    zip(members, (entry) => entry.writeUInt32LE(0x7fffffff, 24)),
    "the archive unpacks to more than 268435456 bytes",
  ],
  [
    "offsets beyond its end",
    zip(members, (entry) => entry.writeUInt32LE(0x7fffffff, 42)),
    "the archive is damaged or cut off",
  ],
  [
    "an unknown method",
    zip(members, (entry) => entry.writeUInt16LE(12, 10)),
    "is compressed in an unknown way (12)",
  ],
  ["no samples", zip([]), "it has no samples"],
])("one with %s is refused", async (_what, bytes, said) => {
  const { status, stderr } = await load(bytes);
  expect(stderr).toContain(said);
  expect(stderr).toMatch(/^harn: log\.eval: /);
  expect(status).toBe(2);
});
