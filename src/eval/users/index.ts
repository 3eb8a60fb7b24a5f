/** Simulated users: their faults, and who is to blame for a failed trial. */

export * from "./blame.ts";
export * from "./user-faults.ts";
