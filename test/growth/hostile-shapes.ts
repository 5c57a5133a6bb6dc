import type { ForeignReader } from '../../src/engine/testing/foreign-reader.ts';

/** A way to make a text of any size, e.g. `"<" repeated, in "<b>…</b>"`. */
export interface Shape {
  name: string;
  make(size: number): string;
}

const fillers = [' ', '\t', '\n', 'a', '0', 'ž'];
const hole = '…';

/** Texts for `npm test`: repetition, and openings without an end. */
export function fewShapes({ tokens, samples }: ForeignReader): Shape[] {
  return withinSamples([...runs(tokens), ...nearMisses(tokens, [' '])], samples);
}

/** All of them: also every pair of tokens, in turn and nested, and ever new names between two tokens. */
export function allShapes({ tokens, samples }: ForeignReader): Shape[] {
  return withinSamples(
    [...runs(tokens), ...nearMisses(tokens, [' ', 'a', '\n']), ...pairs(tokens), ...numbered(tokens)],
    samples,
  );
}

export function accepted(sample: string): string {
  return sample.replace(hole, '');
}

function runs(tokens: readonly string[]): Shape[] {
  return [...new Set([...tokens, ...fillers])].map((token) => ({
    name: `${JSON.stringify(token)} repeated`,
    make: (size) => filled(token, size),
  }));
}

function nearMisses(tokens: readonly string[], between: readonly string[]): Shape[] {
  return tokens.flatMap((token) =>
    between
      .filter((filler) => filler !== token)
      .flatMap((filler) => [
        {
          name: `${JSON.stringify(token)} before a run of ${JSON.stringify(filler)}`,
          make: (size: number) => token + filled(filler, size - token.length),
        },
        {
          name: `${JSON.stringify(token)} after a run of ${JSON.stringify(filler)}`,
          make: (size: number) => filled(filler, size - token.length) + token,
        },
      ]),
  );
}

function pairs(tokens: readonly string[]): Shape[] {
  return tokens.flatMap((first) =>
    tokens
      .filter((second) => second !== first)
      .flatMap((second) => [
        {
          name: `${JSON.stringify(first)} and ${JSON.stringify(second)} in turn`,
          make: (size: number) => filled(first + second, size),
        },
        {
          name: `${JSON.stringify(first)} repeated, then ${JSON.stringify(second)}`,
          make: (size: number) => {
            const count = Math.max(0, size) / (first.length + second.length);
            return first.repeat(count) + second.repeat(count);
          },
        },
        {
          name: `${JSON.stringify(first)} with "a" and ${JSON.stringify(second)}`,
          make: (size: number) => filled(`${first}a${second}`, size),
        },
      ]),
  );
}

/** Many columns, keys, names: nothing comes twice. */
function numbered(tokens: readonly string[]): Shape[] {
  return tokens.map((token) => ({
    name: `new names between ${JSON.stringify(token)}`,
    make: (size) => {
      const parts: string[] = [];
      for (let index = 0, length = 0; length < size; index += 1) {
        const part = `k${index}${token}`;
        parts.push(part);
        length += part.length;
      }
      return parts.join('');
    },
  }));
}

function withinSamples(shapes: readonly Shape[], samples: readonly string[]): Shape[] {
  const around = samples
    .map((sample) => sample.split(hole))
    .filter((parts): parts is [string, string] => parts.length === 2);
  return [
    ...shapes,
    ...around.flatMap(([before, after]) =>
      shapes.map(({ name, make }) => ({
        name: `${name}, in ${JSON.stringify(short(before) + hole + short(after))}`,
        make: (size: number) => before + make(Math.max(0, size - before.length - after.length)) + after,
      })),
    ),
  ];
}

function filled(token: string, size: number): string {
  return token.repeat(Math.max(0, Math.floor(size / token.length)));
}

function short(text: string): string {
  return text.length > 30 ? `${text.slice(0, 14)}..${text.slice(-14)}` : text;
}
