/** `[cluster]` of `harn.toml`: where work is handed out and journals are copied to (docs/cluster.md). `src/cluster/settings.ts` reads it. */
import { row, rows } from "../table/index.ts";

export const clusterFields = rows(
  () => ({
    engine: row
      .filled(
        "Temporal: `temporal://HOST:PORT/NAMESPACE`, `temporals://` with TLS; or `env:NAME`, `file:PATH`, which say so.",
      )
      .required(),
    api_key: row.filled(
      "The key that the engine wants: `env:NAME` or `file:PATH`. Default what TEMPORAL_API_KEY says.",
    ),
    tls_ca: row.filled(
      "A PEM file: who signs the engine's certificate, where that is none of the usual authorities.",
    ),
    tls_cert: row.filled("A PEM file: the certificate that this side shows to the engine."),
    tls_key: row.filled("A PEM file: its key."),
    journals: row
      .filled(
        "PostgreSQL: `env:NAME` or `file:PATH`, which say `postgres://…`; an address without a password may stand here.",
      )
      .or("env:HARN_JOURNALS")
      .usually('"env:HARN_JOURNALS"'),
    queue: row.filled("The queue that jobs of this project wait in.", "harn"),
    lease: row.filled(
      "How long nothing may be heard of a worker before others take its jobs; 5s and more.",
      "30s",
    ),
    project: row.filled(
      "Tells projects apart that share engine or database. Default the name of the package, else of the folder.",
    ),
    trusted_network: row
      .bool(
        "Engine and database beyond this machine need no TLS: the network between them is private or encrypts by itself.",
        false,
      )
      .bounds(),
  }),
  { strict: true, refusedByReader: true, typedByReader: true },
);
