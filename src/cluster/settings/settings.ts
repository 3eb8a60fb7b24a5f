/** `[cluster]` of `harn.toml` becomes what engine, database and workers are set up with. */
import { basename, dirname, resolve } from "node:path";
import type { Code } from "../../diagnostics/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { nodeDigest } from "../../host/index.ts";
import { loadedManifest, type Manifest } from "../../manifest/index.ts";
import { durationMs } from "../../values/index.ts";
import type { ClusterSettings } from "../ports.ts";
import { ClusterTable } from "./cluster-table.ts";
import { clientCertificate, engineKey, enginePlace, journalsPlace } from "./places.ts";
import { withheldSecrets } from "./withheld.ts";

const leastLeaseMs = 5000;
/** PostgreSQL cuts names at 63 bytes, the engine takes 64 for a share of its own: `harn_NAME`, `NAME/RUN`. */
const longestProject = 40;

/** Those of the project that a file belongs to. `exit`: what a command ends with where there is none. */
export async function clusterSettings(file: string, exit?: number): Promise<ClusterSettings> {
  const manifest = await loadedManifest(file);
  if (manifest?.tables.cluster === undefined) throw noCluster(manifest?.path, file, exit);
  return judgedSettings(new ClusterTable(manifest));
}

function judgedSettings(table: ClusterTable): ClusterSettings {
  const { said, manifest } = table;
  const lease = durationMs(said.lease);
  if (lease === undefined || lease < leastLeaseMs)
    throw table.wrong(
      "lease",
      `expected a duration from 5s on, such as "30s", got ${JSON.stringify(said.lease)}`,
    );
  const engine = enginePlace(table);
  const key = engineKey(table);
  const [withheld] = withheldSecrets(table);
  if (withheld !== undefined)
    throw new UsageError(
      `${manifest.path}: [cluster]: what ${withheld.from} says is not sent to ${withheld.address}: only the project names the address\n  \`harn trust\` agrees to it once, for this table in this place`,
      "HARN-CLU-006",
    );
  return {
    engine: { ...engine, ca: table.file("tls_ca"), certificate: clientCertificate(table), apiKey: key?.text },
    journals: journalsPlace(table).address,
    queue: queueName(said.queue, table.place("queue"), "HARN-CLU-003"),
    leaseMs: lease,
    project: said.project === null ? usualProject(manifest) : namedProject(table, said.project),
  };
}

/** A queue as `[cluster]` and `--queue` name it. */
export function queueName(text: string, place: string, code: Code = "HARN-CLI-003"): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(text)) return text;
  throw new UsageError(
    `${place}: expected 1 to 64 letters, digits, ".", "_" or "-", got ${JSON.stringify(text)}`,
    code,
  );
}

function namedProject(table: ClusterTable, text: string): string {
  if (safeProject.test(text)) return text;
  throw table.wrong(
    "project",
    `expected 1 to ${longestProject} lower-case letters, digits, ".", "_" or "-", got ${JSON.stringify(text)}`,
  );
}

const safeProject = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${longestProject - 1}}$`);

/** The same on every machine that has the manifest in a folder of the same name. */
function usualProject({ path, tables }: Manifest): string {
  const { name } = (tables.package ?? {}) as { readonly name?: unknown };
  const text = typeof name === "string" && name !== "" ? name : basename(dirname(path)) || "project";
  if (safeProject.test(text)) return text;
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "");
  // Two names that come to the same must not see each other.
  const mark = nodeDigest(text).slice(0, 8);
  return `${plain.slice(0, longestProject - 9) || "project"}-${mark}`;
}

const noCluster = (path: string | undefined, file: string, exit: number | undefined): UsageError =>
  new UsageError(
    [
      path === undefined ? `there is no harn.toml above ${resolve(file)}` : `${path} has no [cluster]`,
      "  write into it, with the places of yours:",
      "  [cluster]",
      '  engine = "temporal://127.0.0.1:7233/default"',
      '  journals = "env:HARN_JOURNALS"',
      "  and set HARN_JOURNALS to the address of PostgreSQL: postgres://USER:PASSWORD@HOST:5432/DATABASE",
    ].join("\n"),
    "HARN-CLU-002",
    exit,
  );
