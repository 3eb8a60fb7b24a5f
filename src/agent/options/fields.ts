/** The rows of agents' options, for the declarations of builtins. */
export {
  approvalFields,
  iterationBudgetFields,
  limitFields,
  permissionFields,
  policyFields,
} from "./bound-fields.ts";
export {
  asideRows,
  callBudgetFields,
  callFields,
  routeRows,
  thinkingFields,
  toolSearchFields,
} from "./call-fields.ts";
export {
  compactionFields,
  compactionPolicyFields,
  compactionRows,
  padFields,
  scratchpadFields,
} from "./context-fields.ts";
export { judgeFields } from "./judge-fields.ts";
export { loopFields } from "./loop-fields.ts";
