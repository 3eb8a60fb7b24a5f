/**
 * The ledger of a run's state folder: opened by the first effect that needs it, once for all areas, closed with the run. A
 * replay opens none.
 */
import { keptText, mustBeOwnPlace, type Runtime, stateKey } from "../interp/index.ts";
import { openStore } from "../store/index.ts";
import { sha256Hex } from "../values/index.ts";
import { EmbeddedLedger } from "./embedded.ts";
import type { ProjectionFiles } from "./files/projection.ts";

const opened = stateKey<Map<string, EmbeddedLedger>>("durable ledgers", () => new Map());

/**
 * Call it inside an effect. `file` is another one than `state.db`. Throws a `HostError` when the run may not write there, a
 * `StoreError` when the store can't be used.
 */
export function runLedger(runtime: Runtime, folder: string, file?: string): EmbeddedLedger {
  const ledgers = runtime.state(opened);
  const name = `${folder}/${file ?? ""}`;
  const known = ledgers.get(name);
  if (known !== undefined) return known;
  const { host } = runtime;
  // Through the machine's own door: what the run may not write is refused here.
  host.files.makeDir(folder, 0o700);
  const store = openStore(folder, {
    now: () => host.clock.now(),
    sqlite: host.libraries.sqlite(),
    ...(file === undefined ? {} : { file }),
  });
  const ledger = new EmbeddedLedger(store, host.clock);
  ledgers.set(name, ledger);
  runtime.open.add({ close: () => ledger.close() });
  return ledger;
}

const ownerOnly = 0o600;

/** A run's door to the files that show what its ledger holds. Use it inside an effect. Throws `HostError`s. */
export function projectionFiles(runtime: Runtime): ProjectionFiles {
  const { files, crypto } = runtime.host;
  const own = (path: string): string => {
    mustBeOwnPlace(runtime, path);
    return path;
  };
  return {
    stat: (path) => files.stat(path),
    readText: (path) => files.readText(own(path)),
    makeDir: (path) => files.makeDir(own(path), 0o700),
    write: (path, text) => files.write(own(path), text, ownerOnly),
    remove: (path) => files.remove(own(path)),
    digest: (text) => sha256Hex(crypto, text),
    conceal: (text) => runtime.secrets.hide(text),
    reveal: (path, text) => keptText(runtime, files, path).reveal(text),
  };
}
