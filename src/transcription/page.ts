import { z } from 'zod';

/** What was read on a page, in pixels of the image that was read. Every format is written from this. */
const box = z.object({
  left: z.int().nonnegative(),
  top: z.int().nonnegative(),
  width: z.int().nonnegative(),
  height: z.int().nonnegative(),
});

/** 0 to 1: how sure the recogniser is. */
const confidence = z.number().min(0).max(1);

const word = z.object({ text: z.string(), box, confidence: confidence.optional() });

const line = z.object({
  box,
  /** Points of the baseline from left to right. */
  baseline: z.array(z.object({ x: z.int(), y: z.int() })).optional(),
  /** Empty as long as only the layout is known. */
  words: z.array(word),
});

/** Lines that belong together; between paragraphs the plain text has an empty line. */
const paragraph = z.object({ box, lines: z.array(line) });

const region = z.object({
  kind: z.enum(['text', 'image', 'table', 'separator']),
  box,
  paragraphs: z.array(paragraph),
});

/** Checks a page that comes from outside, such as `page.json`. */
export const page = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  dpi: z.number().positive().optional(),
  /** As Tesseract names them, joined with `+`. */
  language: z.string().optional(),
  /** Who read it, with version: goes into the metadata of every format. */
  producer: z.string().optional(),
  /** In reading order. */
  regions: z.array(region),
});

/** A rectangle, in pixels. */
export type Box = z.infer<typeof box>;
/** One word and where it stands. */
export type Word = z.infer<typeof word>;
/** One line of words. */
export type Line = z.infer<typeof line>;
/** Lines that belong together. */
export type Paragraph = z.infer<typeof paragraph>;
/** A part of the page: text, an image, a table, a separator. */
export type Region = z.infer<typeof region>;
/** Everything that was read on a page. */
export type Page = z.infer<typeof page>;
