import { InvalidArgumentError } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { type Format, formats, isFormat } from '../formats/output-formats.ts';

export const formatNames = formats.join(', ');

/** The value of `--formats`. */
export function readFormats(text: string): Format[] {
  const named = commaList(text.toLowerCase());
  if (named.length === 0) throw new InvalidArgumentError(`name at least one of: ${formatNames}.`);
  const unknown = named.find((name) => !isFormat(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`unknown format ${unknown}; use ${formatNames}.`);
  return named.filter(isFormat);
}

/** A format of a document, which a newer Pismak may have written. */
export function knownFormat(name: string): Format {
  if (isFormat(name)) return name;
  throw new PismakError('conflict', `this Pismak doesn't know the format ${name} of the document; update it`);
}
