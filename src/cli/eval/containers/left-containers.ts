/** Containers of a set that nobody works on any more, such as a killed process leaves. */
import { createNodeHost } from "../../../host/index.ts";
import { ownStateFolder } from "../../state.ts";
import { TrialContainers, tracesLieIn } from "./trial-containers.ts";

/** How many there were; they are gone now. */
export const removeLeftContainers = (set: string): Promise<number> =>
  new TrialContainers(tracesLieIn(ownStateFolder()), createNodeHost().processes).removeAll(set);
