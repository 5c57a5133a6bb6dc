import { z } from 'zod';

/**
 * The recognised text of a page, from which every format is written. Coordinates are in pixels of the recognised image; `export`
 * maps them to the owner's image.
 */
export const box = z.object({
  left: z.int().nonnegative(),
  top: z.int().nonnegative(),
  width: z.int().nonnegative(),
  height: z.int().nonnegative(),
});

/** How sure the recogniser is, from 0 to 1. */
const confidence = z.number().min(0).max(1);

const word = z.object({ text: z.string(), box, confidence: confidence.optional() });

const line = z.object({
  box,
  /** Points of the baseline from left to right. */
  baseline: z.array(z.object({ x: z.int(), y: z.int() })).optional(),
  /** Empty while only the layout is known. */
  words: z.array(word),
  /** The mean of its words. */
  confidence: confidence.optional(),
});

/** Limits on a table, because formats write all its cells, empty ones too. */
export const mostRows = 2000;
export const mostColumns = 100;

/** Lines that belong together. Plain text has an empty line between paragraphs. */
const paragraph = z.object({
  box,
  lines: z.array(line),
  /** In a table: its row and column, counted from 0; for a spanning cell, the first ones. */
  cell: z
    .object({
      row: z
        .int()
        .min(0)
        .max(mostRows - 1),
      column: z
        .int()
        .min(0)
        .max(mostColumns - 1),
      /** Rows and columns that it spans; default: 1. */
      rowSpan: z.int().min(1).max(mostRows).optional(),
      columnSpan: z.int().min(1).max(mostColumns).optional(),
    })
    .optional(),
});

/** The paragraphs of a table are its cells, row by row; empty cells are left out. */
const region = z.object({
  kind: z.enum(['text', 'image', 'table', 'separator']),
  box,
  paragraphs: z.array(paragraph),
});

/** Limit on the file of a page. A newspaper page of 30,000 words has 3 MB. */
export const mostPageBytes = 16 * 1024 * 1024;

/** Checks a page that comes from outside, such as `page.json`. */
export const page = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  dpi: z.number().positive().optional(),
  /** Tesseract language names, joined with `+`. */
  language: z.string().optional(),
  /** Degrees to turn the image clockwise to make it upright, if it isn't. */
  turn: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]).optional(),
  /** The mean of its words. */
  confidence: confidence.optional(),
  /** What was done to the image before it was read. */
  steps: z.array(z.string()).optional(),
  /** The recogniser and its version, for the metadata of every format. */
  producer: z.string().optional(),
  /** The sheet, if the image shows more than the sheet. */
  border: box.optional(),
  /** Ink that looks like text but was not read: its amount in lines of usual width, and its boxes. */
  unread: z.object({ lines: z.int().positive(), boxes: z.array(box).max(50) }).optional(),
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
