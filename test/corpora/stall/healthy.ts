/** Work that gets somewhere, however repetitive it looks from outside. */
import { duration, moment, paths, prose, type Random } from "./random.ts";
import type { TracedCall, TracedTurn } from "./shapes.ts";

export type Family = (random: Random) => TracedTurn[];

const ok = (tool: string, args: Record<string, unknown>, result: string): TracedCall => ({
  tool,
  args,
  ok: true,
  result,
});
const bad = (tool: string, args: Record<string, unknown>, result: string): TracedCall => ({
  tool,
  args,
  ok: false,
  result,
});
const turn = (...calls: TracedCall[]): TracedTurn => ({ calls });

/** Files edited one after the other, with a look before and sometimes behind. */
const batchEdits: Family = (random) => {
  const files = paths(random, random.int(8, 20));
  const from = random.pick(["oldName", "legacy_call", "v1.Client"]);
  const turns = [turn(ok("grep", { pattern: from }, files.map((path) => `${path}:12: ${from}(`).join("\n")))];
  for (const path of files) {
    const text = prose(random, random.int(4, 12));
    if (random.chance(0.7)) turns.push(turn(ok("read_file", { path }, text)));
    turns.push(turn(ok("edit_file", { path, old: from, new: "newName" }, "ok: 1 replacement")));
    if (random.chance(0.2)) turns.push(turn(ok("read_file", { path }, `${text}\nnewName()`)));
  }
  turns.push(turn(ok("bash", { command: "npm test" }, `all 214 tests passed in ${duration(random)}`)));
  return turns;
};

/** A long list, page by page; some pages are empty. */
const paging: Family = (random) => {
  const pages = random.int(15, 50);
  const byCursor = random.chance(0.5);
  let cursor = random.hex(8);
  return Array.from({ length: pages }, (_, page) => {
    const args = byCursor ? { cursor } : { page: page + 1, per_page: 50 };
    cursor = random.hex(8);
    const empty = random.chance(0.15);
    const body = empty ? '{"items": []' : `{"items": ["${prose(random, 2).replaceAll("\n", '", "')}"]`;
    return turn(ok("fetch_page", args, byCursor ? `${body}, "next": "${cursor}"}` : `${body}}`));
  });
};

/** A job that takes its time: asked by a tool that is made for it, or by a command. */
const polls: Family = (random) => {
  const job = `job-${random.int(100, 999)}`;
  const turns = [turn(ok("bash", { command: `submit ${job}` }, `${job} queued`))];
  const made = random.chance(0.5);
  const rounds = random.int(4, 14);
  for (let round = 0; round < rounds; round++) {
    if (made) turns.push(turn(ok("job_status", { id: job }, `${job}: running`)));
    else {
      const left = random.chance(0.5)
        ? `step ${round + 1} of ${rounds}`
        : `${Math.round((100 * round) / rounds)} %`;
      turns.push(
        turn(ok("bash", { command: `status ${job}` }, `${job}: running, ${left} (${duration(random)})`)),
      );
    }
    if (random.chance(0.2))
      turns.push(turn(ok("read_file", { path: paths(random, 1)[0] }, prose(random, 6))));
  }
  turns.push(turn(ok("bash", { command: `fetch ${job}` }, prose(random, 5))));
  return turns;
};

/** A few looks at something that answers the same until it is there; then the work goes on. */
const shortWaits: Family = (random) => {
  const turns: TracedTurn[] = [];
  for (let service = 0; service < random.int(3, 6); service++) {
    const port = random.int(3000, 9000);
    turns.push(
      turn(ok("bash", { command: `start service ${port}` }, `started, pid ${random.int(1000, 9999)}`)),
    );
    for (let look = 0; look < random.int(1, 2); look++)
      turns.push(
        turn(bad("bash", { command: `curl localhost:${port}/health` }, "exit code 7: connection refused")),
      );
    turns.push(turn(ok("bash", { command: `curl localhost:${port}/health` }, '{"status":"ok"}')));
    for (const path of paths(random, random.int(2, 5)))
      turns.push(turn(ok("read_file", { path }, prose(random, 5))));
  }
  return turns;
};

/** Edit, run the tests, look, edit again: the same tests fail for many rounds. */
const testAndFix: Family = (random) => {
  const [path, spec] = paths(random, 2) as [string, string];
  const turns = [
    turn(ok("read_file", { path }, prose(random, 20)), ok("read_file", { path: spec }, prose(random, 15))),
  ];
  const rounds = random.int(5, 14);
  const failing = random.pick(["totals are rounded", "keeps the order", "refuses empty names"]);
  for (let round = 0; round < rounds; round++) {
    turns.push(
      turn(ok("edit_file", { path, old: prose(random, 1), new: prose(random, 2) }, "ok: 1 replacement")),
    );
    const passed = round === rounds - 1;
    const report = passed
      ? `41 passed in ${duration(random)}`
      : `FAIL ${spec} > ${failing}\n  expected 12, got ${random.chance(0.4) ? 11 : random.int(1, 9)}\n1 failed, 40 passed in ${duration(random)}`;
    turns.push(turn({ tool: "bash", args: { command: "npm test" }, ok: passed, result: report }));
    if (random.chance(0.15) && !passed)
      turns.push(turn({ tool: "bash", args: { command: "npm test" }, ok: false, result: report }));
    if (random.chance(0.4))
      turns.push(turn(ok("read_file", { path, offset: round * 20, limit: 40 }, prose(random, 8))));
  }
  return turns;
};

/** Much is read before anything is written; now and then something is looked at again. */
const longReading: Family = (random) => {
  const files = paths(random, random.int(25, 45));
  const texts = new Map(files.map((path) => [path, prose(random, random.int(5, 15))]));
  const turns: TracedTurn[] = [];
  let at = 0;
  while (at < files.length) {
    const take = files.slice(at, at + random.int(1, 4));
    at += take.length;
    turns.push(turn(...take.map((path) => ok("read_file", { path }, texts.get(path) as string))));
    if (at > 8 && random.chance(0.15)) {
      const again = random.pick(files.slice(0, at));
      turns.push(turn(ok("read_file", { path: again }, texts.get(again) as string)));
    }
  }
  turns.push(turn(ok("write_file", { path: "report.md", content: prose(random, 30) }, "written")));
  return turns;
};

/** File after file moved to another form, each checked by the same command with the same answer. */
const migrations: Family = (random) => {
  const turns: TracedTurn[] = [];
  for (const path of paths(random, random.int(8, 18))) {
    turns.push(turn(ok("read_file", { path }, prose(random, 10))));
    turns.push(turn(ok("write_file", { path, content: prose(random, 10) }, "written")));
    const whole = random.chance(0.5);
    turns.push(turn(ok("bash", { command: whole ? "make check" : `check ${path}` }, "no problems found")));
  }
  return turns;
};

/** Which commit broke it: the same script, two possible answers. */
const bisecting: Family = (random) => {
  const turns = [
    turn(ok("bash", { command: "git bisect start" }, "status: waiting for both good and bad commits")),
  ];
  for (let step = 0; step < random.int(6, 11); step++) {
    const commit = random.hex(10);
    turns.push(turn(ok("bash", { command: `git checkout ${commit}` }, `HEAD is now at ${commit}`)));
    const good = random.chance(0.5);
    turns.push(
      turn({
        tool: "bash",
        args: { command: "./repro.sh" },
        ok: good,
        result: good ? "ok" : "exit code 1: crash",
      }),
    );
    turns.push(
      turn(
        ok(
          "bash",
          { command: `git bisect ${good ? "good" : "bad"} ${commit}` },
          `Bisecting: ${90 >> step} revisions left`,
        ),
      ),
    );
  }
  return turns;
};

/** Looking for a file under several names. */
const probing: Family = (random) => {
  const turns: TracedTurn[] = [];
  for (let search = 0; search < random.int(3, 6); search++) {
    for (const path of paths(random, random.int(1, 2)))
      turns.push(turn(bad("read_file", { path }, `no such file: ${path}`)));
    const [found, other] = paths(random, 2) as [string, string];
    turns.push(turn(ok("glob", { pattern: `**/${search}*` }, `${found}\n${other}`)));
    turns.push(turn(ok("read_file", { path: found }, prose(random, 9))));
    turns.push(turn(ok("read_file", { path: other }, prose(random, 9))));
  }
  return turns;
};

/** The end of a log that grows. */
const logWatching: Family = (random) => {
  const lines: string[] = [];
  return Array.from({ length: random.int(12, 25) }, () => {
    for (let line = 0; line < random.int(1, 3); line++) lines.push(`${moment(random)} ${prose(random, 1)}`);
    return turn(ok("bash", { command: "tail -n 5 app.log" }, lines.slice(-5).join("\n")));
  });
};

/** A network that is down for a moment. */
const passingFailures: Family = (random) => {
  const turns: TracedTurn[] = [];
  for (let item = 0; item < random.int(8, 15); item++) {
    const url = `https://example.org/data/${random.hex(6)}`;
    if (random.chance(0.35))
      for (let failure = 0; failure < random.int(1, 2); failure++)
        turns.push(
          turn(
            bad(
              "fetch",
              { url },
              `503 Service Unavailable after ${duration(random)} (request ${random.uuid()})`,
            ),
          ),
        );
    turns.push(turn(ok("fetch", { url }, prose(random, 4))));
  }
  return turns;
};

/** Items are worked off; some turns only keep the list. */
const workingOffItems: Family = (random) => {
  const count = random.int(5, 9);
  const done = new Set<number>();
  const ledger = (open: number): string =>
    Array.from({ length: count }, (_, item) => (done.has(item) ? "d" : item === open ? "i" : "p")).join("");
  const turns: TracedTurn[] = [];
  for (let item = 0; item < count; item++) {
    turns.push({
      calls: [ok("work_item_update", { id: `${item}`, status: "in_progress" }, "ok")],
      ledger: ledger(item),
    });
    for (const path of paths(random, random.int(1, 4)))
      turns.push({
        calls: [
          ok(
            random.chance(0.5) ? "read_file" : "write_file",
            { path, content: prose(random, 3) },
            prose(random, 3),
          ),
        ],
        ledger: ledger(item),
      });
    done.add(item);
    turns.push({
      calls: [ok("work_item_update", { id: `${item}`, status: "done" }, "ok")],
      ledger: ledger(-1),
    });
    if (random.chance(0.4)) turns.push({ calls: [ok("work_item_list", {}, ledger(-1))], ledger: ledger(-1) });
  }
  return turns;
};

/** A figure that is watched while something runs, with work in between. */
const training: Family = (random) => {
  const turns = [turn(ok("bash", { command: "python train.py &" }, "[1] 4711"))];
  for (let epoch = 1; epoch <= random.int(8, 16); epoch++) {
    turns.push(
      turn(
        ok(
          "bash",
          { command: "tail -n 1 train.log" },
          `epoch ${epoch} loss 0.${random.int(100, 999)} acc 0.${random.int(100, 999)}`,
        ),
      ),
    );
    if (random.chance(0.3))
      turns.push(turn(ok("read_file", { path: paths(random, 1)[0] }, prose(random, 5))));
  }
  return turns;
};

/** Variants are tried, measured and taken back. */
const experiments: Family = (random) => {
  const [path] = paths(random, 1) as [string];
  const base = prose(random, 3);
  const turns = [turn(ok("read_file", { path }, base))];
  for (let variant = 0; variant < random.int(4, 8); variant++) {
    const next = prose(random, 3);
    turns.push(turn(ok("edit_file", { path, old: base, new: next }, "ok: 1 replacement")));
    turns.push(
      turn(
        ok(
          "bash",
          { command: "make bench" },
          `mean ${random.int(80, 140)}.${random.int(0, 9)} ops, run ${random.uuid()}`,
        ),
      ),
    );
    turns.push(turn(ok("edit_file", { path, old: next, new: base }, "ok: 1 replacement")));
  }
  return turns;
};

/** A person steers: the same thing is run again because somebody asked for it. */
const steered: Family = (random) => {
  const turns: TracedTurn[] = [];
  for (let round = 0; round < random.int(4, 7); round++) {
    turns.push({ calls: [ok("bash", { command: "./demo" }, "hello")], person: true });
    if (random.chance(0.6)) turns.push(turn(ok("bash", { command: "./demo" }, "hello")));
    for (const path of paths(random, random.int(1, 3)))
      turns.push(turn(ok("read_file", { path }, prose(random, 6))));
  }
  return turns;
};

export const healthyFamilies: Readonly<Record<string, Family>> = {
  batch_edits: batchEdits,
  paging,
  polls,
  short_waits: shortWaits,
  test_and_fix: testAndFix,
  long_reading: longReading,
  migrations,
  bisecting,
  probing,
  log_watching: logWatching,
  passing_failures: passingFailures,
  working_off_items: workingOffItems,
  training,
  experiments,
  steered,
};
