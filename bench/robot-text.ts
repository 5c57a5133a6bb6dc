/**
 * How well and how fast the robot makes text: `npm run bench -- robot-text [--rounds 5] [--folds 5] [--train] [--json FILE]`.
 * Data comes from directories named in the environment; what is not named is left out:
 * PISMAK_PAGES (HTML pages; by default those of two Debian packages), PISMAK_ARTICLES (pages and their main text, as in Scrapinghub's
 * article-extraction benchmark), PISMAK_LANGUAGES (cs.txt, sk.txt...), PISMAK_ROBOTS_CASES (Google's robotstxt-spec-test).
 * `--train` fits the model of the main text to all articles and writes it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileModel } from '../src/robot/text/main-text/tree-model.ts';
import { type Comparable, more } from './comparable.ts';
import { f1Of, readArticles, scoreOf } from './robot-text/articles.ts';
import { measureCleaner, readPages } from './robot-text/cleaner-part.ts';
import { measureLanguages } from './robot-text/language-part.ts';
import {
  crossValidate,
  fitModel,
  mainTextOf,
  sampleOf,
  scoreSample,
} from './robot-text/main-text-training.ts';
import { measureRobots } from './robot-text/robots-part.ts';
import { printMarkdown, printTargets, type Target } from './transcription/report.ts';

const wanted = {
  megabytesPerSecond: 60,
  f1: 0.95,
  languages: { cs: 0.93, sk: 0.99 } as Record<string, number>,
};
const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    folds: { type: 'string', default: '5' },
    train: { type: 'boolean', default: false },
    // There are no peers: for `bench -- compare`, which says so to all.
    alone: { type: 'boolean', default: false },
  },
});
const { PISMAK_PAGES, PISMAK_ARTICLES, PISMAK_LANGUAGES, PISMAK_ROBOTS_CASES } = process.env;
const targets: Target[] = [];
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const speeds = measureCleaner(readPages(PISMAK_PAGES), Number(values.rounds));
console.log('\nCleaner, one thread\n');
printMarkdown([
  ['work', 'pages', 'MB', 'MB/s'],
  ...speeds.map(({ work, pages, megabytes, perSecond }) => [
    work,
    String(pages),
    megabytes.toFixed(1),
    perSecond.toFixed(0),
  ]),
]);
const comparable: Comparable[] = speeds.map(({ work, perSecond }) => more(`${work}, MB/s`, perSecond));
const cleaner = speeds[0]?.perSecond ?? 0;
targets.push({
  name: 'cleaner, text and links',
  wanted: `at least ${wanted.megabytesPerSecond} MB/s`,
  measured: `${cleaner.toFixed(0)} MB/s`,
  reached: cleaner >= wanted.megabytesPerSecond,
});

let mainText: object | undefined;
if (PISMAK_ARTICLES !== undefined) {
  const samples = readArticles(PISMAK_ARTICLES).map(sampleOf);
  if (values.train) {
    const file = join(import.meta.dirname, '..', 'src', 'robot', 'text', 'main-text', 'main-text.trees');
    const model = fitModel(samples);
    await writeFile(file, JSON.stringify(model));
    console.log(
      `\nwrote ${file}: ${f1Of(samples.map((sample) => scoreSample(sample, compileModel(model)))).f1.toFixed(4)} on its own pages`,
    );
  }
  const heldOut = crossValidate(samples, Number(values.folds));
  const shipped = f1Of(samples.map((sample) => scoreOf(mainTextOf(sample), sample.article.truth)));
  const allText = f1Of(samples.map((sample) => scoreOf(sample.texts.join('\n'), sample.article.truth)));
  mainText = { heldOut, shipped, allText };
  console.log(`\nMain text, ${samples.length} pages\n`);
  printMarkdown([
    ['', 'precision', 'recall', 'F1'],
    ...Object.entries({
      [`held out, ${values.folds} folds`]: heldOut,
      'shipped model (fitted to pages like these)': shipped,
      'all text': allText,
    }).map(([name, { precision, recall, f1 }]) => [
      name,
      precision.toFixed(3),
      recall.toFixed(3),
      f1.toFixed(3),
    ]),
  ]);
  targets.push({
    name: 'main text, held out',
    wanted: `F1 at least ${wanted.f1}`,
    measured: heldOut.f1.toFixed(3),
    reached: heldOut.f1 >= wanted.f1,
  });
}

const languages = PISMAK_LANGUAGES === undefined ? [] : measureLanguages(PISMAK_LANGUAGES);
if (languages.length > 0) {
  console.log('\nLanguage of single sentences\n');
  printMarkdown([
    ['language', 'sentences', 'right', 'taken for'],
    ...languages.map(({ language, lines, right, wrong }) => [
      language,
      String(lines),
      percent(right / lines),
      Object.entries(wrong)
        .map(([other, count]) => `${other || 'none'} ${count}`)
        .join(', '),
    ]),
  ]);
  for (const { language, lines, right } of languages) {
    const least = wanted.languages[language];
    if (least === undefined) continue;
    targets.push({
      name: `language ${language}`,
      wanted: `at least ${percent(least)}`,
      measured: percent(right / lines),
      reached: right / lines >= least,
    });
  }
}

const robots = PISMAK_ROBOTS_CASES === undefined ? undefined : measureRobots(PISMAK_ROBOTS_CASES);
if (robots !== undefined) {
  for (const line of robots.wrong) console.log(line);
  targets.push({
    name: 'robots.txt cases',
    wanted: `all ${robots.cases}`,
    measured: String(robots.right),
    reached: robots.right === robots.cases,
  });
}

printTargets(targets);
if (values.json)
  await writeFile(
    values.json,
    `${JSON.stringify({ speeds, mainText, languages, robots, targets, comparable }, null, 2)}\n`,
  );
