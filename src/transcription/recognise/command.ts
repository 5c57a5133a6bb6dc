import { findIsolation } from '../../engine/processor/command/isolation.ts';
import { runOnFiles } from '../../engine/processor/command/program-on-files.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import { resultFiles } from '../formats/output-formats.ts';
import { files } from '../page/files.ts';
import { reasonOf } from '../page/job-page.ts';
import { type Page, page } from '../page/page.ts';
import { readAlto } from './alto.ts';
import type { RecogniseConfig } from './config.ts';
import { readHocr } from './read-hocr.ts';
import type { Recogniser } from './recogniser.ts';

/**
 * Any program as a recogniser. It reads the image from `in/image` and the regions from `in/layout.json`, and writes
 * `out/alto.xml`, `out/page.hocr` or `out/page.json`. The language is in its environment.
 */
export async function openCommandRecogniser(
  config: RecogniseConfig,
  stageFiles: ReadonlyMap<string, string>,
): Promise<Recogniser> {
  const isolation = await findIsolation(config);
  return {
    name: 'command',
    formats: ['png', 'jpeg', 'tiff'],
    describe: async () => config.COMMAND.split(/\s/)[0] ?? 'command',
    languages: async () => undefined,
    async recognise(image, { language, layout, signal, log }) {
      for (const note of isolation.notes) log(note);
      const given = new Map([['image', image]]);
      if (layout) given.set(files.layout, Buffer.from(JSON.stringify(layout)));
      const environment = { PISMAK_LANGUAGE: language };
      const run = { config, isolation, files: given, stageFiles, environment, signal, log };
      return { ...readAnswer(await runOnFiles(run)), language };
    },
    async close() {},
  };
}

/** XML takes about three times the space of our own format. */
const mostAnswerBytes = 64 * 1024 * 1024;

const readers: readonly [name: string, read: (text: string) => Page][] = [
  [files.page, (text) => page.parse(JSON.parse(text))],
  [resultFiles.hocr, (text) => readHocr(text)],
  [resultFiles.alto, (text) => readAlto(text)],
];

function readAnswer(written: ReadonlyMap<string, Uint8Array>): Page {
  for (const [name, read] of readers) {
    const content = written.get(name);
    if (!content) continue;
    if (content.length > mostAnswerBytes) {
      const megabytes = Math.ceil(content.length / 1024 / 1024);
      throw new PermanentFailure(`the program wrote ${megabytes} MB to out/${name}; the limit is 64 MB`);
    }
    try {
      return read(Buffer.from(content).toString());
    } catch (error) {
      throw new PermanentFailure(`the program wrote an invalid out/${name}: ${reasonOf(error)}`);
    }
  }
  const names = readers.map(([name]) => `out/${name}`);
  throw new PermanentFailure(`the program wrote no result; it must write one of ${names.join(', ')}`);
}
