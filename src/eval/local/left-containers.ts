/** Containers of a set that nobody works on any more, such as a killed process leaves. */

import { ownStateFolder } from "../../host/command/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { TrialContainers, tracesLieIn } from "./trial-containers.ts";

/** How many there were; they are gone now. */
export const removeLeftContainers = (set: string): Promise<number> =>
  new TrialContainers(tracesLieIn(ownStateFolder()), createNodeHost().processes).removeAll(set);
