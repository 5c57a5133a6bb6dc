import type { StageSign } from './stage-signs.ts';

/** Work of shared stages: a worker serves all of them at once. */
const sharedColour = '#8c8c8c';

/** White marks on the colour, from the second round of colours on. */
const marks = [
  '',
  '<circle cx="3" cy="3" r="1.4" fill="#fff"/>',
  '<path d="M0 3H6" stroke="#fff" stroke-width="1.4"/>',
  '<path d="M3 0V6" stroke="#fff" stroke-width="1.4"/>',
];

/** The patterns of the picture: one for a stage with marks, and the hatch for switching to it. */
export function patternsOf(signs: Iterable<StageSign>): string {
  const hatch = (id: string, colour: string) =>
    `<pattern id="h${id}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
    `<rect width="5" height="5" fill="#fff"/><rect width="2.4" height="5" fill="${colour}"/></pattern>`;
  const marked = ({ number, colour, pattern }: StageSign) =>
    `<pattern id="s${number}" width="6" height="6" patternUnits="userSpaceOnUse">` +
    `<rect width="6" height="6" fill="${colour}"/>${marks[pattern]}</pattern>`;
  const all = [...signs].map(
    (sign) => hatch(String(sign.number), sign.colour) + (sign.pattern > 0 ? marked(sign) : ''),
  );
  return `<defs>${hatch('0', sharedColour)}${all.join('')}</defs>`;
}

export function solidFill(sign: StageSign | undefined): string {
  if (!sign) return sharedColour;
  return sign.pattern > 0 ? `url(#s${sign.number})` : sign.colour;
}

export function hatchFill(sign: StageSign | undefined): string {
  return `url(#h${sign?.number ?? 0})`;
}
