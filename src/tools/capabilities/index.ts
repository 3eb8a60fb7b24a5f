/** `harn check --capabilities`: what a program may need, through calls and imports, without running it. */
export { type CapabilityUse, capabilityUses } from "./uses.ts";
