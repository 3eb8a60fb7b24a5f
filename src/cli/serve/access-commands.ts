/** `harn serve url` and `harn serve token`: who may use the server. They work on the store, whether a server runs or not. */
import { EmbeddedOperations } from "../../durable/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  asUsageError,
  exitCode,
  ownStateFolder,
  print,
  reportAsJson,
  UsageError,
} from "../../host/command/index.ts";
import {
  type PrincipalRole,
  principalName,
  revokePrincipal,
  StoreAccess,
  systemClock,
} from "../../server/index.ts";
import { adminOf, listeningServers } from "../../server/local/index.ts";
import { openStore, type Store } from "../../store/index.ts";
import { Conversations } from "../../threads/index.ts";
import type { revokeFlags, tokenFlags } from "../flags/serving.ts";

type RevokeFlags = FlagsOf<typeof revokeFlags>;
type TokenFlags = FlagsOf<typeof tokenFlags>;

function withAccess<T>(work: (access: StoreAccess, store: Store) => T): T {
  let store: Store | undefined;
  try {
    store = openStore(ownStateFolder());
    return work(new StoreAccess(new EmbeddedOperations(store), systemClock), store);
  } catch (error) {
    throw asUsageError(error);
  } finally {
    store?.close();
  }
}

export async function urlCommand({ json }: TokenFlags): Promise<number> {
  const store = openStore(ownStateFolder());
  try {
    const [address] = await listeningServers(store);
    if (address === undefined)
      throw new UsageError("no server runs on this project: start one with `harn serve`", "HARN-CLI-008");
    const access = new StoreAccess(new EmbeddedOperations(store), systemClock);
    const url = loginLink(address, access.newCode(adminOf(access, store.folder, undefined)));
    if (json === true) reportAsJson({ url });
    else print(`${url}\n`);
    return exitCode.ok;
  } finally {
    store.close();
  }
}

/** The code stands after `#`: it is in no request, no log and no Referer. */
export const loginLink = (address: string, code: string): string => `${address}/#login=${code}`;

export function addToken(name: string, { role = "write", json }: TokenFlags): number {
  if (!principalName.test(name))
    throw new UsageError("a name has letters, digits and `._@-`, at most 64, the first a letter or digit");
  const token = withAccess((access) => access.add(name, role as PrincipalRole));
  if (token === undefined)
    throw new UsageError(
      `there is a principal ${name}: \`harn serve token revoke ${name}\` ends its token`,
      "HARN-CLI-008",
    );
  if (json === true) reportAsJson({ name, role, token });
  else print(`${token}\n`);
  return exitCode.ok;
}

export function listTokens({ json }: TokenFlags): number {
  for (const one of withAccess((access) => access.list())) {
    if (json === true) reportAsJson(one);
    else print(`${one.name}  ${one.role}${one.revoked === null ? "" : "  (revoked)"}\n`);
  }
  return exitCode.ok;
}

export const revokeToken = (name: string): number => revokeAccess(name, { keepRuns: true });

/** Servers on the store notice it by themselves. */
export function revokeAccess(name: string, { keepRuns = false }: RevokeFlags): number {
  const parked = withAccess((access, store) =>
    revokePrincipal({ access, conversations: new Conversations(store), clock: systemClock }, name, {
      by: "command line",
      keepsRuns: keepRuns,
    }),
  );
  if (parked === undefined) throw new UsageError(`there is no principal ${name}`, "HARN-CLI-005");
  for (const id of parked) print(`parked ${id}\n`);
  return exitCode.ok;
}
