import { extname } from 'node:path';

/** The name of one page of a spread: `book.pdf` becomes `book-left.pdf`. */
export function halfName(name: string, side: 'left' | 'right'): string {
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)}-${side}${extension}`;
}
