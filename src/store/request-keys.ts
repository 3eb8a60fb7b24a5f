/** What was done once and is not done again: the result of an operation under the key of whoever asked for it. */
import type { Json } from "../effects/index.ts";
import type { Database } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";

/** Whoever could repeat it has ended long ago. */
const keptMs = 30 * 86_400_000;

export class RequestKeys {
  private readonly db: Database;
  private readonly now: () => number;
  private readonly json: KeptJson;
  constructor(db: Database, now: () => number, json: KeptJson) {
    this.db = db;
    this.now = now;
    this.json = json;
  }

  /** What `work` gave when it was done under this key; else it is done now. Inside a transaction. */
  once(key: string, work: () => Json): Json {
    const row = this.db.get("SELECT result FROM request_key WHERE key = ?", key);
    if (row !== undefined) return this.json.read(row.result, `the result of ${key}`);
    const result = work();
    const now = this.now();
    this.db.run("DELETE FROM request_key WHERE at < ?", now - keptMs);
    this.db.run(
      "INSERT INTO request_key (key, at, result) VALUES (?, ?, ?)",
      key,
      now,
      this.json.write(result),
    );
    return result;
  }
}
