/**
 * Stretches of a program that may touch one folder only (`agent_in_folder`): what runs inside may read and write there, links
 * followed, and nowhere else. Stretches inside of others narrow, and never widen.
 */
import { TaskLocal } from "../../interp/index.ts";
import type { CapabilityPolicy } from "./capability-policy.ts";

export const folderScopes = new TaskLocal<CapabilityPolicy>("folder scopes", { binds: true });

/** A ceiling that holds for files only. A relative folder lies where the program works. */
export const folderCeiling = (folder: string): CapabilityPolicy => ({
  tools: [],
  capabilities: new Map(),
  workspaceRoots: [folder],
  readOnlyRoots: [],
  sideEffectLevel: null,
  recursionLimit: null,
  toolArgConstraints: [],
  toolAnnotations: null,
});
