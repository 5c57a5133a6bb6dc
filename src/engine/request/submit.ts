import { create } from '@bufbuild/protobuf';
import { z } from 'zod';
import type { Backlog } from '../backlog/backlog.ts';
import { checkMayUse, type HouseWithBlobs, putsAreUsed } from '../blob-owners/blob-access.ts';
import { disown } from '../blob-owners/blob-owners.ts';
import { mayTouch, type Role } from '../ground/caller.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import type { Ports } from '../ports/ports.ts';
import { meantNames, type Namer, newName } from '../stage/owned-name.ts';
import type { Pipelines } from '../stage/pipelines.ts';
import type { Stages } from '../stage/stages.ts';
import { admit, type HouseWithLimits, takeBack } from './admit.ts';
import type { OpenRequests } from './open-requests.ts';
import { checkPriority } from './priority.ts';
import { newFile, newRequest, type Request, type ResultFile } from './request.ts';
import { ResultFileSchema } from './request_pb.ts';
import { requestItem } from './request-item.ts';
import { excessOf } from './request-limits.ts';
import { requestOwner, storeLarge } from './result-files.ts';
import { fileName } from './submitted-names.ts';

type Submitting = Pick<Ports, 'blobs' | 'clock' | 'database' | 'settings'> & {
  backlog: Backlog;
  houses: readonly (HouseWithBlobs & HouseWithLimits)[];
  openRequests: OpenRequests;
  pipelines: Pipelines;
  stages: Stages;
};

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
  /** The key or session that submits it; a key may have its own limits. */
  credential?: string | undefined;
  /** Whether the owner may give a priority of 1 or more; administrators always may. */
  mayPrioritise?: boolean | undefined;
}

export type SubmittedFile = { name: string; content: Uint8Array } | { name: string; blob: string };

/**
 * Submits a request to the queue of its first stage, or to the backlog, where owners take turns. Resolves
 * when it is durable there. A producer that doesn't know whether a request arrived may submit the same uuid again.
 */
export async function submitRequest(engine: Submitting, submission: Submission): Promise<Request> {
  checkNames(submission.files);
  checkPriority(submission.priority, submission);
  const { credential, owner, pageUuid, priority } = submission;
  const isLimited = submission.role !== 'admin';
  if (isLimited) await engine.openRequests.checkRoom(owner);
  const uuid = submission.uuid === undefined ? newId(engine.clock) : checkUuid(submission.uuid);
  const { stages, pipeline } = await stagesOf(engine, submission);
  const request = newRequest({
    uuid,
    ...(pageUuid !== undefined && { pageUuid: checkUuid(pageUuid) }),
    ...(priority !== undefined && { priority }),
    ...(pipeline !== undefined && { pipeline }),
    stages,
    files: [],
    startedAt: engine.clock.now(),
    owner,
  });
  const sizes = new Map<string, bigint>();
  for (const file of submission.files)
    request.results.push(await toResultFile(engine, submission, file, sizes));
  const excess = excessOf(request);
  if (excess !== undefined) throw new PismakError('invalid-input', `the request carries too much: ${excess}`);
  await admit(engine, request, { credential, isLimited });
  let isStored = false;
  try {
    await storeLarge(engine, request);
    isStored = true;
    await engine.backlog.send(requestItem(request, { batch: `request/${uuid}` }));
  } catch (error) {
    if (isStored && !wasRefused(error)) throw error;
    await takeBack(engine, request, credential);
    // If the caller chose the uuid, an earlier request with it may need its blobs.
    if (submission.uuid === undefined) await disown(engine.database.query, requestOwner(request));
    throw error;
  }
  const named = submission.files.flatMap((file) => ('blob' in file ? [file.blob] : []));
  // No reason to fail the request: at worst the blobs count as unused for a day.
  await putsAreUsed(engine.database.query, named, owner).catch(() => {});
  return request;
}

/**
 * Refuses stages that don't exist and another user's output queue; creates a new output queue. Resolves to the list with the full
 * name of the output queue. Only administrators may put shared stages into pipelines: those act for the installation
 * (webhooks, mail).
 */
export async function prepareStages(
  engine: Submitting,
  stages: readonly string[],
  by: Namer,
): Promise<readonly string[]> {
  if (by.role !== 'admin') await refuseShared(engine, stages);
  return prepareOutput(engine, stages, by);
}

/** The stages with the output queue, and the full name of the pipeline if there is one. */
async function stagesOf(
  engine: Submitting,
  submission: Submission,
): Promise<{ stages: readonly string[]; pipeline?: string }> {
  if (submission.pipeline === undefined)
    return { stages: await prepareStages(engine, submission.stages ?? [], submission) };
  const pipeline = await engine.pipelines.find(submission.pipeline, submission);
  if (!pipeline) {
    const known = (await engine.pipelines.list()).slice(0, 100).map(({ name }) => name);
    const list = known.length > 0 ? `known pipelines: ${known.join(', ')}` : 'none are defined yet';
    throw new PismakError('not-found', `there is no pipeline ${submission.pipeline}; ${list}`, {
      details: { known },
    });
  }
  const { output } = submission;
  const stages = output === undefined ? pipeline.stages : [...pipeline.stages.slice(0, -1), output];
  // Its shared stages were allowed when it was created, but no shared stage may replace its output.
  if (output !== undefined && submission.role !== 'admin') await refuseShared(engine, [output]);
  return { stages: await prepareOutput(engine, stages, submission), pipeline: pipeline.name };
}

async function prepareOutput(
  engine: Submitting,
  stages: readonly string[],
  by: Namer,
): Promise<readonly string[]> {
  const { pipelines, settings } = engine;
  const output = stages.at(-1) ?? '';
  const name = await outputName(engine, output, by);
  const whole = [...stages.slice(0, -1), name];
  await pipelines.prepare(whole, by.owner, by.role === 'admin' ? 0 : settings.limits.outputQueues);
  // Check afterwards: if two users create the same queue at the same time, only one gets it.
  const owner = await pipelines.outputOwner(name);
  if (owner === undefined || mayTouch({ name: by.owner, role: by.role ?? 'user' }, owner)) return whole;
  throw new PismakError('forbidden', `output queue ${name} belongs to another user; choose another name`);
}

/** A stage with that name, the user's own queue with that name, or a new queue named for the user. */
async function outputName(engine: Submitting, output: string, by: Namer): Promise<string> {
  const [own, bare] = meantNames(by, output);
  if (own === undefined || bare === undefined) return by.role === 'admin' ? output : newName(by, output);
  if ((await engine.stages.list()).some((stage) => stage.name === output)) return output;
  // A queue whose name has no owner is the user's if the user was an administrator when creating it.
  return (await engine.pipelines.outputOwner(bare)) === by.owner ? bare : newName(by, output);
}

async function refuseShared(engine: Submitting, stages: readonly string[]): Promise<void> {
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

/** The content is not read here: the worker verifies it when it reads it. `sizes` holds the sizes of blobs named before. */
async function toResultFile(
  { blobs, database, houses }: Submitting,
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

/** Whether the message is certainly in no queue. */
function wasRefused(error: unknown): boolean {
  return (
    hasCode(error, 'queue-full') ||
    hasCode(error, 'queue-unknown') ||
    hasCode(error, 'queue-broken') ||
    hasCode(error, 'message-too-large')
  );
}
