import { create } from '@bufbuild/protobuf';
import { z } from 'zod';
import { requestItem } from '../backlog/request-item.ts';
import { checkMayUse, putsAreUsed } from '../blobs/owners/blob-access.ts';
import { disown } from '../blobs/owners/blob-owners.ts';
import type { Engine } from '../engine.ts';
import { hasCode, PismakError } from '../errors.ts';
import { newId } from '../identity.ts';
import { mayTouch, type Role } from '../operation/operation.ts';
import { requestOwner, storeLarge } from '../results/result-files.ts';
import { newFile, newRequest, type Request, type ResultFile } from './request.ts';
import { ResultFileSchema } from './request_pb.ts';
import { excessOf } from './request-limits.ts';
import { fileName } from './submitted-names.ts';

type Parts = Pick<Engine, 'backlog' | 'blobs' | 'clock' | 'database' | 'houses' | 'pipelines' | 'stages'>;

export interface Submission {
  pipeline?: string | undefined;
  /** Instead of a pipeline; the last name is the output queue. */
  stages?: readonly string[] | undefined;
  /** Instead of the pipeline's own output queue. */
  output?: string | undefined;
  files: readonly SubmittedFile[];
  priority?: number | undefined;
  uuid?: string | undefined;
  pageUuid?: string | undefined;
  owner: string;
  /** The owner's role; administrators may use all queues. Default: user. */
  role?: Role | undefined;
}

export type SubmittedFile = { name: string; content: Uint8Array } | { name: string; blob: string };

/**
 * Sends a request on its way: into the queue of its first stage, or into the backlog, where owners take turns. Resolves
 * when it is durable there. A producer that doesn't know whether a request arrived may submit the same uuid again.
 */
export async function submitRequest(engine: Parts, submission: Submission): Promise<Request> {
  checkNames(submission.files);
  const { owner, pipeline, pageUuid, priority } = submission;
  const uuid = submission.uuid === undefined ? newId(engine.clock) : checkUuid(submission.uuid);
  const request = newRequest({
    uuid,
    ...(pageUuid !== undefined && { pageUuid: checkUuid(pageUuid) }),
    ...(priority !== undefined && { priority }),
    ...(pipeline !== undefined && { pipeline }),
    stages: await stagesOf(engine, submission),
    files: [],
    startedAt: engine.clock.now(),
    owner,
  });
  const sizes = new Map<string, bigint>();
  for (const file of submission.files)
    request.results.push(await toResultFile(engine, submission, file, sizes));
  const excess = excessOf(request);
  if (excess !== undefined) throw new PismakError('invalid-input', `the request carries too much: ${excess}`);
  await storeLarge(engine, request);
  try {
    await engine.backlog.send(requestItem(request, { batch: `request/${uuid}` }));
  } catch (error) {
    // If the caller chose the uuid, an earlier request with it may need its blobs.
    if (submission.uuid === undefined && wasRefused(error)) {
      await disown(engine.database.query, requestOwner(request));
    }
    throw error;
  }
  const named = submission.files.flatMap((file) => ('blob' in file ? [file.blob] : []));
  // Not worth failing the request: at worst the blobs count as unused for a day.
  await putsAreUsed(engine.database.query, named, owner).catch(() => {});
  return request;
}

/**
 * Refuses stages that don't exist and another user's output queue; creates a new one. Only administrators may build
 * shared stages into pipelines: those act for the installation (webhooks, mail).
 */
export async function prepareStages(
  engine: Parts,
  stages: readonly string[],
  by: { owner: string; role?: Role | undefined },
): Promise<void> {
  if (by.role !== 'admin') await refuseShared(engine, stages);
  await prepareOutput(engine, stages, by);
}

async function stagesOf(engine: Parts, submission: Submission): Promise<readonly string[]> {
  if (submission.pipeline === undefined) {
    const stages = submission.stages ?? [];
    await prepareStages(engine, stages, submission);
    return stages;
  }
  const pipeline = await engine.pipelines.find(submission.pipeline);
  if (!pipeline) {
    const known = (await engine.pipelines.list()).slice(0, 100).map(({ name }) => name);
    const list = known.length > 0 ? `known pipelines: ${known.join(', ')}` : 'none are defined yet';
    throw new PismakError('not-found', `there is no pipeline ${submission.pipeline}; ${list}`, {
      details: { known },
    });
  }
  const { output } = submission;
  const stages = output === undefined ? pipeline.stages : [...pipeline.stages.slice(0, -1), output];
  // Its shared stages were allowed when it was created, but none may replace its output.
  if (output !== undefined && submission.role !== 'admin') await refuseShared(engine, [output]);
  await prepareOutput(engine, stages, submission);
  return stages;
}

async function prepareOutput(
  engine: Parts,
  stages: readonly string[],
  by: { owner: string; role?: Role | undefined },
): Promise<void> {
  await engine.pipelines.prepare(stages, by.owner);
  const output = stages.at(-1) ?? '';
  // Check afterwards: if two users create the same queue at once, only one gets it.
  const owner = await engine.pipelines.outputOwner(output);
  if (owner === undefined || mayTouch({ name: by.owner, role: by.role ?? 'user' }, owner)) return;
  throw new PismakError('forbidden', `output queue ${output} belongs to another user; choose another name`);
}

async function refuseShared(engine: Parts, stages: readonly string[]): Promise<void> {
  const shared = (await engine.stages.list())
    .filter((stage) => stage.mode === 'shared')
    .map((stage) => stage.name);
  const named = stages.find((name) => shared.includes(name));
  if (named === undefined) return;
  throw new PismakError(
    'forbidden',
    `stage ${named} is shared; only an administrator can build it into a pipeline`,
  );
}

/** The content is not read here: the worker verifies it when it reads it. `sizes` has the blobs named before. */
async function toResultFile(
  { blobs, database, houses }: Parts,
  { owner, role }: Submission,
  file: SubmittedFile,
  sizes: Map<string, bigint>,
): Promise<ResultFile> {
  if ('content' in file) return newFile(file.name, file.content);
  let size = sizes.get(file.blob);
  if (size === undefined) {
    await checkMayUse({ houses }, database.query, { name: owner, role }, file.blob);
    size = BigInt(await blobs.size(file.blob));
    sizes.set(file.blob, size);
  }
  return create(ResultFileSchema, { name: file.name, blob: file.blob, size });
}

function checkNames(files: readonly SubmittedFile[]): void {
  const names = new Set<string>();
  for (const { name } of files) {
    fileName.parse(name);
    if (names.has(name))
      throw new PismakError('invalid-input', `two files are named ${name}; names must differ`);
    names.add(name);
  }
}

function checkUuid(text: string): string {
  if (z.uuid().safeParse(text).success) return text;
  throw new PismakError('invalid-input', `${JSON.stringify(text.slice(0, 60))} is not a UUID`);
}

/** Whether it is certain that the message is in no queue. */
function wasRefused(error: unknown): boolean {
  return (
    hasCode(error, 'queue-full') ||
    hasCode(error, 'queue-unknown') ||
    hasCode(error, 'queue-broken') ||
    hasCode(error, 'message-too-large')
  );
}
