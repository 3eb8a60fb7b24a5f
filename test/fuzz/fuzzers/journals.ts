/** Recorded runs, damaged on a disc or by a hand: exported files, and the store that holds them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Dice } from "../../support/fuzz-text.ts";
import { projectRoot } from "../../support/project.ts";
import { damageJsonLines } from "../damage.ts";
import type { Fuzzer, Input } from "../fuzzer.ts";
import { bytesOf, harnHere, writeFiles } from "../in-folder.ts";

const base = join(projectRoot, "test/fuzz/base/journals");
const stories = join(projectRoot, "test/replay");

const files: readonly string[] = [
  ...readdirSync(base)
    .filter(isJournal)
    .map((file) => join(base, file)),
  ...readdirSync(stories)
    .filter(isJournal)
    .map((file) => join(stories, file)),
];
/** Without the one whose program computes for ever: with its end cut off, its replay does so too, as it should. */
function isJournal(file: string): boolean {
  return file.endsWith(".jsonl") && file !== "1-computing.jsonl";
}

/** Lines with the checksums that they should have: damage that a checksum shows is told soon; this goes deeper. */
function sealed(text: string): string {
  let checksum = 0;
  return text
    .split("\n")
    .map((line) => {
      if (!line.endsWith("}")) return line;
      const body = line.replace(/,"x":"[^"]*"\}$|\}$/, "");
      checksum = crc32(body, checksum);
      return `${body},"x":"${checksum.toString(16).padStart(8, "0")}"}`;
    })
    .join("\n");
}

function journal(dice: Dice): Input {
  const file = dice.pick(files);
  const text = readFileSync(file, "utf8");
  // An exported run is closed by a seal, which shows all damage; a recording that was broken off has none.
  const lines = text.trimEnd().split("\n");
  if (lines.at(-1)!.startsWith('{"t":"seal"') && dice.below(4) > 0) lines.pop();
  const damaged = damageJsonLines(dice, lines);
  // The stories wait for hours when they go on; replayed they don't.
  const goesOn = file.startsWith(base) ? "yes" : "no";
  return { goesOn, journal: bytesOf(dice.below(4) === 0 ? damaged : sealed(damaged)) };
}

/** Places in the store's file and what is written over them: `OFFSET BYTES`, a line each. */
function store(dice: Dice): Input {
  const size = readFileSync(join(base, "state.db")).length;
  const edits = Array.from({ length: 1 + dice.below(6) }, () => {
    const bytes = Array.from({ length: 1 + dice.below(dice.below(3) === 0 ? 64 : 3) }, () =>
      dice.below(256).toString(16).padStart(2, "0"),
    );
    return `${dice.below(size)} ${bytes.join("")}\n`;
  });
  if (dice.below(8) === 0) edits.push(`${dice.below(size)} cut\n`);
  return { edits: edits.join("") };
}

function damagedStore(edits: string): string {
  let bytes = readFileSync(join(base, "state.db"));
  for (const edit of edits.split("\n")) {
    const [offset = "", what = ""] = edit.split(" ");
    if (!/^\d+$/.test(offset)) continue;
    if (what === "cut") bytes = bytes.subarray(0, Number(offset));
    else Buffer.from(what, "hex").copy(bytes, Math.min(Number(offset), bytes.length));
  }
  return bytes.toString("latin1");
}

export const journals: Fuzzer = {
  name: "journals",
  make: (dice) => (dice.below(3) === 0 ? store(dice) : journal(dice)),
  run: async (input, folder) => {
    if (input.journal !== undefined) {
      writeFiles(folder, { "run.jsonl": input.journal });
      await harnHere("replay", "run.jsonl");
      await harnHere("runs", "import", "run.jsonl");
    } else writeFiles(folder, { ".harn/state.db": damagedStore(input.edits!) });
    await harnHere("runs", "list");
    await harnHere("runs", "show", "last");
    await harnHere("runs", "show", "last", "--json");
    await harnHere("runs", "export", "last", "again.jsonl");
    await harnHere("replay", "last");
    await harnHere("trace", "last");
    await harnHere("hitl", "list");
    if (input.goesOn !== "no") {
      await harnHere("fork", "last", "--at", "2");
      await harnHere("run", "--resume", "last");
    }
    await harnHere("runs", "repair");
    await harnHere("runs", "show", "last");
    return "";
  },
};
