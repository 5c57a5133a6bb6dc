import type { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { type House, loadHouses } from '../../engine/house.ts';
import { openEngine } from '../../engine/open-engine.ts';
import { executeOperation } from '../../engine/operation/execute-operation.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import { openStream } from '../../engine/operation/stream-operation.ts';
import type { LoadedSettings } from '../../engine/settings/load.ts';
import { addPart } from '../../engine/upload/uploads.ts';
import type { Client } from '../../terminal/client/client.ts';

/** A user who can read the data directory may do everything. */
const local: Caller = { name: 'local', role: 'admin', address: 'command line' };

/** Runs operations in this process while no other process uses the data directory. Starts no workers or services. */
export async function openEngineClient(
  { settings, origins, file }: LoadedSettings,
  houses: readonly House[],
  interruption: AbortSignal,
): Promise<Client> {
  const engine = await openEngine(settings, {
    purpose: 'a command',
    configurationFile: file,
    settingOrigins: origins,
    houses: await loadHouses(houses),
  });
  return {
    ...engineClient(engine, interruption),
    alone: true,
    close: async () => void (await engine.close()),
  };
}

/** The operations of an engine that runs in this process. Closing it does nothing. */
export function engineClient(engine: Engine, interruption: AbortSignal): Client {
  const never = new AbortController().signal;
  return {
    async call<Input extends z.ZodType, Output extends z.ZodType>(
      operation: Operation<Input, Output>,
      input: z.input<Input>,
      { afterInterruption = false } = {},
    ) {
      const signal = afterInterruption ? never : interruption;
      return (await executeOperation(engine, operation, local, input, signal)) as z.output<Output>;
    },
    upload: (content) => engine.blobs.put(content),
    async uploadPart(upload, offset, content) {
      const part = (async function* () {
        yield content;
      })();
      return { offset: await addPart(engine, upload, offset, part) };
    },
    async *stream(stream, input) {
      const opened = await openStream(engine, stream, local, input, interruption);
      if (opened.stream) yield* opened.stream.content;
    },
    async *download(receipt, hash) {
      if (!engine.pickup.find(receipt))
        throw new PismakError('not-found', 'the receipt has expired: take the result again');
      yield* engine.blobs.get(hash);
    },
    close: async () => {},
  };
}
