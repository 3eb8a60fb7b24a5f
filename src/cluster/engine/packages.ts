/** The engine's packages: optional peers, loaded when they are first needed. */
import { UsageError } from "../../host/command/index.ts";

/** The versions that are tried; those of one number belong together. */
export const engineVersion = "1.24";
export const enginePackages = ["client", "worker", "activity"].map((name) => `@temporalio/${name}`);

type About = { readonly default: { readonly version: string } };

/** For who hands out jobs. */
export const loadClient = (): Promise<typeof import("@temporalio/client")> =>
  loadedPackage(
    "@temporalio/client",
    () => import("@temporalio/client/package.json", { with: { type: "json" } }),
    () => import("@temporalio/client"),
  );

/** For who takes them: a second of processor more. */
export async function loadWorker(): Promise<{
  readonly worker: typeof import("@temporalio/worker");
  readonly activity: typeof import("@temporalio/activity");
}> {
  const activity = await loadedPackage(
    "@temporalio/activity",
    () => import("@temporalio/activity/package.json", { with: { type: "json" } }),
    () => import("@temporalio/activity"),
  );
  const worker = await loadedPackage(
    "@temporalio/worker",
    () => import("@temporalio/worker/package.json", { with: { type: "json" } }),
    () => import("@temporalio/worker"),
  );
  return { worker, activity };
}

async function loadedPackage<T>(
  name: string,
  about: () => Promise<About>,
  load: () => Promise<T>,
): Promise<T> {
  const version = await installedVersion(about);
  if (version === undefined) throw cantLoad("they are not installed", "HARN-CLU-001");
  if (!version.startsWith(`${engineVersion}.`))
    throw cantLoad(`${name} is ${version} where this harn works with ${engineVersion}`, "HARN-CLU-013");
  try {
    return await load();
  } catch (error) {
    // Its binary is missing for this platform, or what it needs itself.
    const [first] = (error as Error).message.split("\n");
    throw new UsageError(`${name} ${version} can't be loaded: ${first}`, "HARN-CLU-013");
  }
}

async function installedVersion(about: () => Promise<About>): Promise<string | undefined> {
  try {
    return (await about()).default.version;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const cantLoad = (why: string, code: "HARN-CLU-001" | "HARN-CLU-013"): UsageError =>
  new UsageError(
    `workers need the packages of Temporal, and ${why}\n  npm install ${enginePackages.map((name) => `${name}@${engineVersion}`).join(" ")}`,
    code,
  );
