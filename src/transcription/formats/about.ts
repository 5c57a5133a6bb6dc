import { version } from '../../engine/ground/version.ts';

/** Facts about a page that formats contain besides its text. */
export interface About {
  /** The owner's name for the page. */
  name: string;
  /** The file with the image, beside the results in the document's ZIP; default: the name. */
  image?: string;
  /** File name of the prepared image, if it is kept. */
  prepared?: string;
  /** The page number in its document, from 1. */
  number: number;
  created: Date;
}

/** The program that wrote the file. Formats name the recogniser next to it. */
export const writer = { name: 'Pismak', version };

export function creator(producer: string | undefined): string {
  return producer === undefined ? `${writer.name} ${version}` : `${writer.name} ${version}; ${producer}`;
}
