/** What a run did, as what is expected of another (agents.md §19.2). */
import { Dict, List } from "../../../values/index.ts";
import { artifactKinds, dictItemsOf, field } from "./record-fields.ts";

export function fixtureOf(run: Dict): Dict {
  const assertions = dictItemsOf(run, "stages").map((stage) =>
    Dict.of({
      node_id: field(stage, "node_id"),
      expected_status: field(stage, "status"),
      expected_outcome: field(stage, "outcome"),
      expected_branch: field(stage, "branch"),
      required_artifact_kinds: new List(artifactKinds(stage)),
      visible_text_contains: field(stage, "visible_text") === "" ? null : field(stage, "visible_text"),
    }),
  );
  return Dict.of({
    _type: "replay_fixture",
    source_run_id: field(run, "id"),
    workflow_id: field(run, "workflow_id"),
    expected_status: field(run, "status"),
    stage_assertions: new List(assertions),
  });
}
