/** How HTTP requests are made: proxies, certificates. */

export interface HttpProxy {
  /** With its credentials. */
  readonly url: string;
  /** Hosts reached without it, separated by commas. */
  readonly noProxy?: string | undefined;
}

/** PEM texts, and what to check. */
export interface HttpTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  /** `TLSv1.2`, `TLSv1.3` */
  readonly minVersion?: string | undefined;
  /** Takes any certificate: for servers under test. */
  readonly insecure?: boolean | undefined;
}
