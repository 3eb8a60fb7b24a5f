/** A worker whose disk is full: it says so once, and takes nothing until there is room. */
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AttemptOver } from "../../../src/cluster/index.ts";
import { DiskRoom } from "../../../src/cluster/worker-disk.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const fresh = tempFolders("disk-room");
const signal = new AbortController().signal;
const over = (): Promise<never> => Promise.reject(new AttemptOver("the store can't be written"));

it.skipIf(!existsSync("/dev/full"))("is told once, and no attempt is made until there is room", async () => {
  const folder = fresh();
  const lines: string[] = [];
  const room = new DiskRoom(folder, (line) => lines.push(line));
  // What is written there finds no room; it is removed as the file that it stands for.
  symlinkSync("/dev/full", join(folder, `room-${process.pid}`));
  await expect(room.of(signal, over)).rejects.toThrow("the store can't be written");
  const turnedAway = room.of(AbortSignal.abort(), () => Promise.reject(new Error("it was made")));
  await expect(turnedAway).rejects.toThrow(`the disk of this worker is full: ${folder}`);
  expect(await room.of(signal, async () => lines.length)).toBe(2);
  expect(lines).toEqual([
    `the disk of this worker is full: ${folder}; it goes on when there is room`,
    expect.stringMatching(/^there is room again after \d+ s$/),
  ]);
});

it("an attempt that is over for another reason stops nothing", async () => {
  const lines: string[] = [];
  const room = new DiskRoom(fresh(), (line) => lines.push(line));
  await expect(room.of(signal, over)).rejects.toThrow(AttemptOver);
  expect(await room.of(signal, async () => "made")).toBe("made");
  expect(lines).toEqual([]);
});
