/** The rows of agents' options, for the declarations of builtins. */

export {
  asideRows,
  callBudgetFields,
  callFields,
  routeRows,
  thinkingFields,
  toolSearchFields,
} from "../../model/index.ts";
export {
  approvalFields,
  iterationBudgetFields,
  limitFields,
  permissionFields,
  policyFields,
} from "../policy/bound-fields.ts";
export {
  compactionFields,
  compactionPolicyFields,
  compactionRows,
  padFields,
  scratchpadFields,
} from "./context-fields.ts";
export { judgeFields } from "./judge-fields.ts";
export { ladderRows } from "./ladder-fields.ts";
export { loopFields } from "./loop-fields.ts";
