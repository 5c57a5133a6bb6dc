import { InvalidArgumentError } from 'commander';
import { commaList } from '../../terminal/options/option-values.ts';
import type { Format } from '../page/order.ts';
import { endings } from './save-results.ts';

export const formatNames = Object.keys(endings).join(', ');

/** The value of `--formats`. */
export function readFormats(text: string): Format[] {
  const named = commaList(text.toLowerCase());
  if (named.length === 0) throw new InvalidArgumentError(`name at least one of: ${formatNames}.`);
  const unknown = named.find((name) => !isFormat(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`unknown format ${unknown}; use ${formatNames}.`);
  return named.filter(isFormat);
}

function isFormat(name: string): name is Format {
  return Object.hasOwn(endings, name);
}
