/** A store that is damaged, full or held: what was recorded stays readable, and the run goes on. */
// long: damages and kills stores in every way
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type CliResult, cleanEnvironment } from "../../support/command-environment.ts";
import { launcher } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("bad-store");

/** Each step is done once, whatever happens to the store in between. */
const steps = `for i in range(80) {
  append_file("log.txt", "x")
  env_or("A\${i}", "\${i}".repeat(300))
}
println(read_file("log.txt").len())
println(read_file("none.txt"))`;

let projects = 0;

/** A project whose run stopped for want of a file, and its store, in one file. */
function stoppedRun(): string {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), steps);
  expect(harn(["run", "a.harn"], { cwd }).stdout).toBe("80\n");
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(store(cwd));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  writeFileSync(join(cwd, "none.txt"), "here");
  return cwd;
}

const store = (cwd: string): string => join(cwd, ".harn/state.db");
const at = (cwd: string, ...args: string[]): CliResult => harn(args, { cwd });

describe("a damaged store", () => {
  let whole: string;
  beforeAll(() => {
    whole = stoppedRun();
  });

  function damagedCopy(damage: (file: string) => void): string {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(join(cwd, ".harn"), { recursive: true });
    for (const name of ["a.harn", "none.txt", "log.txt"]) copyFileSync(join(whole, name), join(cwd, name));
    copyFileSync(store(whole), store(cwd));
    damage(store(cwd));
    return cwd;
  }

  /** Where two thirds of what was recorded lie before, and the rest behind: other tables may lie anywhere. */
  const withinRecords = (bytes: Buffer): number => {
    const places: number[] = [];
    for (let place = bytes.indexOf("log.txt"); place >= 0; place = bytes.indexOf("log.txt", place + 1))
      places.push(place);
    expect(places.length).toBeGreaterThan(60);
    return places[Math.floor((places.length * 2) / 3)]!;
  };
  const cut = (file: string): void => truncateSync(file, withinRecords(readFileSync(file)));
  const scratched = (file: string): void => {
    const bytes = readFileSync(file);
    const at = withinRecords(bytes);
    writeFileSync(file, bytes.fill(0xa5, at, at + 16_384));
  };
  const edited = (file: string): void => {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(file);
    db.exec("UPDATE record SET body = replace(body, 'log.txt', 'tog.txt') WHERE seq = 100");
    db.close();
  };

  for (const [name, damage] of Object.entries({ cut, scratched, edited })) {
    it(`that was ${name} is repaired: a run keeps what was recorded and goes on from there`, () => {
      const cwd = damagedCopy(damage);
      const before = at(cwd, "replay", "last");
      expect(before.status).toBe(1);
      expect(before.stderr).toContain("`harn runs repair`");
      expect(before.stderr).not.toContain("    at ");
      const repaired = at(cwd, "runs", "repair");
      expect(repaired).toMatchObject({ stderr: "", status: 0 });
      expect(repaired.stdout).toMatch(/^took over 1 run; the damaged store is now .*state\.db\.damaged\n/);
      const kept = Number(/its first (\d+) records/.exec(repaired.stdout)?.[1]);
      expect(kept).toBeGreaterThan(20);
      expect(at(cwd, "runs", "list").stdout).toContain("interrupted");
      expect(at(cwd, "runs", "show", "last").stdout.split("\n").length).toBeGreaterThan(kept / 3);
      // What can't be read any more is done again, what can be read is not.
      // The run works where it was begun, not where its store was copied to.
      const log = join(whole, "log.txt");
      const already = readFileSync(log).length;
      const on = at(cwd, "run", "--resume", "last", "--on-doubt", "redo");
      expect(on.status).toBe(0);
      expect(on.stdout).toContain("here\n");
      const again = readFileSync(log).length - already;
      expect(again).toBeGreaterThanOrEqual(0);
      expect(again).toBeLessThan(80);
    });
  }

  it("of which nothing can be read is put aside", () => {
    const cwd = damagedCopy((file) => writeFileSync(file, "no database at all ".repeat(1000)));
    expect(at(cwd, "runs").stderr).toContain("it is no store of harn");
    expect(JSON.parse(at(cwd, "runs", "repair", "--json").stdout)).toMatchObject({ runs: [] });
    expect(at(cwd, "run", "a.harn").status).toBe(0);
    expect(readFileSync(`${store(cwd)}.damaged`, "utf8")).toMatch(/^no database at all/);
  });

  it("a good store comes through a repair as it was; a missing one is an error", () => {
    const cwd = damagedCopy(() => {});
    const before = at(cwd, "runs", "show", "last", "--json").stdout;
    expect(at(cwd, "runs", "repair").stdout).not.toContain("was cut");
    expect(at(cwd, "runs", "show", "last", "--json").stdout).toBe(before);
    expect(at(dirname(cwd), "runs", "repair").stderr).toContain("there is no store");
  });

  it("is not repaired under a run that is at work", async () => {
    const cwd = damagedCopy(() => {});
    writeFileSync(join(cwd, "b.harn"), 'env_or("A", "b")\nprintln("go")\nsleep(10m)');
    const run = startHarn(["run", "b.harn"], { cwd });
    await run.shows("go\n");
    expect(at(cwd, "runs", "repair").stderr).toMatch(/is being worked on by process \d+/);
    run.child.kill("SIGKILL");
    await run.ended;
    expect(at(cwd, "runs", "repair").status).toBe(0);
  });
});

describe("an interrupted run without its last records", () => {
  const log = "log.txt";
  const total = 40;
  const doneBefore = 31;
  const script = `for i in range(${total}) {
  if i == ${doneBefore} { exec_opts(["sh", "-c", "test -e killed || { touch killed; kill -9 $PPID; }"], {idempotent: true}) }
  append_file("${log}", "x")
  println("step \${i}")
}
println(read_file("${log}").len())`;

  let killed: string;
  beforeAll(() => {
    killed = join(folder, `p${projects++}`);
    mkdirSync(killed);
    writeFileSync(join(killed, "a.harn"), script);
    expect(at(killed, "run", "a.harn").stdout).toContain("step 30\n");
    inStore(killed, "PRAGMA wal_checkpoint(TRUNCATE)");
  });

  function inStore(cwd: string, sql: string): void {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(store(cwd));
    db.exec(sql);
    db.close();
  }

  /** A copy of its store; the run works in the folder that it had. */
  function damagedCopy(damage: (cwd: string) => void): string {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(join(cwd, ".harn"), { recursive: true });
    copyFileSync(store(killed), store(cwd));
    writeFileSync(join(killed, log), "x".repeat(doneBefore));
    damage(cwd);
    return cwd;
  }

  const cutFile = (file: string): void => truncateSync(file, Math.floor(readFileSync(file).length / 2));
  const appended = (): number => readFileSync(join(killed, log)).length;
  const lose = (from: number) => (cwd: string) => inStore(cwd, `DELETE FROM record WHERE seq >= ${from}`);
  /** In a store that an earlier version has written only what was shown tells of it. */
  const loseUncounted = (cwd: string): void => {
    inStore(cwd, "UPDATE run SET written = NULL");
    lose(0)(cwd);
  };

  it.each([
    ["cut in the middle", (cwd: string) => cutFile(store(cwd))],
    ["without any record", lose(0)],
    ["without its last effects", lose(2 * doneBefore - 1)],
    ["without most of its records", lose(12)],
    ["of an earlier version", loseUncounted],
  ])("%s does nothing twice unasked", (_, damage) => {
    const cwd = damagedCopy(damage);
    expect(at(cwd, "runs", "repair").status).toBe(0);
    const asked = at(cwd, "run", "--resume", "last");
    expect(asked).toMatchObject({ status: 75, stdout: "" });
    expect(asked.stderr).toContain("the last records of this run are lost");
    expect(appended()).toBe(doneBefore);
    expect(at(cwd, "hitl", "list").stdout).toContain("answers: redo, skip, fail");
    at(cwd, "hitl", "answer", "last", "skip");
    const rest = at(cwd, "run", "--resume", "last");
    expect(rest.stderr).toContain("it is skipped: append_file");
    expect(rest).toMatchObject({ status: 0 });
    expect(rest.stdout).toMatch(/^step 31\n(.*\n)+40\n$/);
    expect(at(cwd, "replay", "last").status).toBe(0);
  });

  it("is refused until it is repaired", () => {
    const cwd = damagedCopy(lose(12));
    const refused = at(cwd, "run", "--resume", "last");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^harn: the run run-\S+ has lost its last \d+ record\(s\)/);
    expect(refused.stderr).toContain("`harn runs repair`");
    expect(at(cwd, "runs", "repair").stdout).toMatch(/its first 12 records .*, \d+ more are lost\n/);
  });

  it("goes on as --on-doubt says", () => {
    const cwd = damagedCopy(lose(12));
    at(cwd, "runs", "repair");
    const failed = at(cwd, "run", "--resume", "last", "--on-doubt", "fail");
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^error: Runtime error: interrupted: .*\(HARN-SUS-020\)$/m);
    expect(appended()).toBe(doneBefore);
    // What was let fail is in doubt as before: it is no failure that is tried again.
    expect(at(cwd, "run", "--resume", "last").status).toBe(75);
    expect(appended()).toBe(doneBefore);
    const redone = at(cwd, "run", "--resume", "last", "--on-doubt", "redo");
    expect(redone.stderr).toContain("it is done again: append_file");
    expect(redone.status).toBe(0);
    expect(appended()).toBe(total + doneBefore - 5);
  });
});

describe("a damaged piece", () => {
  const script =
    'println(read_file("big.txt").len())\nprintln(read_file("small.txt"))\nwrite_file("c.txt", "c")\nprintln(read_file("none.txt"))';
  const big = "b".repeat(5000);

  /** A run that can be resumed, a large piece of which is not what was recorded. */
  function damagedRun(): string {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "a.harn"), script);
    writeFileSync(join(cwd, "big.txt"), big);
    writeFileSync(join(cwd, "small.txt"), "small");
    expect(at(cwd, "run", "a.harn").stdout).toBe("5000\nsmall\n");
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(store(cwd));
    expect(
      db.prepare(`UPDATE blob SET body = replace(body, '${big}', 'other') WHERE body LIKE '"bbbb%'`).run()
        .changes,
    ).toBe(1);
    db.close();
    writeFileSync(join(cwd, "none.txt"), "here");
    return cwd;
  }

  it("is not used by a resume or a replay", () => {
    const cwd = damagedRun();
    for (const command of [
      ["run", "--resume", "last"],
      ["replay", "last"],
    ]) {
      const refused = at(cwd, ...command);
      expect(refused).toMatchObject({ stdout: "", status: 1 });
      expect(refused.stderr).toMatch(/^harn: a piece of what was recorded is damaged \([0-9a-f]{12}…\)/);
      expect(refused.stderr).toContain("`harn runs repair`");
    }
  });

  it("is named, and the rest can be read and exported", () => {
    const cwd = damagedRun();
    const show = at(cwd, "runs", "show", "last");
    expect(show.status).toBe(1);
    expect(show.stdout).toMatch(/read_file \["big.txt"\] → "\(a piece of what was recorded is damaged/);
    expect(show.stdout).toContain('read_file ["small.txt"] → "small"');
    expect(show.stderr).toMatch(
      /^harn: a piece of what was recorded is damaged \([0-9a-f]{12}…\): .* \(HARN-CLI-020\)\n$/,
    );
    const exported = at(cwd, "runs", "export", "last", "out.json");
    expect(exported.status).toBe(1);
    expect(exported.stderr).toMatch(
      /^harn: what is damaged was left out \(HARN-CLI-020\)\n {2}the piece [0-9a-f]{12}… is damaged/,
    );
    expect(readFileSync(join(cwd, "out.json"), "utf8")).toContain("small.txt");
  });

  it("what a repair has cut is done again on a resume, which says so", () => {
    const cwd = damagedRun();
    expect(at(cwd, "runs", "repair").stdout).toContain("was cut: its first");
    writeFileSync(join(cwd, "small.txt"), "other");
    expect(at(cwd, "runs", "show", "last").stderr).toMatch(
      /^harn: a repair has cut what came after its first \d+ records\n$/,
    );
    const resumed = at(cwd, "run", "--resume", "last");
    expect(resumed.status).toBe(0);
    expect(resumed.stderr).toMatch(
      /^harn: the last \d+ records of run-\S+ were lost with a damaged store\n$/,
    );
    expect(resumed.stdout).toContain("here\n");
  });

  it.each([
    ["the header of a run", "UPDATE run SET header = '{broken'", ["runs"], 0],
    ["the header of a run, shown", "UPDATE run SET header = '{broken'", ["runs", "show", "last"], 1],
    ["records", "UPDATE record SET body = 'x' WHERE seq = 4", ["runs", "show", "last"], 1],
    [
      "records, exported",
      "UPDATE record SET body = 'x' WHERE seq = 4",
      ["runs", "export", "last", "o.json"],
      1,
    ],
    ["all pieces", "UPDATE blob SET body = x'ff00'", ["runs", "show", "last"], 1],
    ["all pieces, exported", "UPDATE blob SET body = x'ff00'", ["runs", "export", "last", "o.json"], 1],
    ["all pieces, resumed", "UPDATE blob SET body = x'ff00'", ["run", "--resume", "last"], 1],
  ] as const)("%s: no stack", (_, sql, command, status) => {
    const cwd = damagedRun();
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(store(cwd));
    db.exec(sql);
    db.close();
    const done = at(cwd, ...command);
    expect(done.status).toBe(status);
    expect(done.stderr).not.toMatch(/internal error|^ {4}at /m);
    if (status === 1) expect(done.stderr).toContain("damaged");
    else expect(done.stdout).toContain("(damaged)");
  });
});

/** Root in a mount of its own may make a folder read-only; elsewhere this can't be tried. */
const canRemount =
  process.getuid?.() === 0 &&
  spawnSync("unshare", [
    "-rm",
    "sh",
    "-c",
    `mount --bind ${folder} ${folder} && mount -o remount,ro,bind ${folder}`,
  ]).status === 0;

it.skipIf(!canRemount)("a read-only file system with a store costs the record, not the run", () => {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), 'println("one")\nprintln(now_ms() > 0)');
  expect(at(cwd, "run", "a.harn").status).toBe(0);
  const line = `mount --bind ${cwd} ${cwd} && mount -o remount,ro,bind ${cwd} && cd ${cwd} && exec "$0" run a.harn`;
  const env = cleanEnvironment();
  const run = spawnSync("unshare", ["-rm", "sh", "-c", line, launcher], { env, encoding: "utf8" });
  expect(run).toMatchObject({ stdout: "one\ntrue\n", status: 0 });
  expect(run.stderr).toMatch(
    /^harn: this run is not recorded: the store .* it is read-only \(--no-record says nothing\)\n$/,
  );
});

describe("a full disk", () => {
  /** Kilobytes of a store that holds next to nothing. */
  let fresh = 0;
  beforeAll(() => {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(cwd);
    expect(at(cwd, "run", "-e", "println(now_ms() > 0)").status).toBe(0);
    fresh = Math.ceil(readFileSync(`${store(cwd)}-wal`).length / 1024);
  });

  // No file may grow beyond so many blocks: what a quota does.
  const limited = (cwd: string, blocks: number, ...args: string[]): CliResult =>
    spawnSync("bash", ["-c", `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`, launcher, ...args], {
      cwd,
      env: cleanEnvironment(),
      encoding: "utf8",
    }) as unknown as CliResult;

  it("no line is printed twice, or lost, when the run goes on with room", () => {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(cwd);
    const script =
      'for i in range(80) {\n  println("line ${i}")\n  env_or("A${i}", "${i}".repeat(300))\n  append_file("log.txt", "x")\n}';
    writeFileSync(join(cwd, "a.harn"), script);
    const lines = Array.from({ length: 80 }, (_, at) => `line ${at}\n`).join("");
    let printed = "";
    let cut = 0;
    for (const room of [30, 90, 170]) {
      const flags = cut === 0 ? ["a.harn"] : ["--resume", "last"];
      const part = limited(cwd, fresh + room, "run", ...flags);
      printed += part.stdout;
      if (part.status === 0) break;
      cut++;
    }
    expect(cut).toBeGreaterThan(0);
    if (printed !== lines) printed += at(cwd, "run", "--resume", "last").stdout;
    expect(printed).toBe(lines);
    expect(readFileSync(join(cwd, "log.txt"), "utf8")).toBe("x".repeat(80));
  });

  it("ends the run with one clear error; with room it goes on, and nothing was done twice", () => {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "a.harn"), steps.split("\n").slice(0, 5).join("\n"));
    const full = limited(cwd, fresh + 30, "run", "a.harn");
    expect(full).toMatchObject({ stdout: "", status: 1 });
    expect(full.stderr).toMatch(
      /^harn: cannot write the journal: the store .* cannot be used: .*\n {2}at a\.harn:\d/,
    );
    expect(full.stderr).toMatch(/then `harn run --resume run-.*` goes on from here/);
    const done = readFileSync(join(cwd, "log.txt")).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(80);
    expect(at(cwd, "run", "--resume", "last")).toMatchObject({ stdout: "80\n", status: 0 });
    expect(at(cwd, "replay", "last")).toMatchObject({ stdout: "80\n", status: 0 });
  });

  it("from the beginning costs the record, not the run", () => {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "a.harn"), "println(now_ms() > 0)");
    const run = limited(cwd, 1, "run", "a.harn");
    expect(run).toMatchObject({ stdout: "true\n", status: 0 });
    expect(run.stderr).toMatch(/^harn: this run is not recorded: /);
  });
});

// Nobody, not even root, makes folders there.
describe.skipIf(!existsSync("/sys/kernel"))("a folder that can't be written", () => {
  const program = ["run", "-e", "println(now_ms() > 0)"];

  it("costs the record, not the run", () => {
    const run = harn(program, { cwd: "/sys/kernel" });
    expect(run).toMatchObject({ stdout: "true\n", status: 0 });
    expect(run.stderr).toMatch(/^harn: this run is not recorded: the store .* cannot be used: .*--no-record/);
    expect(harn(["run", "--no-record", ...program.slice(1)], { cwd: "/sys/kernel" }).stderr).toBe("");
  });

  it("ends a run that was told to keep its record there", () => {
    const run = harn(program, { cwd: folder, env: { HARN_STATE_DIR: "/sys/harn" } });
    expect(run).toMatchObject({ stdout: "", status: 1 });
    expect(run.stderr).toMatch(/^harn: the store \/sys\/harn\/state\.db cannot be used: /);
    expect(run.stderr).toContain("HARN_STATE_DIR names another folder");
  });
});

describe("a state folder that cannot be", () => {
  it.each([["/proc/x"], ["/proc/self/fd/x/y"], ["/dev/null/x"]])("%s is an error at once", (state) => {
    const cwd = join(folder, `p${projects++}`);
    mkdirSync(cwd);
    const done = harn(["run", "-e", 'write_file("x", "1")'], { cwd, env: { HARN_STATE_DIR: state } });
    expect(done).toMatchObject({ stdout: "", status: 1, signal: null });
    expect(done.stderr).toContain(`harn: the store ${state}/state.db cannot be used: `);
    expect(done.stderr).not.toContain("    at ");
    expect(existsSync(join(cwd, "x"))).toBe(false);
  });
});
