import type { ImageLimits } from '../../image/image-limits.ts';
import type { Page } from '../../page/page.ts';
import type { View } from '../../views/views.ts';

/** A file of several pages, or of a format that must be decoded to be checked. */
export interface PageFile {
  path: string;
  format: 'pdf' | 'tiff' | 'jp2' | 'png' | 'jpeg' | 'webp';
  /** Use the text layer of a PDF. */
  textLayer: boolean;
  /** Resolution for PDF pages that are not scans. */
  dpi: number;
  maxPages: number;
  limits: ImageLimits;
}

/** What the process that opens foreign files is asked. */
export type Question =
  | { kind: 'count'; file: PageFile }
  /** Page number `index`, counted from 0; its image goes to the new file `to`. */
  | { kind: 'page'; file: PageFile; index: number; to: string }
  /** All of the image is there; it is used as it is. */
  | { kind: 'check'; file: PageFile }
  /** Writes the views of an image as new files. */
  | { kind: 'views'; image: string; to: Readonly<Record<View, string>>; limits: ImageLimits }
  | { kind: 'close' };

export type Answer = { pages: number } | { page: PageFacts } | { done: true };

export interface PageFacts {
  width: number;
  height: number;
  dpi?: number;
  hasText?: boolean;
  text?: Page;
}
