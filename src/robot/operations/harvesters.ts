import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { robotDatabase } from '../database/tables.ts';

const processId = z.string().min(1).max(100);

export const robotHarvesters = defineOperation({
  name: 'robot.harvesters',
  summary: 'List the processes that harvest, and their threads',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of processes'),
  }),
  output: z.strictObject({
    processes: z
      .array(
        z.strictObject({
          process: z.string(),
          host: z.string(),
          threads: z.number(),
          batches: z.number(),
          inFlight: z.number().describe('Requests under way'),
          busy: z.number().describe('Share of time that its threads are busy, 0 to 1'),
          wanted: z.number().nullable().describe('Threads asked for; 0 = auto; null = as its settings say'),
        }),
      )
      .max(1000),
  }),
  example: {},
  async handler({ engine }, { limit }) {
    const { listHarvesters } = await import('../harvest/harvester-list.ts');
    const rows = await listHarvesters(robotDatabase(engine).query, engine.clock.now(), limit);
    return { processes: rows.map(({ seenAt: _, ...row }) => row) };
  },
});

export const robotSetHarvesters = defineOperation({
  name: 'robot.setHarvesters',
  summary: 'Change the number of harvesting threads while crawls run; lasts until the process ends',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    count: z.int().min(0).max(256).describe('Threads of each process; 0 = as many as there is work for'),
    process: processId.optional().describe('Only this process, as robot.harvesters lists it; default: all'),
  }),
  output: z.strictObject({ processes: z.number() }),
  example: { count: 4 },
  async handler({ engine }, { count, process }) {
    const { askForHarvesters } = await import('../harvest/harvester-list.ts');
    const { query } = robotDatabase(engine);
    const processes = await askForHarvesters(query, { wanted: count, process });
    if (processes === 0)
      throw new PismakError(
        'not-found',
        process === undefined
          ? 'no process harvests at the moment: set robot.harvesters in the settings instead'
          : `no process ${process} harvests; \`pismak robot harvesters\` lists them`,
      );
    return { processes };
  },
});
