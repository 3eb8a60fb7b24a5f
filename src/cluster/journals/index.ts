/** PostgreSQL as the place of journals at work: nobody else names SQL, or its client. */
import { ownRoots } from "../../run/index.ts";
import type { ClusterSettings, Journals } from "../ports.ts";
import { DatabaseJournals, type JournalsOptions } from "./journals.ts";
import { usualPatienceMs } from "./mirror.ts";
import { projectPlace } from "./place.ts";

export { type OpenMirror, openMirror } from "./mirror.ts";
export { DatabaseAway } from "./place.ts";

/** Connects, so that a wrong address or a lacking right is known at once. Throws a `UsageError`. */
export async function openJournals(
  settings: Pick<ClusterSettings, "journals" | "project">,
  { roots = ownRoots(), patienceMs = usualPatienceMs, lookMs = 1000 }: Partial<JournalsOptions> = {},
): Promise<Journals> {
  const journals = new DatabaseJournals(projectPlace(settings), { roots, patienceMs, lookMs });
  try {
    await journals.begin();
    return journals;
  } catch (error) {
    await journals.close();
    throw error;
  }
}
