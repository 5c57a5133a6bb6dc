import { call } from '../../api/call.ts';
import { CallError, errorOf } from '../../api/call-error.ts';
import { session } from '../../api/session.svelte.ts';

/** A larger file travels in parts of this size: a broken connection costs one of them. */
export const partBytes = 8 * 1024 * 1024;
const mostAttempts = 10;

export interface Sending {
  signal: AbortSignal;
  /** How many bytes have arrived. */
  onprogress: (bytes: number) => void;
  /** An upload of this file that an earlier visit began. */
  upload?: string | undefined;
  /** Told as soon as there is one, so that a later visit can go on with it. */
  onupload?: (upload: string) => void;
}

/** Sends a file, through broken connections and an ended session, and resolves to the hash of its content. */
export async function sendFile(file: Blob, sending: Sending): Promise<string> {
  if (file.size <= partBytes) {
    const { hash } = (await persist(sending, () => send('POST', '/api/v1/blobs', file, 0, sending))) as {
      hash: string;
    };
    return hash;
  }
  let { upload, offset } = await begin(sending);
  while (offset < file.size) {
    const at = offset;
    offset = await persist(sending, async (attempt) => {
      // The part may have arrived, and only the answer was lost.
      const arrived = attempt === 0 ? at : (await call('upload.show', { upload }, sending)).offset;
      if (arrived !== at) return arrived;
      const part = file.slice(at, at + partBytes);
      const address = `/api/v1/uploads/${encodeURIComponent(upload)}/${at}`;
      return ((await send('PUT', address, part, at, sending)) as { offset: number }).offset;
    });
    sending.onprogress(offset);
  }
  return (await persist(sending, () => call('upload.finish', { upload }, sending))).hash;
}

async function begin(sending: Sending): Promise<{ upload: string; offset: number }> {
  if (sending.upload !== undefined) {
    try {
      const { offset } = await persist(sending, () =>
        call('upload.show', { upload: sending.upload ?? '' }, sending),
      );
      return { upload: sending.upload, offset };
    } catch (error) {
      // After a day it is forgotten: begin anew.
      if (!(error instanceof CallError) || error.code !== 'not-found') throw error;
    }
  }
  const begun = await persist(sending, () => call('upload.create', {}, sending));
  sending.onupload?.(begun.upload);
  return begun;
}

const passing = new Set(['unreachable', 'unavailable', 'too-many-requests', 'conflict', 'too-slow']);

/** Tries again what a broken connection, or a server that restarts, has interrupted. */
async function persist<T>({ signal }: Sending, work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; ) {
    signal.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code === 'not-signed-in') await session.askAgain();
      else if (!passing.has(error.code) || ++attempt >= mostAttempts) throw error;
      else await pause(Math.min(15_000, 300 * 2 ** attempt), signal);
    }
  }
}

/** `fetch` tells nothing of what has been sent; this does. */
function send(
  method: 'POST' | 'PUT',
  address: string,
  body: Blob,
  before: number,
  { signal, onprogress }: Sending,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(method, address);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded }) => onprogress(before + loaded);
    request.onload = async () => {
      const response = new Response(request.responseText, { status: request.status || 500 });
      if (response.ok) resolve(await response.json());
      else reject(await errorOf(response));
    };
    request.onerror = () =>
      reject(new CallError({ code: 'unreachable', message: 'the connection broke', status: 0 }));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(body);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
