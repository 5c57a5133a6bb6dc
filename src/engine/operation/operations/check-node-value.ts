import { PismakError } from '../../ground/errors.ts';
import { parseJson } from '../../ground/json.ts';
import { checkServerUrl, serverNames, serversPath } from '../../servers/server-addresses.ts';
import { presencePath, workerRecord, workersPath } from '../../worker/worker-record.ts';

/**
 * Refuses values that would break readers: one bad node would stop every program that lists them. Also refuses nodes that
 * are derived from something else: change the source instead.
 */
export function checkNodeValue(path: string, value: string): void {
  const [, top, name] = path.split('/');
  switch (`/${top}`) {
    case workersPath:
      checkWorker(name, value);
      break;
    case serversPath: {
      const server = serverNames.find((known) => known === name);
      if (server) checkServerUrl(server, value);
      break;
    }
    case presencePath:
      throw new PismakError('conflict', 'only the worker itself writes its presence');
    case '/stages':
      throw new PismakError(
        'conflict',
        'versions of stages follow from their definitions; change a definition instead',
      );
    case '/services':
    case '/watchdog':
      throw new PismakError('conflict', `only the leader of that service writes ${path}`);
  }
}

function checkWorker(id: string | undefined, value: string): void {
  const record = parseJson(value);
  if (record === undefined) throw new PismakError('invalid-input', 'the record of a worker must be JSON');
  if (workerRecord.parse(record).id !== id) {
    throw new PismakError('invalid-input', `the id in the record must be ${id}, as in the path`);
  }
}
