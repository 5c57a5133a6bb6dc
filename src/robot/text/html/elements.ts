/** How an element affects the text around and inside it, as bits. */
export const breaksLine = 1;
/** Has a blank line before and after it. */
export const isParagraph = 2;
/** Has no content and no end tag. */
export const isVoid = 4;
/** Its content is not shown, or not as text. */
export const isHidden = 8;
export const isCell = 16;
/** Ends an open <p>. */
export const endsParagraph = 32;
/** An end tag inside does not reach out of it. */
export const isBarrier = 64;
/** Has an entry in `endsOpen`. */
export const endsOthers = 128;
/** Is never part of a drawing. */
export const endsDrawing = 256;

const bits = new Map<string, number>();
function add(bit: number, names: string): void {
  for (const name of names.split(' ')) bits.set(name, (bits.get(name) ?? 0) | bit);
}

add(
  breaksLine | endsParagraph,
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table ul listing',
);
add(breaksLine, 'br caption tr tbody thead tfoot frameset');
add(
  isParagraph,
  'p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol dl section article figure hr div form aside footer header nav main',
);
add(
  isVoid,
  'area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen command',
);
add(isHidden, 'template svg select datalist canvas audio video object');
add(isCell, 'td th');
add(
  endsDrawing,
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);
add(isBarrier, 'td th table caption body html');

export function bitsOf(name: string): number {
  return bits.get(name) ?? 0;
}

/** An element of this name ends an open one of these, if nothing but inline elements is in between. */
export const endsOpen: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['li', new Set(['li'])],
  ['dt', new Set(['dt', 'dd'])],
  ['dd', new Set(['dt', 'dd'])],
  ['tr', new Set(['td', 'th', 'tr'])],
  ['td', new Set(['td', 'th'])],
  ['th', new Set(['td', 'th'])],
  ['tbody', new Set(['td', 'th', 'tr', 'tbody', 'thead'])],
  ['option', new Set(['option'])],
  ['a', new Set(['a'])],
]);
add(endsOthers, [...endsOpen.keys()].join(' '));
