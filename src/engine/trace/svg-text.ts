/** Text from outside as it may stand in an SVG: escaped, and without what XML forbids even then. */
export function svgText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** About how many pixels a text takes in a sans-serif of this size. */
export function textWidth(text: string, size: number): number {
  return text.length * size * 0.58;
}

/** The text in so many pixels, with … where it was cut. */
export function fitText(text: string, size: number, pixels: number): string {
  const most = Math.max(1, Math.floor(pixels / (size * 0.58)));
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** A number as short as a tenth of a pixel needs. */
export function short(number: number): string {
  return String(Math.round(number * 10) / 10);
}
