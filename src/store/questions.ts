/** What runs ask people, kept until somebody answers (`questions.answer` of `durable/`). */
import type { Json } from "../effects/index.ts";
import { jsonIn } from "./checked-text.ts";
import type { Database, SqlRow } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";

export interface Question {
  /** Name of the run. */
  readonly run: string;
  /** `path#number` of the effect. */
  readonly place: string;
  readonly body: Json;
  /** Milliseconds since the epoch. */
  readonly asked: number;
  readonly answer: Json | undefined;
  readonly answeredBy: string | undefined;
}

/** A question as the store keeps it: secrets stand in it by name. It travels so. */
export interface KeptQuestion {
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly asked: number;
  readonly body: string;
  readonly answer: string | null;
  readonly answered: number | null;
  readonly answeredBy: string | null;
}

const select = `SELECT run.name AS run, place, body, asked, answer, answered_by
  FROM question JOIN run ON run.id = question.run`;

export class Questions {
  private readonly db: Database;
  private readonly json: KeptJson;
  constructor(db: Database, json: KeptJson) {
    this.db = db;
    this.json = json;
  }

  /** Unanswered, oldest first. */
  open(): Question[] {
    return this.db
      .all(`${select} WHERE answer IS NULL ORDER BY asked, run.id, place`)
      .map((row) => this.ofRow(row));
  }

  /** All of a run. */
  of(run: string): Question[] {
    return this.db
      .all(`${select} WHERE run.name = ? ORDER BY asked, place`, run)
      .map((row) => this.ofRow(row));
  }

  /** All of a run, to be carried to another store. */
  kept(run: string): KeptQuestion[] {
    return this.db
      .all(
        `SELECT place, asked, body, answer, answered, answered_by FROM question
           JOIN run ON run.id = question.run WHERE run.name = ? ORDER BY asked, place`,
        run,
      )
      .map((row) => ({
        place: String(row.place),
        asked: Number(row.asked),
        body: String(row.body),
        answer: row.answer === null ? null : String(row.answer),
        answered: row.answered === null ? null : Number(row.answered),
        answeredBy: row.answered_by === null ? null : String(row.answered_by),
      }));
  }

  /** Those of a run are these from here on. */
  replace(run: string, kept: readonly KeptQuestion[]): void {
    this.db.transaction(() => {
      const { id } = this.db.get("SELECT id FROM run WHERE name = ?", run) ?? {};
      if (id === undefined) return;
      this.db.run("DELETE FROM question WHERE run = ?", id);
      for (const { place, asked, body, answer, answered, answeredBy } of kept)
        this.db.run(
          "INSERT INTO question (run, place, asked, body, answer, answered, answered_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
          id,
          place,
          asked,
          body,
          answer,
          answered,
          answeredBy,
        );
    });
  }

  private ofRow(row: SqlRow): Question {
    const what = `${String(row.place)} of ${String(row.run)}`;
    return {
      run: String(row.run),
      place: String(row.place),
      body: jsonIn(row.body, `the question ${what}`),
      asked: Number(row.asked),
      answer: row.answer === null ? undefined : this.json.read(row.answer, `the answer to ${what}`),
      answeredBy: row.answered_by === null ? undefined : String(row.answered_by),
    };
  }
}
