/** Keys and passwords that are not sent to an address, because only the project names it: whoever clones a folder has not agreed to it. */
import { createNodeHost } from "../../host/index.ts";
import type { Manifest } from "../../manifest/index.ts";
import { agreedTables, tableDigest, type WithheldKey } from "../../model/index.ts";
import type { JsonObject } from "../../values/index.ts";
import { hostOfAddress, isThisMachine } from "./addresses.ts";
import { ClusterTable } from "./cluster-table.ts";
import { engineKey, enginePlace, journalsPlace } from "./places.ts";

/** What the table of providers that the user agreed to calls this one; no provider is called so. */
export const clusterTable = "[cluster]";

/** What `harn trust` shows, and agrees to. */
export function withheldClusterKeys(manifest: Manifest): WithheldKey[] {
  if (manifest.tables.cluster === undefined) return [];
  const table = new ClusterTable(manifest);
  return withheldSecrets(table).map(({ from, address, agreement }) => ({
    provider: clusterTable,
    address,
    keys: [from],
    digest: tableDigest(createNodeHost(), agreement),
  }));
}

interface WithheldSecret {
  readonly from: string;
  readonly address: string;
  readonly agreement: JsonObject;
}

/** A key goes to an address that the user has named, or agreed to; on this machine nobody else listens. */
export function withheldSecrets(table: ClusterTable): WithheldSecret[] {
  const { said } = table;
  const engine = enginePlace(table).address;
  const { host, hasOwnPassword } = journalsPlace(table);
  const agreement = table.agreement({ "engine is": engine, "journals are at": host });
  const key = engineKey(table);
  const found: WithheldSecret[] = [];
  if (key !== undefined && table.isNamedByProject(said.engine) && !isThisMachine(hostOfAddress(engine)))
    found.push({ from: key.from, address: engine, agreement });
  const isTaken = table.driverPassword !== undefined && !hasOwnPassword;
  if (isTaken && table.isNamedByProject(said.journals) && !isThisMachine(host))
    found.push({ from: "env:PGPASSWORD", address: host, agreement });
  if (found.length === 0) return found;
  const agreed = agreedTables(createNodeHost(), table.manifest.path, { [clusterTable]: agreement });
  return agreed.length > 0 ? [] : found;
}
