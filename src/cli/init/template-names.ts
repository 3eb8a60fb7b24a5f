/** What `harn init` can begin with: the folders below `templates/`. The first is taken when none is named. */
export const templateNames = ["agent", "eval", "daemon", "library", "typescript"] as const;

export type TemplateName = (typeof templateNames)[number];
