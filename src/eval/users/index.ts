/** Simulated users: their faults, and who is to blame for a failed trial. */

export { type BlameFacts, blameOf, isHelped } from "./blame.ts";
export {
  type DialogueFacts,
  type DialogueTurn,
  faultsOf,
  faultsText,
  redoneFor,
  redoneIn,
  userFaults,
  userStream,
} from "./user-faults.ts";
