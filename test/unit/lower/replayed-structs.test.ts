/** A struct that came back from a recorded effect is one of the program's own. */
import { expect, it } from "vitest";
import { recordAndReplayScript } from "../../support/replay-script.ts";

it("keeps its methods on replay, also inside lists and dicts", async () => {
  const { recorded, replayed } = await recordAndReplayScript(`
struct Point { x: int }
impl Point { fn double(self) { return self.x * 2 } }
let held = env_or("SURELY_NOT_SET", {all: [Point {x: 4}]})
println([held, held.all[0].double(), held.all[0] == Point {x: 4}])
fn at(p: Point) { return p.x }
println(held.all.map(at))
`);
  expect(recorded.stdout).toBe("[{all: [Point {x: 4}]}, 8, true]\n[4]\n");
  expect(replayed).toMatchObject({ stdout: recorded.stdout, error: "", exitCode: 0 });
});
