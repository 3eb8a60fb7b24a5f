/**
 * What the machine tells of its hardware and programs: on Linux from `/proc` and `/sys`, without starting anything. Other
 * systems have no files to read, so there the lists are empty.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { GpuFacts, ProcessFacts, Sensors } from "../ports.ts";

/** A file's text without the blanks around it; "" when it cannot be read. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function names(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    return [];
  }
}

const field = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}:\\s*(.+)$`, "m").exec(text)?.[1]?.trim();

/** Vendors by their PCI number. */
const vendors: ReadonlyMap<string, string> = new Map([
  ["0x10de", "NVIDIA"],
  ["0x1002", "AMD"],
  ["0x8086", "Intel"],
]);

function nvidia(): GpuFacts[] {
  const folder = "/proc/driver/nvidia/gpus";
  return names(folder, /./).map((name) => ({
    name: field(read(`${folder}/${name}/information`), "Model") ?? "NVIDIA",
    memoryTotal: undefined,
  }));
}

function drmCards(): GpuFacts[] {
  return names("/sys/class/drm", /^card\d+$/).flatMap((card) => {
    const device = `/sys/class/drm/${card}/device`;
    const vendor = read(`${device}/vendor`);
    if (vendor === "") return [];
    const bytes = Number(read(`${device}/mem_info_vram_total`));
    return [
      {
        name: `${vendors.get(vendor) ?? vendor} ${read(`${device}/device`)}`.trim(),
        memoryTotal: bytes > 0 ? bytes : undefined,
      },
    ];
  });
}

/** The driver's own list names models; the kernel's knows all cards. */
function gpus(): GpuFacts[] {
  const named = nvidia();
  return named.length > 0 ? named : drmCards();
}

function processes(): ProcessFacts[] {
  return names("/proc", /^\d+$/)
    .flatMap((name): ProcessFacts[] => {
      const status = read(`/proc/${name}/status`);
      // Ended since the list was read.
      if (status === "") return [];
      const kilobytes = Number.parseInt(field(status, "VmRSS") ?? "0", 10);
      return [
        {
          pid: Number(name),
          parent: Number(field(status, "PPid") ?? 0),
          name: field(status, "Name") ?? "",
          memory: kilobytes * 1024,
        },
      ];
    })
    .sort((a, b) => a.pid - b.pid);
}

function temperatures(): { name: string; celsius: number }[] {
  return names("/sys/class/thermal", /^thermal_zone\d+$/).flatMap((zone) => {
    const text = read(`/sys/class/thermal/${zone}/temp`);
    const celsius = Number(text) / 1000;
    if (text === "" || !Number.isFinite(celsius)) return [];
    return [{ name: read(`/sys/class/thermal/${zone}/type`) || zone, celsius }];
  });
}

export const nodeSensors: Sensors = { gpus, processes, temperatures };
