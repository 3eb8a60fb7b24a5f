/** The licences of what lies in an executable: harn, the packages that are bundled with it, Node with its own parts. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { shippedFolder, UsageError } from "../host/command/index.ts";

/** Where they lie in the executable; `NAME --licenses` prints them. */
export const licencesFolder = "licences";

/** Name → text. */
export function licences(node: string): Record<string, string> {
  const dist = shippedFolder("dist");
  return {
    "harn.txt": readFileSync(join(dirname(dist.path), "LICENSE"), "utf8"),
    "packages.txt": dist.text("THIRD_PARTY_NOTICES.txt"),
    "node.txt": licenceOfNode(node),
  };
}

function licenceOfNode(node: string): string {
  const beside = licenceBeside(node);
  if (beside !== undefined) return beside;
  const dist = shippedFolder("dist");
  if (!dist.has(keptLicence))
    throw new UsageError(
      `the licence of Node is not beside ${node}, and an executable has to hold it\n  put the file LICENSE of Node's archive into ${dirname(node)}`,
      "HARN-CLI-006",
    );
  return brotliDecompressSync(dist.bytes(keptLicence)).toString("utf8");
}

/** From the folder of `node`: archives and images of Node have it at their top, packages of distributions beside the documentation. */
const places = [
  "../LICENSE",
  "LICENSE",
  "../share/doc/node/LICENSE",
  "../share/doc/nodejs/LICENSE",
  "../share/doc/nodejs/copyright",
];

/** `undefined` when none lies where Node is. */
export const licenceBeside = (node: string): string | undefined =>
  places
    .map((place) => join(dirname(node), place))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"))
    .find((text) => text.slice(0, 2000).includes("Node.js"));

/** In `dist`, compressed: that of the Node that built it, for those that have none beside them. */
export const keptLicence = "NODE_LICENSE.br";
