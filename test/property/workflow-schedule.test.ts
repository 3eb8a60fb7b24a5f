/** The schedule of workflows over random graphs and outcomes: a run that goes on from its stages is where it was. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Dict, fromJson } from "../../src/values/index.ts";
import { type EndedStage, Schedule } from "../../src/work/workflow/schedule.ts";

const kinds = ["stage", "verify", "condition", "fork", "join", "repair", "map"];
const branches = [null, "success", "failed", "true", "false", "retry"];

const graphs = fc.integer({ min: 1, max: 7 }).chain((size) => {
  const node = fc.integer({ min: 0, max: size - 1 }).map((index) => `n${index}`);
  const strategy = fc.constantFrom("all", "first", "quorum");
  return fc.record({
    nodes: fc
      .array(fc.record({ kind: fc.constantFrom(...kinds), strategy, max: fc.integer({ min: 1, max: 3 }) }), {
        minLength: size,
        maxLength: size,
      })
      .map((all) =>
        Object.fromEntries(
          all.map(({ kind, strategy: of, max }, index) => [
            `n${index}`,
            { kind, join_policy: { strategy: of }, retry_policy: { max_attempts: max } },
          ]),
        ),
      ),
    edges: fc.array(fc.record({ from: node, to: node, branch: fc.constantFrom(...branches) }), {
      maxLength: 14,
    }),
  });
});

const outcomes = fc.array(fc.record({ branch: fc.constantFrom(...branches), failed: fc.boolean() }), {
  minLength: 30,
  maxLength: 30,
});

const graphDict = (graph: unknown): Dict => (fromJson(graph as never) as Dict).with("entry", "n0");

interface Run {
  readonly stages: EndedStage[];
  /** What was pending and followed behind each stage. */
  readonly trail: string[];
}

function play(
  graph: Dict,
  ends: readonly { branch: string | null; failed: boolean }[],
  before: readonly EndedStage[] = [],
): Run {
  const schedule = new Schedule(graph);
  const run: Run = { stages: [], trail: [] };
  for (const [index, end] of ends.entries()) {
    const arrival = schedule.next();
    if (arrival === undefined) break;
    const stage = before[index] ?? {
      id: `s${index}`,
      node: arrival.node,
      branch: end.branch,
      failed: end.failed,
      consumed: arrival.inputs,
      produced: [`made${index}`],
    };
    expect(stage.node).toBe(arrival.node);
    expect(stage.consumed).toEqual(arrival.inputs);
    const steps = schedule.ended(stage);
    run.stages.push(stage);
    run.trail.push(JSON.stringify([schedule.pending, steps.map(({ to }) => to)]));
  }
  return run;
}

describe("the schedule of workflows", () => {
  it("is a function of the graph and of how its stages ended", () => {
    fc.assert(
      fc.property(graphs, outcomes, fc.integer({ min: 0, max: 30 }), (input, ends, known) => {
        const graph = graphDict(input);
        const whole = play(graph, ends);
        expect(play(graph, ends, whole.stages.slice(0, known))).toEqual(whole);
      }),
    );
  });

  it("puts back what has not happened", () => {
    fc.assert(
      fc.property(graphs, outcomes, (input, ends) => {
        const graph = graphDict(input);
        const schedule = new Schedule(graph);
        for (const stage of play(graph, ends).stages) {
          const first = schedule.next();
          schedule.putBack();
          expect(schedule.next()).toEqual(first);
          schedule.ended(stage);
        }
      }),
    );
  });

  it("runs a repair as often as its policy says, and a join at most once for each of its sources", () => {
    fc.assert(
      fc.property(graphs, outcomes, (input, ends) => {
        const { stages } = play(graphDict(input), ends);
        const ran = (id: string): number => stages.filter(({ node }) => node === id).length;
        for (const [id, node] of Object.entries(input.nodes)) {
          // The entry runs once without anybody leading to it.
          if (node.kind === "repair")
            expect(ran(id)).toBeLessThanOrEqual(node.retry_policy.max_attempts + (id === "n0" ? 1 : 0));
          if (node.kind !== "join" || id === "n0") continue;
          const sources = new Set(input.edges.filter(({ to }) => to === id).map(({ from }) => from));
          const arrivals = [...sources].reduce((sum, from) => sum + ran(from), 0);
          expect(ran(id)).toBeLessThanOrEqual(arrivals);
        }
      }),
    );
  });
});
