/** Where the files and programs of a trial are: a folder of its own, or a container. */
import type { ContainerSpec } from "../../../host/containers/index.ts";

export interface SandboxSpec {
  /** Folder of the script: `copy`, `from`, `build` and what tests copy are relative to it. */
  readonly base: string;
  /** Path in the sandbox: its text, or the path of the file that it is copied from. */
  readonly files: SandboxFiles;
  /** A folder whose content it begins with. */
  readonly copy: string | null;
  /** Which files stay with the outcome, as texts. */
  readonly keep: "changed" | "all" | "none";
  readonly env: Readonly<Record<string, string>>;
  /** Absent: a folder of this machine. */
  readonly container?: ContainerSpec;
}

export type SandboxFiles = Readonly<Record<string, string | { readonly from: string }>>;
