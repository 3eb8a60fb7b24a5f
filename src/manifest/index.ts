/** `harn.toml`: its tables, and what it has done before a program begins. `manifest-check.ts` is a door besides. */

export { clusterFields } from "./cluster-fields.ts";
export { loadedManifest, type Manifest, Settings } from "./manifest.ts";
export { hooksModule, hooksSpecifier, hooksText, isHooksModule, withHooks } from "./manifest-hooks.ts";
export * from "./refused-manifest.ts";
