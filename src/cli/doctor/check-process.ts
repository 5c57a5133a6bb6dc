import { createServer } from 'node:net';
import type { Holder } from '../../engine/data-directory/data-directory.ts';
import { messageOf } from '../../engine/ground/errors.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { findExposures } from '../../server/http/exposure.ts';
import { formatTime } from '../../terminal/output/format.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks the process that uses the data directory. If none runs, checks that the port is free. */
export async function checkProcess({ http }: Settings, holder: Holder | undefined): Promise<Finding[]> {
  if (!holder) return [ok('process', 'none is running'), await checkPort(http.host, http.port)];
  const found = `${holder.pid} on ${holder.host} (${holder.purpose}) since ${formatTime(holder.startedAt)}`;
  return [ok('process', found), await checkHealth(holder)];
}

/** Checks who can reach the server, and whether the traffic is encrypted. */
export function checkExposure({ http }: Settings): Finding[] {
  const exposures = findExposures(http);
  if (exposures.length === 0) return [ok('network', `listens on ${http.host}`)];
  return exposures.map(({ found, advice }) => warn('network', found, advice));
}

async function checkHealth({ url, pid }: Holder): Promise<Finding> {
  if (url === undefined)
    return warn('health', 'the process has no address yet', 'wait a moment, then check again');
  try {
    const answer = await fetch(new URL('/api/v1/health', url), { signal: AbortSignal.timeout(10_000) });
    if (answer.ok) return ok('health', `${url} answers`);
    const text = (await answer.text()).slice(0, 300);
    return fail(
      'health',
      `${url} answers ${answer.status}: ${text}`,
      'read logs/pismak.log in the data directory',
    );
  } catch (error) {
    return fail(
      'health',
      `${url} does not answer: ${messageOf(error)}`,
      `if it hangs, stop process ${pid} and start Pismak again`,
    );
  }
}

async function checkPort(host: string, port: number): Promise<Finding> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen({ host, port }, resolve),
    );
    return ok('port', port === 0 ? 'any free port' : `${port} on ${host} is free`);
  } catch (error) {
    return fail(
      'port',
      messageOf(error),
      'stop the program that uses it, or choose another port: --port, or http.port in pismak.toml',
    );
  } finally {
    server.close();
  }
}
