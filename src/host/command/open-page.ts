/** Asks the desktop to show a page. */
import { spawn } from "node:child_process";

/** A browser that can't be opened is no failure: whoever calls has printed the address. */
export function openPage(address: string): void {
  const program =
    process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(program, [address], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}
