import { readFile } from 'node:fs/promises';
import { messageOf } from '../../engine/ground/errors.ts';
import { defineProcessor, type Setup } from '../../engine/processor/processor.ts';
import { readPage, writePage } from '../page/job-page.ts';
import { applyDictionary } from './apply-dictionary.ts';
import { applyRules } from './apply-rules.ts';
import { parseCorrectConfig } from './config.ts';
import { createDictionary } from './dictionary.ts';
import { parseRules } from './rules.ts';

/** Corrects words by rules and a dictionary. Their boxes stay. */
export default defineProcessor(async (setup) => {
  const { rulesFile, dictionaryFile, certain, timeLimitMs, ...config } = parseCorrectConfig(setup.config);
  const rules = [...config.rules, ...(rulesFile === '' ? [] : await rulesOf(setup, rulesFile))];
  const dictionary =
    dictionaryFile === ''
      ? undefined
      : createDictionary(await readFile(await setup.file(dictionaryFile), 'utf8'));
  return async (job) => {
    const page = await readPage(job);
    const { changes, tooSlow } = applyRules(page, rules, timeLimitMs);
    const corrected = dictionary === undefined ? 0 : applyDictionary(page, dictionary, certain);
    for (const { line } of tooSlow) {
      job.log(
        `the rule in line ${line} took longer than ${timeLimitMs / 1000} s and was skipped on this page`,
      );
    }
    job.log(`words changed by rules: ${changes}, by the dictionary: ${corrected}`);
    if (changes + corrected > 0) await writePage(job, page);
  };
});

async function rulesOf(setup: Setup, name: string) {
  const text = await readFile(await setup.file(name), 'utf8');
  try {
    return parseRules(text);
  } catch (error) {
    throw new Error(`${name}, ${messageOf(error)}`);
  }
}
