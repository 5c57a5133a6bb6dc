import { InvalidArgumentError } from 'commander';

/** Parses an option that accepts only these words. */
export function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`it must be one of ${words.join(', ')}.`);
  };
}
