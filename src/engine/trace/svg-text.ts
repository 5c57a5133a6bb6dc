/** Makes untrusted text safe in an SVG: escaped, and without characters that XML forbids. */
export function svgText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The approximate width in pixels of a text in a sans-serif font of this size. */
export function textWidth(text: string, size: number): number {
  return text.length * size * 0.58;
}

/** The text cut to this many pixels, with … at the cut. */
export function fitText(text: string, size: number, pixels: number): string {
  const most = Math.max(1, Math.floor(pixels / (size * 0.58)));
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** A number rounded to a tenth of a pixel. */
export function short(number: number): string {
  return String(Math.round(number * 10) / 10);
}
