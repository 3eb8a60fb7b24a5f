/** One attempt of a job: what its child's end means, who is told, what counts as a death. The child is played by the test. */
import { describe, expect, it } from "vitest";
import { attemptJob, type JobAtWork, type JobWork } from "../../../src/cluster/attempt.ts";
import type { ChildWord } from "../../../src/cluster/child-words.ts";
import {
  type Attempt,
  AttemptOver,
  type Job,
  JobCancelled,
  JobFailed,
  type JobProgress,
  type JobResult,
  type Journals,
  NewerWork,
} from "../../../src/cluster/index.ts";
import { JournalProblem } from "../../../src/effects/index.ts";
import type { ChildEnd, JobChild, JobOptions } from "../../../src/host/index.ts";
import { StoreError } from "../../../src/store/index.ts";
import { MemoryJournals } from "../../support/memory-journals.ts";

const job: Job = { kind: "run", name: "r", flags: {} };
const ended = (exitCode: number): ChildEnd => ({ kind: "ended", exitCode });
const died: ChildEnd = { kind: "died", exitCode: null, signal: "SIGKILL" };

/** What a child does, given what the worker can do with it. */
type Play = (child: {
  report(word: ChildWord): void;
  print(text: string): void;
  /** Resolves with what was done to it. */
  readonly done: Promise<string>;
}) => Promise<ChildEnd>;

class Desk {
  readonly journals = new MemoryJournals();
  readonly atWork = new Map<string, JobAtWork>();
  readonly reported: string[] = [];
  readonly controller = new AbortController();
  readonly told: JobProgress[] = [];
  readonly closed: boolean[] = [];
  records = 4;
  unreadable: unknown;
  begin: JobWork["begin"] = async () => ({ child: { cwd: "/", task: {} } });
  /** What the journal says when the child has ended by itself. */
  end: JobWork["end"] = (exitCode) => ({ exitCode, records: this.records });
  close: JobWork["close"] = (isOver) => void this.closed.push(isOver);

  async put(): Promise<this> {
    await this.journals.put({ name: "r", kind: "run", runs: [] });
    return this;
  }

  attempt(play: Play, number = 1): Promise<JobResult> {
    const attempt: Attempt = {
      number,
      signal: this.controller.signal,
      before: undefined,
      progress: (progress) => this.told.push(progress),
    };
    const { journals, unreadable } = this;
    const take: Journals["take"] = async (name) => ({ ...(await journals.take(name)), unreadable });
    return attemptJob(job, attempt, {
      settings: { leaseMs: 5000 },
      journals: unreadable === undefined ? journals : Object.assign(Object.create(journals), { take }),
      pool: { run: (_job, options) => this.run(play, options) },
      worker: "w",
      work: () => ({
        begin: () => this.begin(),
        records: () => this.records,
        end: (code) => this.end(code),
        close: (isOver) => this.close(isOver),
      }),
      atWork: this.atWork,
      report: (line) => this.reported.push(line),
    });
  }

  private run(play: Play, options: JobOptions = {}): Promise<ChildEnd> {
    const { promise: done, resolve } = Promise.withResolvers<string>();
    const child: JobChild = {
      pid: process.pid,
      send: (message) => resolve(JSON.stringify(message)),
      interrupt: (ms) => resolve(`interrupted, killed after ${ms} ms`),
      kill: () => resolve("killed"),
    };
    options.onStart?.("mark", child);
    return play({
      report: (word) => options.onMessage?.(word),
      print: (text) => options.onOutput?.(text),
      done,
    });
  }
}

const newDesk = (): Promise<Desk> => new Desk().put();

describe("an attempt that ends", () => {
  it("notes the end, and gives it", async () => {
    const desk = await newDesk();
    expect(await desk.attempt(async () => ended(3))).toEqual({ exitCode: 3, records: 4 });
    expect(desk.journals.jobs.get("r")?.ended).toEqual({ exitCode: 3, records: 4 });
    expect(desk.closed).toEqual([true]);
  });

  it("notes an end that an earlier attempt came to, without a child", async () => {
    const desk = await newDesk();
    desk.begin = async () => ({ ended: { exitCode: 1, records: 9 } });
    expect(await desk.attempt(() => Promise.reject(new Error("a child was made")))).toEqual({
      exitCode: 1,
      records: 9,
    });
  });

  it("is over for this worker alone when it can't note the end", async () => {
    const desk = await newDesk();
    const away = desk.attempt(async () => {
      desk.journals.fault = new Error("no answer");
      return ended(0);
    });
    await expect(away).rejects.toThrow(AttemptOver);
    desk.journals.fault = undefined;
    const taken = desk.attempt(async () => {
      await desk.journals.take("r");
      return ended(0);
    });
    await expect(taken).rejects.toThrow(AttemptOver);
    expect(desk.closed).toEqual([false, false]);
  });
});

describe("what is not the job's fault", () => {
  it.each<[string, Play, string]>([
    [
      "the database was away",
      async ({ report }) => {
        report({ type: "over", words: "the database does not answer" });
        return ended(1);
      },
      "the database does not answer",
    ],
    [
      "its child was killed after it had said so",
      async ({ report }) => {
        report({ type: "over", words: "the disk is full" });
        return died;
      },
      "the disk is full",
    ],
  ])("%s: made again, and no death", async (_what, play, words) => {
    const desk = await newDesk();
    for (let n = 1; n <= 5; n++) {
      const over = desk.attempt(play, n);
      await expect(over).rejects.toThrow(AttemptOver);
      await expect(over).rejects.toThrow(words);
    }
    expect(await desk.attempt(async () => ended(0))).toEqual({ exitCode: 0, records: 4 });
  });

  it("a store that can't be written", async () => {
    const desk = await newDesk();
    desk.begin = () => Promise.reject(new StoreError("full", "the disk is full", ["make room"]));
    await expect(desk.attempt(async () => ended(0))).rejects.toThrow(AttemptOver);
    expect((await desk.journals.take("r")).isAbandoned).toBe(false);
  });

  it("what only a newer harn can read: nobody's end, and no death", async () => {
    const desk = await newDesk();
    desk.unreadable = new StoreError("newer", "the run r has format 99", ["use harn 9"]);
    for (let n = 1; n <= 4; n++) {
      const attempt = desk.attempt(() => Promise.reject(new Error("a child was made")), n);
      await expect(attempt).rejects.toThrow(NewerWork);
      await expect(attempt).rejects.toThrow("the run r has format 99\n  use harn 9");
    }
    expect(await desk.journals.unfinished()).toHaveLength(1);
    expect((await desk.journals.take("r")).isAbandoned).toBe(false);
  });

  it("what it can't remove: that is told, and the end counts", async () => {
    const desk = await newDesk();
    desk.close = () => Promise.reject(new Error("EACCES: permission denied, rmdir"));
    expect(await desk.attempt(async () => ended(0))).toEqual({ exitCode: 0, records: 4 });
    expect(desk.reported).toEqual([
      "what r left on this worker can't be removed: EACCES: permission denied, rmdir",
    ]);
  });

  it("a worker that stops: the child rests, and others go on", async () => {
    const desk = await newDesk();
    const attempt = desk.attempt(async ({ done }) => {
      setTimeout(() => desk.controller.abort(new AttemptOver("the worker stops")), 5);
      expect(await done).toBe('{"type":"rest"}');
      desk.end = () => undefined;
      return ended(143);
    });
    await expect(attempt).rejects.toThrow("the worker stops");
    expect((await desk.journals.take("r")).isAbandoned).toBe(false);
  });

  it("a worker that stops as the job ends: its end counts", async () => {
    const desk = await newDesk();
    const attempt = desk.attempt(async () => {
      desk.controller.abort(new AttemptOver("the worker stops"));
      return ended(0);
    });
    expect(await attempt).toEqual({ exitCode: 0, records: 4 });
  });
});

describe("deaths", () => {
  const dies: Play = async ({ print }) => {
    print("something\nerror: it broke\n");
    return died;
  };

  it("three without a new record fail for good, with the last words", async () => {
    const desk = await newDesk();
    // The first one comes to records that nobody had.
    await expect(desk.attempt(dies)).rejects.toThrow("SIGKILL: error: it broke");
    await expect(desk.attempt(dies, 2)).rejects.not.toThrow(JobFailed);
    await expect(desk.attempt(dies, 3)).rejects.not.toThrow(JobFailed);
    const last = desk.attempt(dies, 4);
    await expect(last).rejects.toThrow(JobFailed);
    await expect(last).rejects.toThrow("SIGKILL: error: it broke");
    // `harn cluster check --requeue` would hand it out again.
    expect(await desk.journals.unfinished()).toEqual([]);
  });

  it("with a new record they are counted anew", async () => {
    const desk = await newDesk();
    for (let n = 1; n <= 8; n++) {
      desk.records++;
      await expect(desk.attempt(dies, n)).rejects.not.toThrow(JobFailed);
    }
  });

  it("of a worker that is gone count with the next attempt", async () => {
    const desk = await newDesk();
    await desk.journals.died("r", desk.records);
    for (let n = 1; n <= 2; n++) {
      await desk.journals.take("r");
      const attempt = desk.attempt(async ({ report }) => {
        report({ type: "over", words: "away" });
        return ended(1);
      }, n);
      await expect(attempt).rejects.toThrow(AttemptOver);
    }
    await desk.journals.take("r");
    await expect(desk.attempt(async () => ended(0), 3)).rejects.toThrow(
      "3 attempts in a row ended without getting on, the last one so: its worker was gone",
    );
  });

  it("a child that ended with neither an end nor a word", async () => {
    const desk = await newDesk();
    desk.end = () => undefined;
    await expect(desk.attempt(async () => ended(1))).rejects.toThrow("exit code 1");
  });
});

describe("what no other attempt would come further with", () => {
  it("is told", async () => {
    const desk = await newDesk();
    const attempt = desk.attempt(async ({ report }) => {
      report({ type: "failed", words: "no such provider" });
      return ended(1);
    });
    await expect(attempt).rejects.toThrow(JobFailed);
    await expect(attempt).rejects.toThrow("no such provider");
    expect(await desk.journals.unfinished()).toEqual([]);
  });

  it("a job whose copy is damaged", async () => {
    const desk = await newDesk();
    desk.unreadable = new JournalProblem("unreadable", "the copy is damaged");
    const attempt = desk.attempt(() => Promise.reject(new Error("a child was made")));
    await expect(attempt).rejects.toThrow(JobFailed);
    await expect(attempt).rejects.toThrow("the copy is damaged");
    expect(await desk.journals.unfinished()).toEqual([]);
  });

  it("a job that the database does not have", async () => {
    const desk = new Desk();
    await expect(desk.attempt(async () => ended(0))).rejects.toThrow(JobFailed);
  });
});

describe("two attempts on one worker", () => {
  it("the earlier one makes way before the later one begins, which can be stopped", async () => {
    const desk = await newDesk();
    const begun = Promise.withResolvers<void>();
    const order: string[] = [];
    desk.close = (isOver) => void order.push(`closed ${isOver}`);
    const first = desk.attempt(async ({ done }) => {
      begun.resolve();
      order.push(await done);
      return { kind: "killed", because: "asked" };
    });
    await begun.promise;
    desk.end = () => undefined;
    desk.begin = async () => {
      order.push("begins");
      return { child: { cwd: "/", task: {} } };
    };
    const second = desk.attempt(async ({ done }) => {
      desk.atWork.get("r")?.stop("harn runs stop");
      order.push(await done);
      return { kind: "killed", because: "asked" };
    }, 2);
    await expect(first).rejects.toThrow(AttemptOver);
    expect(await second).toEqual({ exitCode: 143, records: 4 });
    expect(order).toEqual([
      "killed",
      "closed false",
      "begins",
      "interrupted, killed after 1500 ms",
      "closed true",
    ]);
    expect(desk.atWork.size).toBe(0);
  });
});

describe("a job that somebody stops", () => {
  it("unwinds, and its end counts", async () => {
    const desk = await newDesk();
    desk.end = () => ({ exitCode: 130, records: 7 });
    const attempt = desk.attempt(async ({ done }) => {
      setTimeout(() => desk.atWork.get("r")?.stop("harn runs stop"), 5);
      expect(await done).toBe("interrupted, killed after 1500 ms");
      return ended(130);
    });
    expect(await attempt).toEqual({ exitCode: 130, records: 7 });
    expect(desk.atWork.size).toBe(0);
  });

  it("is over when it had to be killed: nobody goes on with it", async () => {
    const desk = await newDesk();
    const attempt = desk.attempt(async ({ done }) => {
      setTimeout(() => desk.controller.abort(new JobCancelled("the job was cancelled")), 5);
      await done;
      return { kind: "killed", because: "asked" };
    });
    expect(await attempt).toEqual({ exitCode: 143, records: 4 });
  });

  it("before it was taken: no child is made", async () => {
    const desk = await newDesk();
    await desk.journals.stop("r", "harn runs stop");
    const attempt = desk.attempt(() => Promise.reject(new Error("a child was made")));
    expect(await attempt).toEqual({ exitCode: 143, records: 4 });
  });
});

it("the engine is told how far the child is", async () => {
  const desk = await newDesk();
  await desk.attempt(async ({ report }) => {
    report({ type: "progress", records: 12, costUsd: 0.5 });
    return ended(0);
  });
  expect(desk.told).toEqual([{ records: 12, costUsd: 0.5 }]);
});
