import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installedRecognisers } from './installed.ts';

const here = (config: string, files: string[] = []) => installedRecognisers(config, files, 0);

test('each recogniser that a stage uses on this machine is named, with version, models and languages', async () => {
  const [tesseract = '', pismak = '', ...none] = await here('', ['chronicle.traineddata']);
  assert.match(tesseract, /^tesseract \d+\.\d\S*: models .*ces, chronicle/);
  assert.match(pismak, /^pismak \(onnxruntime \d\S+\): model print [0-9a-f]{8} for Fraktur, ces, .*slk$/);
  assert.deepEqual(none, [], 'tesseract.js is not used where Tesseract is installed');
  assert.match(
    (await here('ENGINE = tesseract.js')).join(),
    /^tesseract\.js \d\S*: models ces, deu, eng, slk$/,
  );
  const own = await here('ENGINE = pismak\nMODEL = mine', ['mine.int8.onnx', 'mine.json']);
  assert.match(own.join(), /^pismak \(.*\): model mine of the stage for /);
  const secret = await here('ENGINE = command\nCOMMAND = read --key secret');
  assert.doesNotMatch(secret.join(), /secret/);
});

test('a recogniser that can not be used says why', async (t) => {
  const before = process.env.TESSDATA_PREFIX;
  t.after(() => {
    if (before === undefined) delete process.env.TESSDATA_PREFIX;
    else process.env.TESSDATA_PREFIX = before;
  });
  process.env.TESSDATA_PREFIX = '/nowhere';
  const [tesseract] = await here('ENGINE = tesseract');
  assert.match(tesseract ?? '', /^tesseract can't be used: TESSDATA_PREFIX is \/nowhere/);
});
