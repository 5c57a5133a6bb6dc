import { version } from '../../engine/version.ts';

/** What the formats say of a page besides what was read on it. */
export interface About {
  /** Of the image, as its owner knows it. */
  name: string;
  /** Within its document, from 1. */
  number: number;
  created: Date;
}

/** The program that wrote the file; who read the page stands beside it. */
export const writer = { name: 'Pismak', version };

export function creator(producer: string | undefined): string {
  return producer === undefined ? `${writer.name} ${version}` : `${writer.name} ${version}; ${producer}`;
}
