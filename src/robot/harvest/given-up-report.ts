import type { Findings } from '../batch/report.ts';
import { SegmentBuffer } from '../segments/segment-buffer.ts';
import type { PageUnderWay } from './page-under-way.ts';
import type { ThreadReport } from './thread-messages.ts';

/** The last report of a share whose thread died, with the page that is given up, if there is one. */
export async function givenUpReport(batch: string, page: PageUnderWay | undefined): Promise<ThreadReport> {
  const buffer = new SegmentBuffer();
  if (page) buffer.addRequest(page.line, page.rules);
  const found: Findings = { visits: page ? [page.result] : [] };
  return {
    kind: 'report',
    batch,
    ended: true,
    report: JSON.stringify(found),
    ...(await buffer.seal()),
    pages: 0,
    scans: [],
  };
}
