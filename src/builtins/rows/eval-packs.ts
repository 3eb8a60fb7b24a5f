/** Rows of eval suites and packs (agents.md §19.2). */
import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

const suiteCases = rows(() => ({
  label: row.text("What the case is called."),
  run_path: row.text("The record that is judged."),
  fixture_path: row.text("What it must be like."),
  compare_to: row.text("The record that it must equal."),
}));

export const suiteFields = rows(
  () => ({
    _type: row.text("As a manifest has it."),
    id: row.text("What the suite is known by."),
    name: row.text("What it is called."),
    title: row.text("The same for people."),
    base_dir: row.text("The folder that its paths are under."),
    metadata: row.dict(null, "Whatever belongs to it."),
    cases: row.handle<List>("list", "What is judged.").with({ nested: suiteCases }),
  }),
  { others: "kept in the manifest" },
);

/** Fields that the format does not know are kept, for the pack's own statements (agents.md §19). */
export const packFields = rows(
  () => ({
    _type: row.text("As a manifest has it."),
    version: row.either([row.int(), row.text()], "The version of its form.").usually("1"),
    id: row.text("What the pack is known by."),
    name: row.text("What it is called."),
    title: row.text("The same for people."),
    description: row.text("What it is for."),
    base_dir: row.text("The folder that its paths are under."),
    baseline: row.either([row.text(), row.dict(null)], "The record that every case is compared with."),
    defaults: row.dict(null, "What holds for every case."),
    fixtures: row.handle<Value>("list | dict", "Records and expectations, by id."),
    rubrics: row.handle<Value>("list | dict", "What is judged, by id."),
    cases: row.handle<List>("list", "What is run.").with({
      nested: rows(
        () => ({
          id: row.text("What the case is known by."),
          label: row.text("What it is called."),
          run: row.either([row.text(), row.dict(null)], "The record that is judged."),
          fixture: row.either([row.text(), row.dict(null)], "What it must be like."),
          compare_to: row.either([row.text(), row.dict(null)], "The record that it must equal."),
          rubrics: row.handle<Value>("list | dict", "What is judged."),
          thresholds: row.dict(null, "What it may use.").bounds(),
          severity: row.text("What a failure means.", "blocking"),
        }),
        { others: "kept for the pack's own statements" },
      ),
    }),
  }),
  { others: "kept for the pack's own statements", typedByReader: true },
);
