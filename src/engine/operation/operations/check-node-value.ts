import { PismakError } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import { checkServerUrl, serverNames, serversPath } from '../../servers/server-addresses.ts';
import { presencePath, workerRecord, workersPath } from '../../worker/worker-record.ts';

/**
 * What others read must stay readable: one bad node would stop everybody who lists them. And what follows from
 * something else is changed there.
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
      throw new PismakError('conflict', 'a presence is written by its worker only');
    case '/stages':
      throw new PismakError('conflict', 'versions of stages follow their definitions: change those');
    case '/services':
    case '/watchdog':
      throw new PismakError('conflict', `${path} is written by whoever leads that service only`);
  }
}

function checkWorker(id: string | undefined, value: string): void {
  const record = parseJson(value);
  if (record === undefined) throw new PismakError('invalid-input', 'the record of a worker is JSON');
  if (workerRecord.parse(record).id !== id) {
    throw new PismakError('invalid-input', `the record says another id than its path, which says ${id}`);
  }
}
