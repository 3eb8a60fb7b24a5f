/** Places that links of a Word document lead to. Their names may hold letters, digits and `_` only: they are counted. */
import type { PaperDocument } from "../text/document.ts";

export class Bookmarks {
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();

  constructor({ sections, figures, cited }: PaperDocument) {
    sections.forEach(({ label }, at) => {
      this.names.set(`sec:${label}`, `section_${at + 1}`);
    });
    for (const [label, number] of figures) this.names.set(`fig:${label}`, `figure_${number}`);
    cited.forEach(({ key }, at) => {
      this.names.set(`ref:${key}`, `reference_${at + 1}`);
    });
  }

  section(label: string): string | undefined {
    return this.names.get(`sec:${label}`);
  }

  figure(label: string): string | undefined {
    return this.names.get(`fig:${label}`);
  }

  reference(key: string): string | undefined {
    return this.names.get(`ref:${key}`);
  }

  /** Number of the bookmark that this name is given to; undefined when it marks something already. */
  take(name: string): number | undefined {
    if (this.taken.has(name)) return undefined;
    this.taken.add(name);
    return this.taken.size;
  }
}
