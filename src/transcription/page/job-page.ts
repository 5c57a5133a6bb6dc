import { ZodError, type ZodType } from 'zod';
import { messageOf } from '../../engine/ground/errors.ts';
import { type JobFiles, PermanentFailure } from '../../engine/processor/processor.ts';
import { files } from './files.ts';
import { type Order, order } from './order.ts';
import { mostPageBytes, type Page, page } from './page.ts';
import { type Transformation, transformation } from './transformation.ts';

/** The order for the job's page: language, formats and name. */
export function readOrder(job: { files: JobFiles }): Promise<Order> {
  return readJson(job.files, files.order, order, 'send pages through `pismak transcribe` or as a document');
}

/** The text recognised so far. */
export function readPage(job: { files: JobFiles }): Promise<Page> {
  return readJson(job.files, files.page, page, 'put a recognition stage before this one');
}

/** The regions of the page, if a layout stage has run. */
export async function readLayout(job: { files: JobFiles }): Promise<Page | undefined> {
  if (!job.files.names().includes(files.layout)) return undefined;
  return readJson(job.files, files.layout, page, 'put a layout stage before this one');
}

/** How `prepare` made the image from the source; undefined if it didn't run. */
export async function readTransformation(job: { files: JobFiles }): Promise<Transformation | undefined> {
  if (!job.files.names().includes(files.prepared)) return undefined;
  return readJson(job.files, files.prepared, transformation, '`prepare` makes it');
}

export function writePage(job: { files: JobFiles }, content: Page): Promise<void> {
  return job.files.write(files.page, Buffer.from(JSON.stringify(content)));
}

/** Why a JSON file is too large for a page; undefined if it is not. Another stage or program may have written it. */
export function whyTooLarge(name: string, size: number): string | undefined {
  if (size <= mostPageBytes) return undefined;
  const [found, most] = [size, mostPageBytes].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  return `the file ${name} has ${found} MB; the limit is ${most} MB`;
}

/** Why a JSON file is invalid: only the first fault, because it may have a million. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ZodError)) return messageOf(error).slice(0, 200);
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'it'}: ${issue?.message}`.slice(0, 200);
}

async function readJson<Value>(
  all: JobFiles,
  name: string,
  schema: ZodType<Value>,
  advice: string,
): Promise<Value> {
  if (!all.names().includes(name)) throw new PermanentFailure(`there is no file ${name}: ${advice}`);
  const tooLarge = whyTooLarge(name, all.size(name));
  if (tooLarge !== undefined) throw new PermanentFailure(tooLarge);
  const text = Buffer.from(await all.read(name)).toString();
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new PermanentFailure(`the file ${name} is invalid: ${reasonOf(error)}`);
  }
}
