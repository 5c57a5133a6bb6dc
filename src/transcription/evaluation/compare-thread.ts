/** A thread that compares texts: two long ones that differ much take seconds. */
import { answerInThread } from '../../engine/process/in-thread.ts';
import { compareTexts } from './compare.ts';
import type { ComparedPage, TextsToCompare } from './compare-apart.ts';

await answerInThread(({ pages, normalisation }: TextsToCompare): ComparedPage[] =>
  pages.map(({ name, truth, found }) => ({ name, ...compareTexts(truth, found, normalisation) })),
);
