/** A store that an earlier version has made is brought up to this one with everything in it; also through a repair. */
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openStore, repairStore, storeFile } from "../../../src/store/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("migrate");

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

/** Each before those that it refers to. */
const laterTables = [
  "conversation_run",
  "message",
  "history",
  "conversation",
  "partial",
  "interrupt",
  "piece_holder",
  "principal",
  "login",
  "answered_request",
  "writing_sections",
  "writing_references",
  "writing_versions",
  "writing_projects",
  "library_words",
  "library",
  "note_words",
  "note",
  "source",
  "eval_limit",
  "eval_draw",
  "eval_label",
  "eval_score",
  "eval_attempt",
  "eval_trial",
  "eval_variant",
  "eval_sample",
  "eval_task",
  "eval_set",
];

/** The first version's tables, as far as later ones change them, and the rest by migrating a new store back. */
function firstVersion(): void {
  openStore(folder).close();
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(join(folder, storeFile));
  db.exec(`
    DROP TABLE event;
    DROP TABLE request_key;
    ${laterTables.map((table) => `DROP TABLE ${table};`).join("\n")}
    DROP INDEX run_trial;
    ALTER TABLE run DROP COLUMN trial;
    ALTER TABLE run DROP COLUMN written;
    ALTER TABLE mailbox_message RENAME COLUMN mailbox TO queue;
    ALTER TABLE mailbox_message RENAME COLUMN dead_reason TO dead;
    ALTER TABLE mailbox_message RENAME TO item;
    INSERT INTO item (queue, body, key, enqueued, due) VALUES ('q', '"waits"', 'k', 5, 5);
    INSERT INTO item (queue, body, enqueued, due, claims, dead) VALUES ('q', '"given up"', 6, 6, 3, 'why');
    INSERT INTO entry (space, key, value, changed) VALUES ('s', 'k', '1', 7);
    PRAGMA user_version = 1;
  `);
  db.close();
}

function mustHoldAll(): void {
  const store = openStore(folder);
  expect(store.mailboxes.messages("q")).toMatchObject([{ body: "waits", key: "k", enqueued: 5 }]);
  expect(store.mailboxes.deadLetters("q")).toMatchObject([
    { body: "given up", deadReason: "why", claims: 3 },
  ]);
  expect(store.mailboxes.enqueue("q", "again", { key: "k" })).toBeUndefined();
  expect(store.mailboxes.enqueue("q", "new")).toBe(3);
  expect(store.entries.get("s", "k")).toBe(1);
  expect(store.streams.append("t", { at: 1, type: "x", body: null })).toBe(1);
  store.close();
}

test("queues of the first version are mailboxes", () => {
  firstVersion();
  mustHoldAll();
});

test("a store of the first version that is repaired keeps its queues", () => {
  firstVersion();
  repairStore(join(folder, storeFile), Date.now());
  mustHoldAll();
});
