import type { z } from 'zod';
import { formatCount } from '../../terminal/output/format.ts';
import type { documentShow } from '../operations/document.ts';

/** The progress of a document. */
export type DocumentProgress = Pick<
  z.output<typeof documentShow.output>,
  'id' | 'state' | 'pages' | 'sources'
>;

export function isUnderWay({ state }: Pick<DocumentProgress, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}

/** Pages with results. */
export function finished({ done, doubtful, noText }: DocumentProgress['pages']): number {
  return done + doubtful + noText;
}

/** `87 %` */
export function formatConfidence(confidence: number | null): string | null {
  return confidence === null ? null : `${Math.round(confidence * 100)} %`;
}

/** `running, 3 of 10 pages done`. */
export function describeProgress({ state, pages, sources }: DocumentProgress): string {
  const unopened = sources.total - sources.split - sources.failed;
  return [
    state,
    pages.total > 0 && `${finished(pages)} of ${formatCount(pages.total, 'page')} done`,
    pages.doubtful > 0 && `${pages.doubtful} doubtful`,
    pages.noText > 0 && `${pages.noText} without text`,
    pages.failed > 0 && `${pages.failed} failed`,
    sources.failed > 0 && `${formatCount(sources.failed, 'file')} could not be opened`,
    unopened > 0 && `${formatCount(unopened, 'file')} not opened yet`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

export function whyNothingToRetry(document: DocumentProgress): string {
  const { id, state, pages } = document;
  if (state === 'open') return `document ${id} has not been submitted yet, so nothing has failed`;
  if (pages.failed > 0) {
    const failed = formatCount(pages.failed, 'page');
    return `${failed} of document ${id} could not be opened, so retrying will not help; submit better files (\`document show\` says why)`;
  }
  const soFar = isUnderWay(document) ? ' so far' : '';
  return `nothing in document ${id} has failed${soFar} (${describeProgress(document)}), so nothing is sent again`;
}
