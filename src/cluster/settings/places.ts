/**
 * Where engine and database are, and what is shown to them: judged. Nothing secret stands in the manifest, and nothing goes to another
 * machine unencrypted or unchecked. No message quotes what a variable or a file says: it may hold a password.
 */
import type { DatabasePlace } from "../journals/connection.ts";
import { databasePlace } from "../journals/connection.ts";
import type { ClusterSettings } from "../ports.ts";
import { engineAddress, isThisMachine } from "./addresses.ts";
import type { ClusterTable } from "./cluster-table.ts";

export function enginePlace(
  table: ClusterTable,
): Pick<ClusterSettings["engine"], "address" | "namespace" | "tls"> {
  const { said } = table;
  const engine = engineAddress(table.pointed("engine", said.engine) ?? said.engine);
  if (typeof engine === "string")
    throw table.wrong(
      "engine",
      `expected temporal://HOST:PORT/NAMESPACE, or temporals:// with TLS: ${engine}`,
      engine.includes("password") ? "HARN-CLU-004" : "HARN-CLU-003",
    );
  const { host, ...address } = engine;
  if (!address.tls && !isThisMachine(host) && !said.trustedNetwork)
    throw table.wrong(
      "engine",
      `${address.address} is another machine, and temporal:// does not encrypt\n  say temporals://, or \`trusted_network = true\` where the network does`,
      "HARN-CLU-005",
    );
  return address;
}

interface EngineKey {
  readonly text: string;
  /** Where it was found, in words. */
  readonly from: string;
}

export function engineKey(table: ClusterTable): EngineKey | undefined {
  const { apiKey } = table.said;
  if (apiKey === null) {
    const text = table.variable("TEMPORAL_API_KEY");
    return text === undefined ? undefined : { text, from: "env:TEMPORAL_API_KEY" };
  }
  const text = table.pointed("api_key", apiKey);
  if (text === undefined)
    throw table.wrong(
      "api_key",
      "expected env:NAME or file:PATH, and something else stands here",
      "HARN-CLU-004",
    );
  return { text, from: apiKey };
}

export function clientCertificate(table: ClusterTable): ClusterSettings["engine"]["certificate"] {
  const cert = table.file("tls_cert");
  const key = table.file("tls_key");
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw table.wrong(cert === undefined ? "tls_cert" : "tls_key", "tls_cert and tls_key go together");
  return { cert, key };
}

interface Database extends Pick<DatabasePlace, "host"> {
  /** With the password, so that nobody looks for it in the environment. */
  readonly address: string;
  readonly hasOwnPassword: boolean;
}

export function journalsPlace(table: ClusterTable): Database {
  const { said } = table;
  const address = table.pointed("journals", said.journals) ?? said.journals;
  const place = databasePlace(address);
  if (typeof place === "string") throw table.wrong("journals", place);
  const { host, password, sslMode } = place;
  if (table.isLiteral(said.journals) && password !== undefined)
    throw table.wrong(
      "journals",
      "a password stands here\n  put the address into a variable and write `env:NAME`, or into a file and write `file:PATH`",
      "HARN-CLU-004",
    );
  if (sslMode !== "verify-full" && !isThisMachine(host) && !said.trustedNetwork)
    throw table.wrong(
      "journals",
      `${host} is another machine, and the address does not say \`sslmode=verify-full\`\n  add it, or \`trusted_network = true\` where the network encrypts`,
      "HARN-CLU-005",
    );
  const { driverPassword } = table;
  if (password !== undefined || driverPassword === undefined)
    return { address, host, hasOwnPassword: password !== undefined };
  const url = new URL(address);
  url.searchParams.set("password", driverPassword);
  return { address: url.href, host, hasOwnPassword: false };
}
