/** The database that the settings name, and what is told when it can't be used. */
import { UsageError } from "../../host/command/index.ts";
import type { ClusterSettings } from "../ports.ts";
import {
  type DatabasePlace,
  databasePlace,
  errorWords,
  hidePassword,
  mayPass,
  placeWords,
} from "./connection.ts";
import { projectSchema } from "./statements.ts";

export interface ProjectPlace {
  readonly place: DatabasePlace;
  readonly schema: string;
}

export function projectPlace({
  journals,
  project,
}: Pick<ClusterSettings, "journals" | "project">): ProjectPlace {
  const place = databasePlace(journals);
  if (typeof place === "string")
    throw new UsageError(`the address of the database (\`journals\` of [cluster]): ${place}`, "HARN-CLU-003");
  return { place, schema: projectSchema(project) };
}

/** The database can't be reached, or was away for too long. Nothing is known to be wrong with what was asked. */
export class DatabaseAway extends UsageError {
  constructor(place: DatabasePlace, error: unknown) {
    super(
      `the database at ${placeWords(place)} can't be reached: ${errorWords(error, place)}`,
      "HARN-CLU-011",
    );
  }
}

/** It answers, and something stands against it. */
export const databaseRefuses = (place: DatabasePlace, words: string): UsageError =>
  new UsageError(
    `the database at ${placeWords(place)} can't be used: ${hidePassword(words, place)}`,
    "HARN-CLU-012",
  );

/** What a connection or a statement threw, for people; what is none of the driver's stays what it is. */
export function databaseError(place: DatabasePlace, error: unknown): unknown {
  if (mayPass(error)) return new DatabaseAway(place, error);
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== "string" || error instanceof UsageError) return error;
  // Who may come in, and whether there is such a database.
  if (/^(?:28|3D)/.test(code) || !/^[0-9A-Z]{5}$/.test(code)) return new DatabaseAway(place, error);
  return databaseRefuses(place, errorWords(error, place));
}
