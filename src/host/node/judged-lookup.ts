/**
 * Names are resolved where a connection is made, and what they mean is judged there, before anything is sent: a name under
 * which a private address is registered is that address.
 */
import type { ClientRequest } from "node:http";
import type { LookupFunction } from "node:net";

/** Throws for an address that must not be spoken to. */
export type AddressJudge = (address: string) => void;

export class JudgedLookup {
  /** What the judge threw. Node only takes errors of its own. */
  refused: { readonly why: unknown } | undefined;
  private readonly judge: AddressJudge;

  constructor(judge: AddressJudge) {
    this.judge = judge;
  }

  /** For `net.connect` and what is built on it. One address that is refused refuses the name: nobody knows which is taken. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const { lookup } = process.getBuiltinModule("node:dns");
    lookup(hostname, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (error !== null || addresses.every((address) => this.allows(address)))
        callback(error, found, family);
      else callback(new Error(`${hostname} may not be spoken to`), found, family);
    });
  };

  /** A connection that was open already has looked nothing up. */
  watch(request: ClientRequest): void {
    request.once("socket", ({ connecting, remoteAddress }) => {
      if (!connecting && remoteAddress !== undefined && !this.allows(remoteAddress))
        request.destroy(new Error("this address may not be spoken to"));
    });
  }

  private allows(address: string): boolean {
    try {
      this.judge(address);
      return true;
    } catch (why) {
      this.refused ??= { why };
      return false;
    }
  }
}
