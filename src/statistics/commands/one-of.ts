import { InvalidArgumentError } from 'commander';

/** A reader of an option that takes one of some words. */
export function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`it must be one of ${words.join(', ')}.`);
  };
}
