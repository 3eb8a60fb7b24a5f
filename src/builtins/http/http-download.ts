/** Downloads to a file: written beside its target chunk by chunk, and renamed over it when it is whole. */
import { type Json, shape } from "../../effects/index.ts";
import type { Files } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { type MaybePromise, proceed } from "../../values/index.ts";
import { attempt, utf8 } from "../arguments.ts";
import type { HttpAnswer } from "./http-mocks.ts";
import type { Outgoing } from "./http-options.ts";
import {
  type CookieReceipt,
  hooksFor,
  learn,
  learntShape,
  mockedExchange,
  type Send,
  sendError,
  shownRequest,
} from "./http-send.ts";

type DownloadAnswer = HttpAnswer & { readonly size: number; readonly learnt?: CookieReceipt | undefined };

const downloadedShape = shape.someFields<DownloadAnswer>({
  status: shape.integer,
  headers: shape.listOf(shape.pair(shape.text, shape.text)),
  body: shape.text,
  finalUrl: shape.text,
  size: shape.count,
  learnt: learntShape,
});

/** What has come so far goes, where it can: why it ended is what counts. */
function discardDownload(files: Files, path: string): void {
  try {
    if (files.stat(path) !== undefined) files.remove(path);
  } catch {
    // It was never made, or must not be touched.
  }
}

/** Sends once and puts the body into a file; `noteSize` is told how many bytes came. */
export function sendForFile(path: string, noteSize: (bytes: number) => void): Send {
  return (task, request) => {
    const { files } = task.runtime.host;
    const mocked = mockedExchange(task, request);
    const perform = (load: (signal: AbortSignal) => Promise<DownloadAnswer>): MaybePromise<HttpAnswer> =>
      proceed(
        task.perform<DownloadAnswer>({
          effect: "write",
          kind: "http.download",
          args: () => ({ ...(shownRequest(request) as object), path }) as Json,
          run: async (signal) => await load(signal),
          result: downloadedShape,
        }),
        (answer) => {
          noteSize(answer.size);
          learn(request.session, answer.learnt);
          return answer;
        },
      );
    if (mocked !== undefined) {
      const { status, headers, finalUrl } = mocked;
      return perform(async () => {
        const data = mocked.bytes ?? utf8(mocked.body);
        attempt(`Failed to write file ${path}`, () => files.write(path, data));
        return { status, headers, finalUrl, body: "", size: data.length };
      });
    }
    return perform((signal) => downloadPart(task, request, path, signal));
  };
}

/** The body goes into `PATH.part`, which gets its name when it is whole. */
async function downloadPart(
  task: Task,
  request: Outgoing,
  path: string,
  signal: AbortSignal,
): Promise<DownloadAnswer> {
  const { files, network } = task.runtime.host;
  const { hooks, learnt } = hooksFor(task, request);
  const beside = `${path}.part`;
  let size = 0;
  const put = (chunk: Uint8Array): void => {
    attempt(`Failed to write file ${path}`, () => files.append(beside, chunk));
    size += chunk.length;
  };
  try {
    attempt(`Failed to write file ${path}`, () => files.write(beside, ""));
    const answer = await network.request(request, { signal, onData: put, ...hooks });
    attempt(`Failed to write file ${path}`, () => files.rename(beside, path));
    return { ...answer, body: "", size, learnt };
  } catch (error) {
    discardDownload(files, beside);
    throw sendError(error);
  }
}
