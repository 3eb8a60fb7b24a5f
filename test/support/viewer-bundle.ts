/** The viewer, bundled for the tests of a file. */
import { join } from "node:path";
import { BundledPackages } from "../../scripts/packages.ts";
import { bundleViewer } from "../../scripts/viewer.ts";

/** Bundles into a (temporary) folder; gives the folder that is as `dist/viewer`. */
export async function viewerIn(folder: string): Promise<string> {
  await bundleViewer(folder, new BundledPackages());
  return join(folder, "viewer");
}
