/** The pure parts of the ladder, as the package exports them. */
import { expect, test } from "vitest";
import { ladderDefaults, mergeSummary, planLadder, renderView } from "../../../../src/library/core.ts";
import { filler, inputOf, ViewMaker } from "./ladder-views.ts";

test("planLadder, mergeSummary and renderView stand on their own", () => {
  const made = new ViewMaker();
  made.person("Look.");
  for (let n = 0; n < 12; n++) made.calling({ tool: "bash", args: { n }, gives: filler(1500, `b${n}`) });
  const plan = planLadder(inputOf(made.view, { budget: 5000, settings: ladderDefaults }));
  expect(plan.span?.ids[0]).toBe("msg_2");
  const fact = { text: "it went well", sources: ["msg_2"] };
  const delta = {
    ...{ facts: [fact], decisions: [], open_items: [], tool_outcomes: [], artifact_refs: [] },
    supersedes: [],
    closes: [],
    current_task: "",
    current_plan: "",
  };
  const { summary } = mergeSummary(null, delta, [{ id: "msg_2", text: "it did", trust: "model" }]);
  expect(summary.facts[0]?.id).toBe("F1");
  const log = made.view.map(({ id, message, origin }) => ({ id, message, origin }));
  const empty = {
    clear_records: [],
    externalization_records: [],
    summarization_records: [],
    drop_records: [],
    placement_records: [],
    reasoning_records: [],
  };
  const gone = Object.fromEntries((plan.span?.ids ?? []).map((id) => [id, "summarize" as const]));
  const view = renderView(log, { thread_id: "t", version: 1, actions: gone, ...empty });
  expect(view.map(({ id }) => id)).toEqual(log.map(({ id }) => id).filter((id) => gone[id] === undefined));
});
