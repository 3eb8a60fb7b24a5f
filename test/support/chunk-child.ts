/** A process that does a chunk in the folder that was filled for it, for tests that kill it: `node chunk-child.ts FOLDER`. */
import { performChunk } from "../../src/cluster/chunks/perform-chunk.ts";
import { compiled } from "./compiled-sources.ts";

compiled();
const [folder = ""] = process.argv.slice(2);
await performChunk({ folder, flags: {}, roots: {} });
process.exit(0);
