import sharp from 'sharp';
import { runProcessor } from '../../../engine/processor/run-processor.ts';
import { type SplitPage, splitPages } from '../pages.ts';
import split from '../split.ts';

export interface Result {
  pages: SplitPage[];
  contents: Record<string, Uint8Array>;
  log: string[];
}

/** Runs the processor on one file. */
export async function splitFile(
  source: Uint8Array,
  options: { name?: string; config?: string } = {},
): Promise<Result> {
  const { name = 'scan', config = '' } = options;
  const order = JSON.stringify({ document: 'd', page: 1, name });
  const { files, contents, log } = await runProcessor(split, {
    config,
    files: { source, 'order.json': order },
  });
  return { pages: splitPages.parse(JSON.parse(files['pages.json'] ?? '')).pages, contents, log };
}

/** An empty page. */
export function blank(width: number, height: number, density = 200) {
  return sharp({ create: { width, height, channels: 3, background: '#fff' } }).withMetadata({ density });
}
