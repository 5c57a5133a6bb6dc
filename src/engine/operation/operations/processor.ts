import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { nothing } from './inputs.ts';

export const stageProcessors = defineOperation({
  name: 'stage.processors',
  formerNames: ['processor.ls'],
  summary: 'List the processors that a stage can use',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    processors: z.array(
      z.strictObject({
        name: z.string(),
        summary: z.string(),
        runs: z.enum(['isolated', 'inline']).describe("In a process of its own, or in the worker's thread"),
        configuration: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe(
            'JSON Schema of the lines `KEY = value` of its configuration; null: free text, or a module of yours that declares none',
          ),
        besides: z.string().nullable().describe('What its configuration may have besides these lines'),
      }),
    ),
  }),
  example: {},
  async handler({ engine }) {
    const { stageConfigSchema } = await import('../../stage/stage-config.ts');
    const processors = engine.processors.list().map((registration) => ({
      name: registration.name,
      summary: registration.summary,
      runs: 'module' in registration ? ('isolated' as const) : ('inline' as const),
      configuration: registration.settings ? stageConfigSchema(registration.settings) : null,
      besides: registration.besides ?? null,
    }));
    return { processors };
  },
});

export const processorOperations = [stageProcessors];
