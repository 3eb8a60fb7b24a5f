/** Where what is durable lives, for the command line: it has files of its own, without the limits of a run. */
import { statSync } from "node:fs";
import { type StatePlaces, statePlaces } from "./state-places.ts";

/** The places of a working directory and environment; they need not exist yet. */
export const placesOf = (cwd: string, env: ReadonlyMap<string, string>): StatePlaces =>
  statePlaces(cwd, env, (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);

/** The state folder alone. */
export const stateFolder = (cwd: string, env: ReadonlyMap<string, string>): string =>
  placesOf(cwd, env).state;
