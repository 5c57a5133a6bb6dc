import type { ZodType } from 'zod';
import { messageOf } from '../engine/errors.ts';
import { type JobFiles, PermanentFailure } from '../engine/processor/processor.ts';
import { files } from './files.ts';
import { type Order, order } from './order.ts';
import { type Page, page } from './page.ts';
import { type Transformation, transformation } from './prepare/transformation.ts';

/** What is wanted of the page that a job is about. */
export function readOrder(job: { files: JobFiles }): Promise<Order> {
  return readJson(job.files, files.order, order, 'send pages through `pismak transcribe` or as a document');
}

/** What has been read on it so far. */
export function readPage(job: { files: JobFiles }): Promise<Page> {
  return readJson(job.files, files.page, page, 'a stage that recognises must come before this one');
}

/** The regions that were found on it, if a stage has looked for them. */
export async function readLayout(job: { files: JobFiles }): Promise<Page | undefined> {
  if (!job.files.names().includes(files.layout)) return undefined;
  return readJson(job.files, files.layout, page, 'a stage that finds the layout must come before this one');
}

/** How the image that was read came out of the source; undefined when the source itself was read. */
export async function readTransformation(job: { files: JobFiles }): Promise<Transformation | undefined> {
  if (!job.files.names().includes(files.prepared)) return undefined;
  return readJson(job.files, files.prepared, transformation, 'it is made by `prepare`');
}

export function writePage(job: { files: JobFiles }, content: Page): Promise<void> {
  return job.files.write(files.page, Buffer.from(JSON.stringify(content)));
}

async function readJson<Value>(
  all: JobFiles,
  name: string,
  schema: ZodType<Value>,
  advice: string,
): Promise<Value> {
  if (!all.names().includes(name)) throw new PermanentFailure(`there is no file ${name}: ${advice}`);
  const text = Buffer.from(await all.read(name)).toString();
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new PermanentFailure(`the file ${name} is not as it should be: ${messageOf(error)}`);
  }
}
