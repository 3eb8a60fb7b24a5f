/** Engine and database of a project, connected. Both are loaded here, at the first use. */
import type { ClusterSettings, Engine, Journals } from "./ports.ts";

export interface Cluster {
  readonly settings: ClusterSettings;
  readonly engine: Engine;
  readonly journals: Journals;
  close(): Promise<void>;
}

/** `report` takes what the engine's client has to say of the connection. Throws when one of them can't be reached. */
export async function openCluster(
  settings: ClusterSettings,
  report: (line: string) => void,
): Promise<Cluster> {
  const { openJournals } = await import("./journals/index.ts");
  const { connectEngine } = await import("./engine/index.ts");
  const journals = await openJournals(settings);
  try {
    const engine = await connectEngine(settings, { report });
    const close = async (): Promise<void> => {
      await Promise.allSettled([engine.close(), journals.close()]);
    };
    return { settings, engine, journals, close };
  } catch (error) {
    await journals.close();
    throw error;
  }
}
