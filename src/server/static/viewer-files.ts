/** The files of the viewer, as `scripts/viewer.ts` left them in `dist/viewer/`. */
import { gzipSync } from "node:zlib";
import type { ShippedFolder } from "../../host/command/index.ts";

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const assets = "assets/";

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Read when first asked for, and kept: a few hundred kilobytes. */
export class ViewerFiles {
  private readonly folder: ShippedFolder;
  private readonly kept = new Map<string, Asset>();
  private readonly names: ReadonlySet<string>;

  /** Throws with what to do when the viewer was not built. */
  constructor(folder: ShippedFolder) {
    this.folder = folder;
    try {
      const names = folder.names().filter((name) => name.startsWith(assets));
      this.names = new Set(names.map((name) => name.slice(assets.length)));
    } catch {
      throw new Error(`the viewer is missing in ${folder.path}: run 'npm run build'`);
    }
  }

  get page(): string {
    return this.text("index.html");
  }
  get reportScript(): string {
    return this.text("report.js");
  }
  get reportStyle(): string {
    return this.text("report.css");
  }

  /** The file `/assets/NAME`; `undefined` for every name that the build did not make. */
  asset(name: string, isPacked: boolean): Asset | undefined {
    if (!this.names.has(name)) return undefined;
    const key = isPacked ? `${name}.gz` : name;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const bytes = this.folder.bytes(`${assets}${name}`);
    const asset = {
      type: types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
      bytes: new Uint8Array(isPacked ? gzipSync(bytes, { level: 9 }) : bytes),
    };
    this.kept.set(key, asset);
    return asset;
  }

  private text(name: string): string {
    return this.folder.text(name);
  }
}
