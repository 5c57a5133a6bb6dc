import { call } from '../../api/call.ts';
import { errorOf } from '../../api/call-error.ts';

const partBytes = 8 * 1024 * 1024;

/** Sends a file in parts and returns what a stage needs to name it. */
export async function uploadFile(
  file: File,
  { signal, tell }: { signal: AbortSignal; tell: (done: number) => void },
): Promise<{ name: string; hash: string; size: number }> {
  const { upload, offset } = await call('upload.create', {}, { signal });
  for (let sent = offset; sent < file.size; sent += partBytes) {
    tell(sent);
    const body = file.slice(sent, sent + partBytes);
    const address = `/api/v1/uploads/${encodeURIComponent(upload)}/${sent}`;
    const headers = { 'content-type': 'application/octet-stream' };
    const response = await fetch(address, { method: 'PUT', body, headers, signal });
    if (!response.ok) throw await errorOf(response);
  }
  const { hash, size } = await call('upload.finish', { upload }, { signal });
  tell(size);
  return { name: file.name, hash, size };
}
