/**
 * The six states of the loop contract and the edges between them. Pure data and one function.
 *
 * Invariants: IDLE is the only entrance, DONE the only exit, and `transition` is the only function of the project that
 * writes `control.state`. A pause is an edge from every active state to IDLE; resuming goes back through PLANNING.
 */
export const stateNames = ["IDLE", "PLANNING", "EXECUTING", "AWAITING_TOOL", "REFLECTING", "DONE"] as const;
export type StateName = (typeof stateNames)[number];

/** What an edge is for. `pause` and `resume` are the yield and the way back. */
export type Because =
  | "run"
  | "resume"
  | "plan committed"
  | "tool_call needed"
  | "result"
  | "no_tool step done"
  | "next step"
  | "replan"
  | "goal_met"
  | "no_plan"
  | "pause";

/** The drawing of the contract, edge by edge. */
export const edges: Readonly<Record<StateName, Readonly<Partial<Record<StateName, readonly Because[]>>>>> = {
  IDLE: { PLANNING: ["run", "resume"] },
  PLANNING: { EXECUTING: ["plan committed"], DONE: ["no_plan"], IDLE: ["pause"] },
  EXECUTING: { AWAITING_TOOL: ["tool_call needed"], REFLECTING: ["no_tool step done"], IDLE: ["pause"] },
  AWAITING_TOOL: { REFLECTING: ["result"], IDLE: ["pause"] },
  REFLECTING: { EXECUTING: ["next step"], PLANNING: ["replan"], DONE: ["goal_met"], IDLE: ["pause"] },
  DONE: {},
};

/** Whether the contract has this edge for this reason. */
export function isLegal(from: StateName, to: StateName, because: Because): boolean {
  return edges[from][to]?.includes(because) === true;
}

/** A bug of ours: somebody asked for an edge that the contract does not have. */
export class IllegalTransition extends Error {
  constructor(from: StateName, to: StateName, because: Because) {
    super(`the loop contract has no edge ${from} -> ${to} (${because})`);
    this.name = "IllegalTransition";
  }
}

/** Changes the state, or throws `IllegalTransition` and changes nothing. */
export function transition(control: { state: StateName }, to: StateName, because: Because): void {
  if (!isLegal(control.state, to, because)) throw new IllegalTransition(control.state, to, because);
  control.state = to;
}
