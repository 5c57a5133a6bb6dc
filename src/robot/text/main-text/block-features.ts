import type { PageBlock, PageElement } from '../html/page-tree.ts';

/** What the model looks at in a block; the order is that of the values. */
export const featureNames = [
  ...[
    'length',
    'words',
    'linked',
    'commas',
    'stops',
    'endsSentence',
    'digits',
    'capitals',
    'wordLength',
    'startsCapital',
  ],
  ...[
    'isParagraph',
    'isItem',
    'isHeading',
    'isCell',
    'isDivision',
    'isQuote',
    'isPre',
    'isCaption',
    'isOtherTag',
    'headingLevel',
  ],
  ...[
    'inArticle',
    'inMain',
    'inNav',
    'inFooter',
    'inHeader',
    'inAside',
    'inForm',
    'inTable',
    'inList',
    'inFigure',
    'inBody',
  ],
  ...['goodOwn', 'badOwn', 'goodNear', 'badNear', 'goodFar', 'badFar', 'badNearest', 'depth'],
  ...['commentish', 'promoish', 'bylineish', 'captionish', 'relatedish', 'shareish'],
  ...[
    'inCandidate',
    'belowCandidate',
    'candidateShare',
    'parentProse',
    'parentLinked',
    'parentShare',
    'grandProse',
    'grandLinked',
    'grandShare',
  ],
  ...['styleProse', 'styleShare', 'styleCount', 'styleLinked'],
  ...[
    'position',
    'textBefore',
    'afterTitle',
    'sinceHeading',
    'betweenProse',
    'toProseBefore',
    'toProseAfter',
    'proseBefore',
  ],
  ...[
    'previousLength',
    'previousLinked',
    'previousSame',
    'previousEnds',
    'nextLength',
    'nextLinked',
    'nextSame',
    'nextEnds',
  ],
  ...[
    'secondPrevious',
    'secondNext',
    'isTitle',
    'repeated',
    'saysPromo',
    'saysByline',
    'saysDate',
    'saysCopyright',
    'saysComment',
  ],
  ...['pageProse', 'pageBlocks', 'pageLinked'],
] as const;

const good =
  /article|story|body|content|entry|post(?!er)|text|main|blog|detail|paragraph|column|hentry|copy\b/;
const bad =
  /comment|side-?bar|footer|foot\b|nav|menu|related|share|social|promo|\bads?\b|advert|sponsor|newsletter|subscri|cookie|caption|author|byline|\bdate|meta|\btags?\b|breadcrumb|widget|recommend|popular|trending|copyright|disclaim|sign-?up|log-?in|rating|pagina|toolbar|banner|modal|popup|overlay|teaser|read-?more|credit|print|hidden|skip|outbrain|taboola|consent|gallery|byl|most-|more-|extra|follow|feedback|disqus|masthead|legal/;
const kinds = {
  commentish: /comment|disqus|reply|respond|discussion|fyre|diskus/,
  promoish: /promo|advert|\bads?\b|sponsor|newsletter|subscri|banner|teaser|signup|sign-up|cta\b|donat/,
  bylineish: /author|byline|\bdate|time|meta|publish|posted|credit|autor|datum/,
  captionish: /caption|photo|image|figure|gallery|media|video|img/,
  relatedish:
    /related|recommend|popular|trending|more-|most-|read-?more|see-?also|also|outbrain|taboola|souvis/,
  shareish: /share|social|follow|twitter|facebook|sdilet/,
};
const nearLevels = 3;
/** A block of this length that is not a link reads like prose. */
const proseLength = 80;

interface ElementSums {
  text: number;
  linked: number;
  prose: number;
  score: number;
}

interface Block extends PageBlock {
  text: string;
  length: number;
  linkShare: number;
  isProse: boolean;
  style: string;
}

/** The values of all blocks of a page, row by row. */
export function blockFeatures(
  blocks: readonly PageBlock[],
  texts: readonly string[],
  title: string,
): Float32Array[] {
  const described = blocks.map((block, index) => describe(block, texts[index] ?? ''));
  const sums = sumElements(described);
  const candidate = bestCandidate(sums);
  const page = sumPage(described);
  const styles = sumStyles(described);
  const context = contextOf(described, title);
  return described.map((block, index) => {
    const values = {
      ...ownValues(block),
      ...tagValues(block.element),
      ...wordValues(block.element),
      ...placeValues(block, sums, candidate, page),
      ...styleValues(styles.get(block.style), page),
      ...neighbourValues(described, index),
      ...context(block, index),
      ...sayValues(block.text),
      pageProse: Math.log1p(page.prose),
      pageBlocks: Math.log1p(described.length),
      pageLinked: page.linked / (page.text + 1),
    } satisfies Record<(typeof featureNames)[number], number>;
    return Float32Array.from(featureNames, (name) => values[name]);
  });
}

function describe(block: PageBlock, text: string): Block {
  const length = text.length;
  const linkShare = length === 0 ? 0 : Math.min(1, block.linked / length);
  const isProse = length >= proseLength && linkShare < 0.5 && /[.?!…]/.test(text);
  const { element } = block;
  const style = `${element.parent?.parent?.name}.${element.parent?.name}.${firstWord(element.parent)}>${element.name}.${firstWord(element)}`;
  return { ...block, text, length, linkShare, isProse, style };
}

function firstWord(element: PageElement | undefined): string {
  // Numbers in names differ from block to block.
  return (element?.words.split(' ', 1)[0] ?? '').replaceAll(/\d+/g, '');
}

function ownValues({ text, length, linkShare }: Block) {
  const words = text.split(/\s+/).length;
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return {
    length: Math.log1p(length),
    words: Math.log1p(words),
    linked: linkShare,
    commas: count(/,/g) / words,
    stops: count(/[.?!…](?=\s|$)/g) / words,
    endsSentence: /[.?!…:]["”“’'»)]*$/.test(text) ? 1 : 0,
    digits: count(/\d/g) / (length + 1),
    capitals: count(/\p{Lu}/gu) / words,
    wordLength: length / words,
    startsCapital: /^["'„“‘(]*\p{Lu}/u.test(text) ? 1 : 0,
  };
}

function tagValues({ name }: PageElement) {
  const is = (condition: boolean) => (condition ? 1 : 0);
  const heading = /^h([1-6])$/.exec(name);
  const listed = [
    'p',
    'li',
    'td',
    'th',
    'div',
    'section',
    'article',
    'blockquote',
    'pre',
    'figcaption',
    'caption',
  ];
  return {
    isParagraph: is(name === 'p'),
    isItem: is(name === 'li' || name === 'dd' || name === 'dt'),
    isHeading: is(heading !== null),
    isCell: is(name === 'td' || name === 'th'),
    isDivision: is(name === 'div' || name === 'section' || name === 'article'),
    isQuote: is(name === 'blockquote'),
    isPre: is(name === 'pre'),
    isCaption: is(name === 'figcaption' || name === 'caption'),
    isOtherTag: is(heading === null && !listed.includes(name)),
    headingLevel: heading === null ? 0 : Number(heading[1]),
  };
}

/** What the name and words of an element say; read once, as its blocks ask again and again. */
interface Marks {
  isGood: number;
  isBad: number;
  isBody: number;
  kinds: readonly (keyof typeof kinds)[];
}

const marked = new WeakMap<PageElement, Marks>();
const noMarks: Marks = { isGood: 0, isBad: 0, isBody: 0, kinds: [] };
const bodyWords =
  /articlebody|article-?body|article__body|entry-content|post-?content|story-?body|article-?content/;

function marksOf(element: PageElement): Marks {
  const { name, words } = element;
  if (words === '' || name === 'body' || name === 'html') return noMarks;
  let marks = marked.get(element);
  if (marks === undefined) {
    marks = {
      isGood: good.test(words) ? 1 : 0,
      isBad: bad.test(words) ? 1 : 0,
      isBody: bodyWords.test(words) ? 1 : 0,
      kinds: kindNames.filter((kind) => kinds[kind].test(words)),
    };
    marked.set(element, marks);
  }
  return marks;
}

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];
const places: Readonly<Record<string, (typeof featureNames)[number] & `in${string}`>> = {
  ...{
    article: 'inArticle',
    main: 'inMain',
    nav: 'inNav',
    footer: 'inFooter',
    header: 'inHeader',
    aside: 'inAside',
  },
  ...{ form: 'inForm', ul: 'inList', ol: 'inList', dl: 'inList', figure: 'inFigure', figcaption: 'inFigure' },
};

function wordValues(element: PageElement) {
  const values = {
    ...{ inArticle: 0, inMain: 0, inNav: 0, inFooter: 0, inHeader: 0, inAside: 0 },
    ...{ inForm: 0, inTable: 0, inList: 0, inFigure: 0, inBody: 0, inCandidate: 0 },
    ...{ goodOwn: 0, badOwn: 0, goodNear: 0, badNear: 0, goodFar: 0, badFar: 0 },
    ...{ badNearest: 20, depth: element.depth },
    ...{ commentish: 0, promoish: 0, bylineish: 0, captionish: 0, relatedish: 0, shareish: 0 },
  };
  let level = 0;
  for (let at: PageElement | undefined = element; at !== undefined; at = at.parent, level += 1) {
    const place = places[at.name];
    if (place !== undefined) values[place] = 1;
    else if (at.name === 'table') values.inTable += 1;
    const { isGood, isBad, isBody, kinds: found } = marksOf(at);
    if (isBody === 1) values.inBody = 1;
    if (level < 6) for (const kind of found) values[kind] = 1;
    if (isBad === 1 && values.badNearest === 20) values.badNearest = Math.min(19, level);
    if (level === 0) {
      values.goodOwn = isGood;
      values.badOwn = isBad;
    } else if (level <= nearLevels) {
      values.goodNear += isGood;
      values.badNear += isBad;
    } else {
      values.goodFar += isGood;
      values.badFar += isBad;
    }
  }
  return values;
}

function sumElements(blocks: readonly Block[]): Map<PageElement, ElementSums> {
  const sums = new Map<PageElement, ElementSums>();
  for (const { element, length, linked, isProse, text } of blocks) {
    const commas = isProse ? (text.match(/,/g)?.length ?? 0) : 0;
    const own = isProse ? 1 + commas + Math.min(3, length / 100) : 0;
    let level = 0;
    for (let at: PageElement | undefined = element; at !== undefined; at = at.parent, level += 1) {
      let sum = sums.get(at);
      if (sum === undefined) {
        sum = { text: 0, linked: 0, prose: 0, score: 0 };
        sums.set(at, sum);
      }
      sum.text += length;
      sum.linked += linked;
      if (!isProse) continue;
      sum.prose += length;
      // The parent gets all, its parent half, and so on; a block that is its own container counts as a parent.
      sum.score += level <= 1 ? own : own / (2 * (level - 1) + (level > 2 ? level : 0));
    }
  }
  return sums;
}

function bestCandidate(sums: ReadonlyMap<PageElement, ElementSums>): PageElement | undefined {
  let best: PageElement | undefined;
  let highest = 0;
  for (const [element, { score, text, linked }] of sums) {
    if (element.name === 'p' || element.name === 'li' || element.name === 'html') continue;
    const { isGood, isBad } = marksOf(element);
    const weight = (1 + 0.25 * isGood) * (1 - 0.4 * isBad) * (element.name === 'article' ? 1.3 : 1);
    const value = score * weight * (1 - Math.min(1, linked / (text + 1)));
    if (value > highest) {
      highest = value;
      best = element;
    }
  }
  return best;
}

function sumPage(blocks: readonly Block[]) {
  const page = { text: 1, linked: 0, prose: 1 };
  for (const { length, linked, isProse } of blocks) {
    page.text += length;
    page.linked += linked;
    if (isProse) page.prose += length;
  }
  return page;
}

function placeValues(
  { element }: Block,
  sums: ReadonlyMap<PageElement, ElementSums>,
  candidate: PageElement | undefined,
  page: { text: number; prose: number },
) {
  let level = 0;
  let found = -1;
  for (let at: PageElement | undefined = element; at !== undefined; at = at.parent, level += 1) {
    if (at === candidate) {
      found = level;
      break;
    }
  }
  const sumsOf = (at: PageElement | undefined) => (at === undefined ? undefined : sums.get(at));
  const parent = sumsOf(element.parent);
  const grand = sumsOf(element.parent?.parent);
  return {
    inCandidate: found >= 0 ? 1 : 0,
    belowCandidate: found >= 0 ? Math.min(10, found) : 15,
    candidateShare: (sumsOf(candidate)?.prose ?? 0) / page.prose,
    parentProse: Math.log1p(parent?.prose ?? 0),
    parentLinked: (parent?.linked ?? 0) / ((parent?.text ?? 0) + 1),
    parentShare: (parent?.prose ?? 0) / page.prose,
    grandProse: Math.log1p(grand?.prose ?? 0),
    grandLinked: (grand?.linked ?? 0) / ((grand?.text ?? 0) + 1),
    grandShare: (grand?.prose ?? 0) / page.prose,
  };
}

interface StyleSums {
  prose: number;
  text: number;
  linked: number;
  count: number;
}

function sumStyles(blocks: readonly Block[]): Map<string, StyleSums> {
  const styles = new Map<string, StyleSums>();
  for (const { style, length, linked, isProse } of blocks) {
    const sum = styles.get(style) ?? { prose: 0, text: 0, linked: 0, count: 0 };
    sum.text += length;
    sum.linked += linked;
    sum.count += 1;
    if (isProse) sum.prose += length;
    styles.set(style, sum);
  }
  return styles;
}

function styleValues(sum: StyleSums | undefined, page: { prose: number }) {
  const { prose = 0, text = 0, linked = 0, count = 0 } = sum ?? {};
  return {
    styleProse: prose / (text + 1),
    styleShare: prose / page.prose,
    styleCount: Math.log1p(count),
    styleLinked: linked / (text + 1),
  };
}

function neighbourValues(blocks: readonly Block[], index: number) {
  const block = blocks[index] as Block;
  const previous = blocks[index - 1];
  const next = blocks[index + 1];
  const same = (other: Block | undefined) => (other === undefined ? -1 : other.style === block.style ? 1 : 0);
  const ends = (other: Block | undefined) =>
    other !== undefined && /[.?!…]["”“’'»)]*$/.test(other.text) ? 1 : 0;
  return {
    previousLength: Math.log1p(previous?.length ?? 0),
    previousLinked: previous?.linkShare ?? 1,
    previousSame: same(previous),
    previousEnds: ends(previous),
    nextLength: Math.log1p(next?.length ?? 0),
    nextLinked: next?.linkShare ?? 1,
    nextSame: same(next),
    nextEnds: ends(next),
    secondPrevious: Math.log1p(blocks[index - 2]?.length ?? 0),
    secondNext: Math.log1p(blocks[index + 2]?.length ?? 0),
  };
}

/** Where in the page a block stands, and whether it is the title or stands there twice. */
function contextOf(blocks: readonly Block[], title: string) {
  const total = blocks.reduce((sum, { length }) => sum + length, 1);
  const counts = new Map<string, number>();
  for (const { text } of blocks) counts.set(text, (counts.get(text) ?? 0) + 1);
  const titleAt = blocks.findIndex(({ element }) => element.name === 'h1');
  const proses = blocks.flatMap(({ isProse }, index) => (isProse ? [index] : []));
  const firstProse = proses[0] ?? Number.POSITIVE_INFINITY;
  const lastProse = proses.at(-1) ?? -1;
  const titleWords = title.toLowerCase();
  let before = 0;
  let heading = -1;
  let proseBefore = 0;
  let lastSeen = -1;
  let coming = 0;
  return (block: Block, index: number) => {
    const textBefore = before / total;
    before += block.length;
    if (/^h[1-6]$/.test(block.element.name)) heading = index;
    while (coming < proses.length && (proses[coming] as number) <= index) coming += 1;
    const next = proses[coming];
    const values = {
      position: index / blocks.length,
      textBefore,
      afterTitle: titleAt < 0 ? 0 : Math.max(-30, Math.min(60, index - titleAt)),
      sinceHeading: heading < 0 ? 30 : Math.min(30, index - heading),
      betweenProse: index >= firstProse && index <= lastProse ? 1 : 0,
      toProseBefore: lastSeen < 0 ? 30 : Math.min(30, index - lastSeen),
      toProseAfter: next === undefined ? 30 : Math.min(30, next - index),
      proseBefore: Math.log1p(proseBefore),
      isTitle: block.length > 5 && titleWords.includes(block.text.toLowerCase()) ? 1 : 0,
      repeated: Math.min(5, counts.get(block.text) ?? 1),
    };
    if (block.isProse) {
      proseBefore += block.length;
      lastSeen = index;
    }
    return values;
  };
}

const says = {
  saysPromo:
    /subscri|newsletter|sign up|sign in|log in|click here|read more|read also|also read|see also|more:|related|advertis|download|follow (?:us|me)|like us|share (?:this|on)|donate|přihla|odebír|číst dál|čtěte|sdílet|více|registr|cookies/i,
  saysByline:
    /^(?:by|written by|posted by|author|autor|od|text|foto|photo|image|picture|source|zdroj|credit|©)\b[:\s]/i,
  saysDate:
    /\b(?:\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|\d{4}-\d{2}-\d{2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2},? \d{4}|\d+ (?:hours?|days?|minutes?) ago|\d{1,2}:\d{2})\b/i,
  saysCopyright: /©|copyright|all rights reserved|všechna práva|terms of (?:use|service)|privacy policy/i,
  saysComment: /\b(?:comments?|repl(?:y|ies)|komentář|diskuse|respond)\b/i,
};

function sayValues(text: string) {
  const start = text.slice(0, 300);
  const said = (pattern: RegExp) => (pattern.test(start) ? 1 : 0);
  return {
    saysPromo: said(says.saysPromo),
    saysByline: said(says.saysByline),
    saysDate: said(says.saysDate),
    saysCopyright: said(says.saysCopyright),
    saysComment: said(says.saysComment),
  };
}
