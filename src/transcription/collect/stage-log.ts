import { milliseconds, type Request } from '../../engine/request/request.ts';
import { storable } from '../documents/document.ts';

/** The page's log for its owner, with the version of each stage. */
export function logText({ logs }: Request): string {
  const text = logs
    .map(({ stage, version, hostId, start, end, status, attempt, log }) => {
      const ms = (milliseconds(end) ?? 0) - (milliseconds(start) ?? 0);
      const head = `${stage} version ${version} on ${hostId}, attempt ${attempt}: ${status} in ${ms} ms`;
      return log.trim() === '' ? head : `${head}\n${log.trimEnd().replaceAll(/^/gm, '  ')}`;
    })
    .join('\n');
  return storable(text);
}

/** Why the request failed, in one sentence; undefined if it didn't. */
export function failureOf({ logs }: Request): string | undefined {
  const last = logs.at(-1);
  if (last?.status !== 'Failed') return undefined;
  const reason = last.log.trimEnd().split('\n').at(-1)?.trim() || 'it failed without a message';
  return storable(`${last.stage}: ${reason}`, 2000);
}
