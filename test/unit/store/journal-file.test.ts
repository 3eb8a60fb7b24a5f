/** The journal in a file: what it looks like, and what is said about files that are torn, edited, foreign or stuck. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  JournalProblem,
  type JournalRecord,
  journalFormat,
  MemoryJournal,
  Secrets,
} from "../../../src/effects/index.ts";
import { createJournalFile, journalOfFile, parseJournal } from "../../../src/store/index.ts";
import { recordingEffects, replayEffects, runToEnd, type TestProgram } from "../../support/concurrent.ts";
import { effect, sleep } from "../../support/task-effects.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("journal");

let folder: string;
let file: string;
beforeEach(() => {
  folder = freshFolder();
  file = path.join(folder, "run.journal");
});

const program: TestProgram = async (task) => {
  for (let i = 0; i < 3; i++) {
    await sleep(task, 5);
    task.write(`${effect(task, "read_file", () => "x".repeat(2000), [`/f${i}`])}\n`);
  }
  return null;
};

async function record(): Promise<string> {
  await runToEnd(program, recordingEffects(createJournalFile(file)));
  return fs.readFileSync(file, "utf8");
}

/** The problem that reading a text gives. */
function problemOf(read: () => unknown): JournalProblem {
  try {
    read();
  } catch (error) {
    if (error instanceof JournalProblem) return error;
    throw error;
  }
  throw new Error("nothing was wrong");
}

describe("a journal file", () => {
  test("is JSON Lines, private, and reads back what was written", async () => {
    const text = await record();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JournalRecord);
    expect(lines[0]).toMatchObject({ t: "run", journal: "harn", format: journalFormat, seed: "test" });
    expect(lines.at(-1)).toMatchObject({ t: "end", reason: "done", code: 0, w: 3 });
    const { guarded } = await runToEnd(program, replayEffects(journalOfFile(file)));
    expect(guarded.kind).toBe("ended");
  });

  test("large data is stored once", async () => {
    const text = await record();
    expect(text.split("x".repeat(2000)).length - 1).toBe(1);
  });

  test("intents of what changes the outside are on disk before it happens", async () => {
    let seen = "";
    const writing: TestProgram = (task) => {
      void effect(
        task,
        "write_file",
        () => {
          seen = fs.readFileSync(file, "utf8");
          return null;
        },
        ["/a"],
        "write",
      );
      return null;
    };
    await runToEnd(writing, recordingEffects(createJournalFile(file)));
    expect(seen).toContain('"k":"write_file"');
    expect(seen).not.toContain('"t":"result"');
  });
});

describe("a journal that was cut off", () => {
  test("at any byte: readable up to the last whole line, and said to be torn", async () => {
    const text = await record();
    const whole = text.trimEnd().split("\n").length;
    const firstLine = text.indexOf("\n") + 1;
    for (let at = firstLine; at < text.length; at += 7) {
      const journal = parseJournal(text.slice(0, at), "j");
      const complete = text.slice(0, at).split("\n").length - 1;
      expect(journal.records.length).toBe(complete - 1);
      const atLineEnd = text[at - 1] === "\n";
      expect(journal.torn === undefined).toBe(atLineEnd);
      expect(complete).toBeLessThan(whole);
    }
    const { guarded } = await runToEnd(program, replayEffects(parseJournal(text.slice(0, -20), "j")));
    expect(guarded).toMatchObject({ problem: { kind: "ended-early" } });
  });

  test("in its first line: nothing was recorded", async () => {
    const text = await record();
    for (const at of [1, 10, 40]) {
      expect(problemOf(() => parseJournal(text.slice(0, at), "j")).message).toContain(
        "breaks off in its first line",
      );
    }
  });
});

describe("files that are no faithful journal", () => {
  test("edited: the line is named", async () => {
    const lines = (await record()).split("\n");
    const edited = [...lines];
    edited[3] = edited[3]!.replace(/"p":"0"/, '"p":"9"');
    expect(edited[3]).not.toBe(lines[3]);
    expect(problemOf(() => parseJournal(edited.join("\n"), "j")).message).toBe(
      "j: line 4 was changed after it was written",
    );
    const dropped = [...lines.slice(0, 2), ...lines.slice(3)];
    expect(problemOf(() => parseJournal(dropped.join("\n"), "j")).message).toContain("line 3 was changed");
    const swapped = [...lines.slice(0, 1), lines[2]!, lines[1]!, ...lines.slice(3)];
    expect(problemOf(() => parseJournal(swapped.join("\n"), "j")).message).toContain("line 2 was changed");
  });

  test("foreign, empty, binary, another format", () => {
    expect(problemOf(() => parseJournal("hello\n", "j")).message).toBe("j: this is not a journal of harn");
    expect(problemOf(() => parseJournal('{"t":"other"}\n', "j")).message).toContain("not a journal");
    expect(problemOf(() => parseJournal("", "j")).message).toContain("the file is empty");
    expect(problemOf(() => parseJournal("\u0000\u0001\ufffd", "j")).message).toContain("not a journal");
    const writer = createJournalFile(file);
    writer.append({ t: "run", journal: "harn", format: 99, runtime: "9.9.9" } as never);
    writer.close();
    const problem = problemOf(() => journalOfFile(file));
    expect(problem.message).toContain("the journal has format 99, this version of harn reads up to format");
    expect(problem.details[0]).toContain("9.9.9");
  });

  test("missing, a folder", () => {
    expect(problemOf(() => journalOfFile(path.join(folder, "none"))).message).toContain(
      "no such file or folder",
    );
    expect(problemOf(() => journalOfFile(folder)).message).toContain("it is a folder");
  });
});

describe("where a journal can't be written", () => {
  test("a missing folder, a folder, somebody else's file", () => {
    expect(problemOf(() => createJournalFile(path.join(folder, "no", "run.journal"))).message).toContain(
      "does not exist",
    );
    expect(problemOf(() => createJournalFile(folder)).message).toContain("it is a folder");
    const notes = path.join(folder, "notes.md");
    fs.writeFileSync(notes, "# my notes\n");
    expect(problemOf(() => createJournalFile(notes)).message).toContain(
      "a file that is no journal stands there",
    );
    expect(fs.readFileSync(notes, "utf8")).toBe("# my notes\n");
  });

  test("an old journal is replaced", async () => {
    await record();
    const again = await record();
    expect(again.split('"t":"run"').length).toBe(2);
  });

  test.skipIf(!fs.existsSync("/dev/full"))("a full disk ends the run with one clear problem", async () => {
    fs.symlinkSync("/dev/full", path.join(folder, "full"));
    const writer = createFull();
    const { guarded } = await runToEnd(
      (task) => effect(task, "write_file", () => null, [], "write"),
      recordingEffects(writer),
    );
    expect(guarded).toMatchObject({ kind: "problem", problem: { kind: "unwritable" } });
    expect((guarded as { problem: JournalProblem }).problem.message).toContain("the disk is full");
  });

  test("so does one that is noticed while a large piece is written, whether its task waits or not", async () => {
    const large = "x".repeat(100_000);
    for (const run of [() => large, async () => large]) {
      const writer = new MemoryJournal();
      writer.blob = () => {
        throw new JournalProblem("unwritable", "the disk is full");
      };
      const { guarded } = await runToEnd(async (task) => {
        try {
          return await effect(task, "read_file", run);
        } catch {
          return "a script went on";
        }
      }, recordingEffects(writer));
      expect(guarded).toMatchObject({ kind: "problem", problem: { message: "the disk is full" } });
    }
  });
});

/** A journal whose file fails as a full disk does. */
function createFull(): ReturnType<typeof createJournalFile> {
  const writer = createJournalFile(file);
  const { fd } = { fd: fs.openSync("/dev/full", "w") };
  Object.assign(writer, { file: fd });
  return writer;
}

test("secrets are not in the file", async () => {
  const secrets = new Secrets();
  secrets.register("TOKEN", "tok-123456789");
  await runToEnd(
    (task) => effect(task, "exec", () => "tok-123456789!", ["tok-123456789"], "write"),
    recordingEffects(createJournalFile(file), secrets),
  );
  expect(fs.readFileSync(file, "utf8")).not.toContain("tok-123456789");
});
