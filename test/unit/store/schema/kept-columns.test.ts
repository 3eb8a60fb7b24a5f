/** What was said stands in the tables with secrets by name, and comes back as it was; every column of text is declared. */
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EmbeddedTx } from "../../../../src/durable/embedded-tx.ts";
import { tableShapes } from "../../../../src/durable/tables.ts";
import { Secrets } from "../../../../src/effects/index.ts";
import { nodeDigest } from "../../../../src/host/index.ts";
import { openStore, type Store, storeFile } from "../../../../src/store/index.ts";
import { keptColumns } from "../../../../src/store/schema/kept-columns.ts";
import { storeVersion } from "../../../../src/store/schema.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const secret = 'tok"zQ7xW\\hidden';
const open = (): Store => openStore(folder, { secrets: Secrets.ofEnvironment([["SERVICE_TOKEN", secret]]) });

const freshFolder = tempFolders("kept-columns");

let folder: string;
let store: Store;
beforeEach(() => {
  folder = freshFolder();
  store = open();
});
afterEach(() => store.close());

const inFiles = (text: string): boolean =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));

const message = (text: string) => ({
  conversation: "c_1",
  n: 1,
  id: "m_1",
  body: JSON.stringify({ text }),
  delivery: "queue",
  by: "ann",
  queued: 1,
  state: "queued",
  run: null,
});

/** A conversation, so that messages have one. */
function converse(): EmbeddedTx {
  const tx = new EmbeddedTx(store);
  tx.write("conversation", {
    id: "c_1",
    agent: "a",
    owner: "ann",
    state: "idle",
    record: JSON.stringify({ title: `about ${secret}` }),
    head: 0,
    version: 1,
    changed: 1,
  });
  return tx;
}

/** Columns of text that hold no words of anybody: names, states, digests, addresses, and what a journal's recorder has hidden. */
const names = new Set(
  `run.name run.header run.parent run.reason run.owner record.body blob.body question.place question.body question.answered_by
  entry.space entry.key mailbox_message.mailbox mailbox_message.key mailbox_message.owner
  lease.name lease.owner event.stream event.origin event.type request_key.key
  eval_set.name eval_set.seed eval_set.state eval_set.program eval_set.receipt eval_task.name eval_task.digest eval_sample.key eval_sample.digest
  eval_sample.cluster eval_variant.key eval_variant.digest eval_trial.streams eval_trial.kind eval_trial.state eval_trial.digest
  eval_trial.category eval_trial.limit_hit eval_trial.blame eval_attempt.state eval_attempt.category eval_score.scorer
  eval_label.scorer eval_label.rater eval_draw.key eval_limit.provider conversation.id conversation.agent conversation.owner conversation.state
  conversation_run.run conversation_run.conversation conversation_run.message conversation_run.status message.conversation message.id
  message.delivery message.by message.state message.run history.conversation history.id history.run partial.stream partial.message
  interrupt.id interrupt.run interrupt.conversation interrupt.by interrupt.how piece_holder.holder principal.name principal.role
  principal.token login.hash login.kind login.principal answered_request.principal answered_request.key answered_request.digest
  writing_projects.id writing_projects.conversation writing_projects.owner writing_projects.language writing_projects.citation_style
  writing_projects.state writing_sections.project writing_sections.id writing_sections.parent writing_sections.state
  writing_references.project writing_references.key writing_versions.project writing_versions.by writing_versions.run writing_versions.op
  library.key note.conversation source.id source.conversation source.hash`.split(/\s+/),
);
/** Kept by the parts of the store that have no columns for others: \`KeptJson.write\`. */
const byPart = new Set(
  "entry.value mailbox_message.body mailbox_message.dead_reason event.body request_key.result".split(" "),
);

describe("the columns of the store", () => {
  it("are all declared: kept by name, or not what anybody said", () => {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(join(folder, storeFile), { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const texts = tables
      .map(({ name }) => String(name))
      .filter((name) => !/^sqlite_|_words/.test(name))
      .flatMap((table) =>
        db
          .prepare(`PRAGMA table_info(${table})`)
          .all()
          .filter(({ type }) => type === "TEXT")
          .map(({ name }) => `${table}.${String(name)}`),
      );
    db.close();
    const kept = Object.entries(keptColumns).flatMap(([table, columns]) =>
      Object.keys(columns ?? {}).map((column) => `${table}.${column}`),
    );
    expect(texts.filter((one) => !names.has(one) && !byPart.has(one) && !kept.includes(one))).toEqual([]);
    expect([...names, ...byPart, ...kept].filter((one) => !texts.includes(one))).toEqual([]);
    expect(kept.filter((one) => names.has(one))).toEqual([]);
    for (const table of Object.keys(keptColumns)) expect(tableShapes).toHaveProperty(table);
  });

  it("hold secrets by name, and give them back as they were said", () => {
    const said = `keep ${secret} and {{secret:SERVICE_TOKEN}} and {{secret*:X}}`;
    const tx = converse();
    tx.write("message", message(said));
    tx.write("answered_request", {
      principal: "ann",
      key: "k",
      digest: "d",
      status: 201,
      body: JSON.stringify({ body: { text: said } }),
      at: 1,
    });
    tx.insert("note", { conversation: "c_1", title: said, text: said, tags: JSON.stringify([said]), at: 1 });
    tx.write("interrupt", {
      id: "i_1",
      run: null,
      conversation: "c_1",
      asked: 1,
      by: "ann",
      reason: said,
      done: null,
      how: null,
    });
    for (const trace of [secret, JSON.stringify(secret).slice(1, -1), "zQ7xW"])
      expect(inFiles(trace)).toBe(false);
    expect(JSON.parse(tx.rows("message", { id: "m_1" }, 1)[0]!.body)).toEqual({ text: said });
    expect(JSON.parse(tx.rows("answered_request", { key: "k" }, 1)[0]!.body)).toEqual({
      body: { text: said },
    });
    expect(tx.rows("note", {}, 1)[0]).toMatchObject({
      title: said,
      text: said,
      tags: JSON.stringify([said]),
    });
    expect(tx.latest("message", { conversation: "c_1" }, { before: null, limit: 1 })[0]!.body).toContain(
      "zQ7xW",
    );
    const page = { columns: ["id", "reason"], after: null, upTo: null, limit: 9 };
    expect(tx.cells("interrupt", {}, page)).toEqual([["i_1", said]]);
    expect(tx.rows("conversation", {}, 1)[0]!.record).toContain("zQ7xW");
  });

  it("large texts are kept so, too, beside the same text of a journal", () => {
    const tx = new EmbeddedTx(store);
    const said = JSON.stringify({ input: `use ${secret}`, looks: "{{secret:SERVICE_TOKEN}}" });
    for (const text of [said, `# Paper\n\n${secret}`, '{"$hidden":"x","as":"json"}', "plain"]) {
      const hash = nodeDigest(text);
      const id = tx.keepPiece(hash, text);
      expect(tx.keepPiece(hash, text)).toBe(id);
      expect(tx.pieceOf(hash)).toBe(id);
      expect(tx.piece(id)).toBe(text);
    }
    expect(tx.pieceOf(nodeDigest("other"))).toBeUndefined();
    expect(inFiles("zQ7xW")).toBe(false);
  });

  it("keep text that an earlier version has written as text, whatever it looks like", () => {
    converse();
    store.close();
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(join(folder, storeFile));
    const columns = Object.keys(message(""));
    db.prepare(`INSERT INTO message (${columns.join()}) VALUES (${columns.map(() => "?").join()})`).run(
      ...(Object.values(message("{{secret:SERVICE_TOKEN}}")) as (string | number | null)[]),
    );
    db.exec(`PRAGMA user_version = ${storeVersion - 1}`);
    db.close();
    store = open();
    expect(JSON.parse(new EmbeddedTx(store).rows("message", {}, 1)[0]!.body)).toEqual({
      text: "{{secret:SERVICE_TOKEN}}",
    });
  });

  it("stay names where others could have written the store", () => {
    converse().write("message", message(`keep ${secret}`));
    store.close();
    chmodSync(join(folder, storeFile), 0o644);
    store = open();
    expect(JSON.parse(new EmbeddedTx(store).rows("message", {}, 1)[0]!.body)).toEqual({
      text: "keep {{secret:SERVICE_TOKEN|json}}",
    });
  });
});
