import type { PageElement } from '../html/page-tree.ts';
import { at, type FeatureName } from './features.ts';

const good =
  /article|story|body|content|entry|post(?!er)|text|main|blog|detail|paragraph|column|hentry|copy\b/;
const bad =
  /comment|side-?bar|footer|foot\b|nav|menu|related|share|social|promo|\bads?\b|advert|sponsor|newsletter|subscri|cookie|caption|author|byline|\bdate|meta|\btags?\b|breadcrumb|widget|recommend|popular|trending|copyright|disclaim|sign-?up|log-?in|rating|pagina|toolbar|banner|modal|popup|overlay|teaser|read-?more|credit|print|hidden|skip|outbrain|taboola|consent|gallery|byl|most-|more-|extra|follow|feedback|disqus|masthead|legal/;
const body =
  /articlebody|article-?body|article__body|entry-content|post-?content|story-?body|article-?content/;
const kinds: readonly [feature: number, words: RegExp][] = [
  [at.commentish, /comment|disqus|reply|respond|discussion|fyre|diskus/],
  [at.promoish, /promo|advert|\bads?\b|sponsor|newsletter|subscri|banner|teaser|signup|sign-up|cta\b|donat/],
  [at.bylineish, /author|byline|\bdate|time|meta|publish|posted|credit|autor|datum/],
  [at.captionish, /caption|photo|image|figure|gallery|media|video|img/],
  [
    at.relatedish,
    /related|recommend|popular|trending|more-|most-|read-?more|see-?also|also|outbrain|taboola|souvis/,
  ],
  [at.shareish, /share|social|follow|twitter|facebook|sdilet/],
];
const places = new Map<string, FeatureName>([
  ...([
    ['article', 'inArticle'],
    ['main', 'inMain'],
    ['nav', 'inNav'],
    ['footer', 'inFooter'],
  ] as const),
  ...([
    ['header', 'inHeader'],
    ['aside', 'inAside'],
    ['form', 'inForm'],
    ['ul', 'inList'],
    ['ol', 'inList'],
  ] as const),
  ...([
    ['dl', 'inList'],
    ['figure', 'inFigure'],
    ['figcaption', 'inFigure'],
    ['table', 'inTable'],
  ] as const),
]);
/** Up to here an ancestor's words speak of the block itself. */
const nearLevels = 3;
const kindLevels = 6;

/** What the name and the words of an element say. */
export interface Marks {
  isGood: number;
  isBad: number;
  isBody: boolean;
  /** Features that it sets. */
  kinds: readonly number[];
  place: number;
}

/** Pages of a site use the same words over and over. */
const known = new Map<string, Omit<Marks, 'place'>>();
const silent = { isGood: 0, isBad: 0, isBody: false, kinds: [] };

export function marksOf(element: PageElement): Marks {
  if (element.marks === undefined) {
    const { name, words } = element;
    const place = places.get(name);
    const spoken = words === '' || name === 'body' || name === 'html' ? silent : marksOfWords(words);
    const { isGood, isBad, isBody, kinds: found } = spoken;
    element.marks = { isGood, isBad, isBody, kinds: found, place: place === undefined ? -1 : at[place] };
  }
  return element.marks;
}

function marksOfWords(words: string): Omit<Marks, 'place'> {
  let marks = known.get(words);
  if (marks === undefined) {
    marks = {
      isGood: good.test(words) ? 1 : 0,
      isBad: bad.test(words) ? 1 : 0,
      isBody: body.test(words),
      kinds: kinds.filter(([, pattern]) => pattern.test(words)).map(([feature]) => feature),
    };
    if (known.size > 10_000) known.clear();
    if (words.length < 500) known.set(words, marks);
  }
  return marks;
}

/** Sets what the ancestors of a block say about it. */
export function fillMarks(row: Float32Array, element: PageElement): void {
  row[at.depth] = element.depth;
  row[at.badNearest] = 20;
  let level = 0;
  for (let each: PageElement | undefined = element; each !== undefined; each = each.parent, level += 1) {
    const { isGood, isBad, isBody, kinds: found, place } = marksOf(each);
    if (place >= 0) row[place] = place === at.inTable ? (row[place] as number) + 1 : 1;
    if (isBody) row[at.inBody] = 1;
    if (level < kindLevels) for (const feature of found) row[feature] = 1;
    if (isBad === 1 && row[at.badNearest] === 20) row[at.badNearest] = Math.min(19, level);
    if (isGood === 1) add(row, level === 0 ? at.goodOwn : level <= nearLevels ? at.goodNear : at.goodFar);
    if (isBad === 1) add(row, level === 0 ? at.badOwn : level <= nearLevels ? at.badNear : at.badFar);
  }
}

function add(row: Float32Array, feature: number): void {
  row[feature] = (row[feature] as number) + 1;
}
