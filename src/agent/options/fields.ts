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
  iterationBudgetFields,
  limitFields,
} from "../policy/bound-fields.ts";
export { approvalFields, permissionFields, policyFields } from "../policy/index.ts";
export {
  compactionFields,
  compactionPolicyFields,
  compactionRows,
  padFields,
  scratchpadFields,
  skillMatchFields,
} from "./context-fields.ts";
export { ladderFields } from "./ladder-fields.ts";
export { loopFields } from "./loop-fields.ts";
