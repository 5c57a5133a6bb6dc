/** Everything that makes text of what the robot fetched. Pure: no engine, no network; only the corpus writes files. */

export type { Converted, DocumentKind } from '../../formats/converted/converted.ts';
export {
  type Corpus,
  type CorpusFormat,
  type CorpusOptions,
  type CorpusPosition,
  corpusFormats,
  openCorpus,
} from './corpus/corpus.ts';
export type { CorpusDocument, WebResponse } from './corpus/document.ts';
export { distance, type Fingerprint, fingerprint, nearDistance, nearKeys } from './fingerprint.ts';
export { type ConvertOptions, convertDocument, kindOf } from './formats/convert.ts';
export { type Feed, type FeedItem, readFeed } from './formats/feed.ts';
export { readMbox } from './formats/mbox.ts';
export { type MailMessage, readMessage } from './formats/mime.ts';
export { readSitemap, type SitemapEntry } from './formats/sitemap.ts';
export { type CleanOptions, type CleanPage, cleanHtml } from './html/clean-html.ts';
export { detectLanguage, type Language } from './language/language.ts';
export { longestRobotsFile, parseRobots, type Robots } from './robots-rules.ts';
export { type Segmented, type SegmentOptions, segment } from './segment/segment.ts';
export { longestUrl, normalizeUrl } from './url/normalize-url.ts';
export { trapIn } from './url/traps.ts';
