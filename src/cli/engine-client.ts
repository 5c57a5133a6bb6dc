import { PismakError } from '../engine/errors.ts';
import { openEngine } from '../engine/open-engine.ts';
import { executeOperation } from '../engine/operation/execute-operation.ts';
import type { Caller } from '../engine/operation/operation.ts';
import type { LoadedSettings } from '../engine/settings/load.ts';
import { allOperations } from '../server/operations.ts';
import type { Client } from './client.ts';

/** Whoever may read the data directory may do everything. */
const local: Caller = { name: 'local', role: 'admin', address: 'command line' };

/** Acts in this process, while nobody else has the data directory: no workers, no services, only the operations. */
export async function openEngineClient(
  { settings, file }: LoadedSettings,
  interruption: AbortSignal,
): Promise<Client> {
  const never = new AbortController().signal;
  const engine = await openEngine(settings, { purpose: 'a command', configurationFile: file });
  const operations = new Map(allOperations.map((one) => [one.name, one]));
  return {
    alone: true,
    async call<Output>(name: string, input: object = {}, { afterInterruption = false } = {}) {
      const operation = operations.get(name);
      if (!operation) throw new PismakError('not-found', `there is no operation ${name}`);
      return (await executeOperation(
        engine,
        operation,
        local,
        input,
        afterInterruption ? never : interruption,
      )) as Output;
    },
    upload: (content) => engine.blobs.put(content),
    async *download(receipt, hash) {
      if (!engine.pickup.find(receipt))
        throw new PismakError('not-found', 'the receipt has expired: take the result again');
      yield* engine.blobs.get(hash);
    },
    close: () => engine.close(),
  };
}
