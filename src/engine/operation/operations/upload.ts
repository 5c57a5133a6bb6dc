import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { defineOperation, type Operation, type OperationContext } from '../operation.ts';
import { blobHash, page } from './inputs.ts';
import { done } from './rows.ts';

const upload = z.string().min(1).max(100);
const someUpload = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';
const uploads = () => import('../../upload/uploads.ts');
const owner = async ({ engine }: OperationContext, input: { upload: string }) =>
  (await uploads()).uploadOwner(engine, input.upload);

export const uploadCreate = defineOperation({
  name: 'upload.create',
  stores: true,
  summary:
    'Start or resume an upload in parts: PUT each part to /api/v1/uploads/ID/OFFSET, from `offset` on, then finish the upload',
  role: 'user',
  owner: 'caller',
  changes: true,
  audited: false,
  input: z.strictObject({
    hash: blobHash
      .exactOptional()
      .describe(
        'SHA-256 of the whole content. Your earlier upload of it is resumed, content that you may use already is not sent again, and other bytes are refused',
      ),
  }),
  output: z.strictObject({
    upload: z.string(),
    offset: z.int().describe('Bytes that are there already'),
  }),
  example: {},
  async handler({ engine, caller }, { hash }) {
    if (hash === undefined)
      return { upload: await (await uploads()).startUpload(engine, caller.name), offset: 0 };
    const { resumeUpload } = await import('../../upload/resume-upload.ts');
    return resumeUpload(engine, caller, hash);
  },
});

export const uploadShow = defineOperation({
  name: 'upload.show',
  summary: 'Show how many bytes have arrived, to resume an upload',
  role: 'user',
  owner,
  changes: false,
  input: z.strictObject({ upload }),
  output: z.strictObject({ offset: z.int() }),
  example: { upload: someUpload },
  handler: async ({ engine }, { upload }) => ({
    offset: await (await uploads()).uploadOffset(engine.database.query, upload),
  }),
});

export const uploadList = defineOperation({
  name: 'upload.ls',
  summary: 'List your uploads that nothing uses yet, newest first',
  role: 'user',
  owner: 'caller',
  changes: false,
  input: z.strictObject(page),
  output: z.strictObject({
    uploads: z.array(
      z.strictObject({
        upload: z.string(),
        state: z
          .enum(['open', 'closed', 'finished'])
          .describe('closed: the parts are being joined, or joining was interrupted'),
        offset: z.int().describe('Bytes that have arrived'),
        createdAt: z.number(),
      }),
    ),
  }),
  example: { limit: 10 },
  async handler({ engine, caller }, part) {
    const state = z.enum(['open', 'closed', 'finished']);
    const rows = await (await uploads()).listUploads(engine.database.query, caller.name, part);
    return { uploads: rows.map((row) => ({ ...row, state: state.parse(row.state) })) };
  },
});

export const uploadDelete = defineOperation({
  name: 'upload.delete',
  heavy: 'work',
  summary: 'Delete an upload and the bytes that have arrived',
  role: 'user',
  owner,
  changes: true,
  input: z.strictObject({ upload }),
  output: done,
  example: { upload: someUpload },
  async handler({ engine }, { upload }) {
    const { deleteUpload } = await import('../../upload/drop-uploads.ts');
    if ((await (await uploads()).uploadOwner(engine, upload)) === undefined)
      throw new PismakError('not-found', 'there is no such upload; `pismak upload ls` lists yours');
    await deleteUpload(engine, upload);
    return {};
  },
});

export const uploadFinish = defineOperation({
  name: 'upload.finish',
  heavy: 'work',
  // Joining 100 GB takes this long.
  deadlineMs: 1_800_000,
  stores: true,
  summary: 'Finish an upload: join its parts; use it in a document or a request within a day',
  role: 'user',
  owner,
  changes: true,
  input: z.strictObject({ upload }),
  output: z.strictObject({ hash: z.string(), size: z.int() }),
  example: { upload: someUpload },
  async handler({ engine }, { upload }) {
    const { finishUpload } = await import('../../upload/finish-upload.ts');
    return finishUpload(engine, upload);
  },
});

export const uploadOperations: Operation[] = [
  uploadCreate,
  uploadList,
  uploadShow,
  uploadFinish,
  uploadDelete,
];
