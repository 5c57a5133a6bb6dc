import { messageOf } from '../../engine/ground/errors.ts';
import { isPermanent, type Job } from '../../engine/processor/processor.ts';
import { Overrun } from '../../engine/processor/watch-use.ts';
import { limitsOf } from '../image/image-limits.ts';
import type { View } from '../views/views.ts';
import type { PageReader } from './reader/page-reader.ts';
import type { SplitConfig } from './split-config.ts';

/** Makes the views of a page's image, as files. A page without views is as good as any: viewers then ask for its image. */
export async function viewsOf(
  image: string,
  { job, reader, config }: { job: Job; reader: PageReader; config: SplitConfig },
): Promise<{ paths: Partial<Record<View, string>>; isOverrun: boolean }> {
  if (!config.VIEWS) return { paths: {}, isOverrun: false };
  try {
    return { paths: await reader.views(image, limitsOf(config), job.signal), isOverrun: false };
  } catch (error) {
    if (!isPermanent(error)) throw error;
    job.log(`no thumbnail: ${messageOf(error)}`);
    return { paths: {}, isOverrun: error instanceof Overrun };
  }
}
