/** Simulated users: their faults, and who is to blame for a failed trial. */

export { type BlameFacts, blameOf, isHelped } from "./blame.ts";
export { redoneFor, redoneIn, userStream } from "./redone.ts";
export { faultsOf, faultsText } from "./trial-faults.ts";
export { type DialogueFacts, type DialogueTurn, userFaults } from "./user-faults.ts";
