import { openJobFiles } from '../../src/engine/processor/job-files.ts';
import type { LoadProcessor, Process } from '../../src/engine/processor/processor.ts';
import { newFile } from '../../src/engine/request/request.ts';
import { transcriptionProcessors } from '../../src/transcription/documents/stages.ts';
import { formats } from '../../src/transcription/formats/output-formats.ts';
import { files } from '../../src/transcription/page/files.ts';
import type { Order } from '../../src/transcription/page/order.ts';
import { type Page, page as pageSchema } from '../../src/transcription/page/page.ts';

export interface ChainedPage {
  name: string;
  image: Uint8Array;
  /** Czech by default. */
  language?: string;
  log?(line: string): void;
}

export interface StageChain {
  /** CPU seconds that each stage took in this process, all its threads, without programs that it started. */
  run(page: ChainedPage): Promise<{ page: Page; cpuSeconds: Map<string, number> }>;
  close(): Promise<void>;
}

/** Runs stages one after another in this process, without queue and worker, to measure the stages alone. */
export async function openStageChain(
  stages: readonly string[],
  config: Record<string, string> = {},
): Promise<StageChain> {
  const processes = new Map<string, Process>();
  for (const stage of stages) {
    const registration = transcriptionProcessors.find(({ name }) => name === stage);
    if (!registration || !('module' in registration)) throw new Error(`there is no processor ${stage}`);
    const module = (await import(registration.module.href)) as { default: LoadProcessor };
    const setup = { stage, version: 1, config: config[stage] ?? '', files: [], random: () => 0.5 };
    processes.set(stage, await module.default({ ...setup, file: async (name) => name }));
  }
  return {
    async run({ name, image, language = 'ces', log = () => {} }) {
      const order: Order = { document: 'bench', page: 1, name, language, formats: [...formats] };
      const given = [newFile(files.order, Buffer.from(JSON.stringify(order))), newFile(files.source, image)];
      const noBlobs = () => {
        throw new Error('all contents are in memory');
      };
      const jobFiles = openJobFiles({ get: noBlobs }, given);
      const cpuSeconds = new Map<string, number>();
      for (const [stage, process_] of processes) {
        const before = process.cpuUsage();
        const { signal } = new AbortController();
        await process_({ uuid: name, stage, attempt: 1, files: jobFiles, signal, log });
        const { user, system } = process.cpuUsage(before);
        cpuSeconds.set(stage, (user + system) / 1e6);
      }
      const read = Buffer.from(await jobFiles.read(files.page)).toString();
      return { page: pageSchema.parse(JSON.parse(read)), cpuSeconds };
    },
    async close() {
      for (const process_ of processes.values()) await process_.close?.();
    },
  };
}
