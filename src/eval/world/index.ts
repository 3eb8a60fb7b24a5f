/** The world of a trial. */
export * from "./world.ts";
