/** What a job learns of its worker, whatever its journal and its flags say: who can write to engine and database may have made them up. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { jobChild } from "../../../src/cluster/job-child.ts";
import { type LentByWorker, permittedFlags } from "../../../src/cluster/permissions.ts";
import type { JournalRecord, RunHeader } from "../../../src/effects/index.ts";
import { nodeDigest, type ParentLine } from "../../../src/host/index.ts";
import { inProcess } from "../../../src/process/index.ts";
import { madeProcess } from "../../../src/process/made-process.ts";
import { carriedRun, takeCarriedRun } from "../../../src/store/copies/index.ts";
import type { KeptQuestion } from "../../../src/store/index.ts";
import type { Json } from "../../../src/values/index.ts";
import { headerOf, type Machine, machineAt } from "../../support/cluster-journals.ts";
import { startPostgres } from "../../support/postgres-server.ts";
import { providerServerForTests } from "../../support/provider-server/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("job-child");
const models = await providerServerForTests();
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

const key = "sk-of-the-worker-0123456789";
let projects = 0;
let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

interface Handed {
  readonly text: string;
  /** What was recorded before the worker has it. */
  readonly records?: readonly JournalRecord[];
  readonly header?: Partial<RunHeader>;
  readonly lent?: Partial<LentByWorker>;
  readonly questions?: readonly KeptQuestion[];
}

/** A run in a worker's child: what it printed, as the database has it, and what it recorded. */
async function done({ text, records = [], header, lent, questions = [] }: Handed) {
  const place = { journals: server?.url ?? "", project: `jobs-${++projects}` };
  const worker = await machineAt(join(folder, String(projects)), place);
  try {
    begin(worker, { text, records, header: { cwd: folder, entry: `${folder}/a.harn`, ...header } });
    await worker.journals.put({ name: "r", kind: "run", runs: [carriedRun(worker.store, "r")] });
    const taken = await worker.journals.take("r", "w");
    for (const run of taken.runs) takeCarriedRun(worker.store, run, { isOurs: true });
    worker.store.runs.questions.replace("r", questions);
    const lender = { permissions: {}, models: {}, cwd: folder, ...lent };
    const own = madeProcess({
      cwd: folder,
      env: { HOME: folder, HARN_STATE_DIR: worker.store.folder, OPENAI_API_KEY: key },
      stdout: () => {},
      stderr: () => {},
      exit: () => new Error("ended"),
    });
    await inProcess(own, () => {
      const flags = permittedFlags(worker.store.runs.read("r").header, {}, lender);
      const copy = { ...place, job: "r", fence: taken.fence };
      const task = { kind: "run", run: "r", flags, permissions: lender.permissions, copy };
      return jobChild(
        task as unknown as Json,
        { send: () => {}, listen: () => () => {} } as unknown as ParentLine,
      );
    });
    const pieces = await worker.journals.output("r", 0);
    return {
      printed: pieces.map((piece) => piece.text).join(""),
      records: worker.store.runs.read("r").records,
      questions: worker.store.runs.questions.kept("r"),
    };
  } finally {
    await worker.close();
  }
}

function begin({ store }: Machine, { text, records = [], header }: Handed): void {
  const writer = store.runs.begin("r");
  writer.append(headerOf("r", folder, header));
  const hash = nodeDigest(text);
  writer.blob(hash, JSON.stringify(text));
  writer.append({ t: "source", name: `${folder}/a.harn`, hash });
  for (const record of records) writer.append(record);
  writer.flush(true);
  writer.close();
}

/** What an attempt recorded up to its first result, which somebody has changed. */
const changed = (records: readonly JournalRecord[], v: Json): JournalRecord[] => {
  const at = records.findIndex(({ t }) => t === "result");
  return [...records.slice(1, at), { ...records[at], v } as JournalRecord];
};

describe.skipIf(server === undefined)("a job of a worker", () => {
  it("prints secrets by name into the database, and reads on with those that its program asks for", async () => {
    const text = 'let key = env("OPENAI_API_KEY")\nprintln(len(key))\nprintln("the key is ${key}")\n';
    const first = await done({ text });
    expect(first.printed).toBe(`${key.length}\nthe key is {{secret:OPENAI_API_KEY}}\n`);
    // Another attempt reads it from the journal.
    const records = changed(first.records, "{{secret:OPENAI_API_KEY}}");
    expect((await done({ text, records })).printed).toBe(first.printed);
  });

  it.each<[string, Partial<RunHeader>]>([
    ["variables allowed", {}],
    ["variables denied", { options: { deny: ["env"] } }],
    ["an old format", { format: 2 }],
  ])("a result that somebody else has recorded tells no key: %s", async (_name, header) => {
    writeFileSync(join(folder, "a.txt"), "hello");
    const text = 'println(read_file("a.txt").contains("sk-"))\n';
    const { records } = await done({ text, header });
    const forged = changed(records, "{{secret:OPENAI_API_KEY}}");
    expect((await done({ text, records: forged, header })).printed).toBe("false\n");
    const argument = {
      text: 'println(argv[0].contains("sk-"))\n',
      header: { ...header, argv: ["{{secret:OPENAI_API_KEY}}"] },
    };
    expect((await done(argument)).printed).toBe("false\n");
  });

  it("an answer that somebody else has given tells no key", async () => {
    const text = 'println(ask_user("which?").contains("sk-"))\n';
    const { records, questions } = await done({ text });
    const answer = '"{{secret:OPENAI_API_KEY}}"';
    const answered = questions.map((question) => ({ ...question, answer, answered: 1 }));
    expect((await done({ text, records: records.slice(1), questions: answered })).printed).toBe("false\n");
  });

  it("an address of models that only the job names gets no key of the worker", async () => {
    const text = 'println(try { llm_call("2+3", nil, {model: "m"}).text } catch (e) { e.message })\n';
    const baseUrl = `${models.url}/v1`;
    const header = { options: { provider: "openai", base_url: baseUrl } };
    models.next({ kind: "answer", text: "five" });
    const { printed } = await done({ text, header });
    expect(printed).toContain("is not sent to");
    expect(printed).toContain(
      "only the job named this address. If you trust it, name it where the worker is started",
    );
    expect(models.seen).toEqual([]);
    expect((await done({ text, header, lent: { models: { provider: "openai", baseUrl } } })).printed).toBe(
      "five\n",
    );
    expect(JSON.stringify(models.seen[0]?.headers)).toContain(key);
  });
});
