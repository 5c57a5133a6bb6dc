import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { fileName } from '../../request/submitted-names.ts';
import { stageDefinition, stageName } from '../../stage/stage.ts';
import { defineOperation } from '../operation.ts';
import { blobHash } from './inputs.ts';
import { checkFiles } from './stage.ts';
import { applyTo, stagePatch } from './stage-patch.ts';

const longestMs = 300_000;

export const stageTry = defineOperation({
  name: 'stage.try',
  summary:
    'Try a stage on files, with a definition that is not stored: shows what it makes of them, and leaves nothing behind',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  deadlineMs: 600_000,
  changes: true,
  // For as long as it runs.
  stores: true,
  bodyLimit: 2 * 2 ** 20,
  input: z.strictObject({
    name: stageName.describe('A stage that exists, or a new one'),
    ...stagePatch.shape,
    input: z
      .array(z.strictObject({ name: fileName, hash: blobHash.describe('SHA-256 of an upload of yours') }))
      .min(1)
      .max(20)
      .describe('Files of the request'),
    before: z
      .array(stageName)
      .max(10)
      .default([])
      .describe(
        'Stored stages that the files pass first, in this order; recognise, for example, needs what page and prepare make of an image',
      ),
  }),
  output: z.strictObject({
    steps: z
      .array(
        z.strictObject({
          stage: z.string(),
          ok: z.boolean(),
          reason: z.string().nullable().describe('Why it failed; null if it did not'),
          ms: z.number().describe('With the time to load the stage'),
          log: z.string(),
        }),
      )
      .max(11),
    files: z
      .array(
        z.strictObject({
          name: z.string(),
          size: z.number().describe('Bytes'),
          content: z
            .string()
            .nullable()
            .describe('Base64; null if the file has more than 2 MB, or all have more than 8 MB'),
        }),
      )
      .max(1000)
      .describe('After the last stage that succeeded; the first 1000'),
  }),
  example: {
    name: 'shout',
    processor: 'dummy',
    config: 'TIME_SCALE = 0',
    input: [{ name: 'a.txt', hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }],
  },
  async handler(context, { name, input, before, ...patch }) {
    const { engine, caller, signal } = context;
    const { newFileOfBlob } = await import('../../request/request.ts');
    const { trialVersion } = await import('../../worker/try-stages.ts');
    const known = new Map((await engine.stages.list()).map((stage) => [stage.name, stage]));
    const stored = known.get(name);
    if (!stored && patch.processor === undefined)
      throw new PismakError('invalid-input', `there is no stage ${name} yet: name its processor`);
    await checkFiles(context, patch.files ?? []);
    const { version: _, ...base } = stored ?? { version: 0, ...stageDefinition.parse({ ...patch, name }) };
    const definition = stageDefinition.parse({ ...base, ...applyTo({ ...base, version: 0 }, patch) });
    engine.processors.check(definition.processor, definition.config);
    const tried = { ...definition, version: trialVersion };
    const stages = [...(await Promise.all(before.map((each) => engine.stages.get(each)))), tried].map(
      (stage) => ({ ...stage, timeoutMs: Math.min(stage.timeoutMs, longestMs) }),
    );
    const missing = stages
      .flatMap(({ labels }) => labels)
      .filter((label) => !engine.settings.worker.labels.includes(label));
    if (missing.length > 0)
      throw new PismakError(
        'conflict',
        `stages are tried on the machine of the server, and its workers lack the labels ${missing.join(', ')}`,
      );
    const files = [];
    for (const file of input) {
      const size = await engine.blobs.size(file.hash);
      files.push(newFileOfBlob(file.name, { hash: file.hash, size }));
    }
    const result = await engine.workers.try({ stages, files, owner: caller.name, signal });
    return {
      steps: result.steps,
      files: result.files.slice(0, 1000).map(({ content, ...file }) => ({
        ...file,
        content: content === undefined ? null : Buffer.from(content).toString('base64'),
      })),
    };
  },
});

export const stageTryOperations = [stageTry];
