import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../engine/ground/errors.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { closeInReverse } from '../../server/testing/close-in-reverse.ts';
import { runServer } from '../../server/testing/running-server.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import { checkLanguages } from './check-language.ts';
import { collectQueue, defaultPipeline } from './document.ts';

test('a language without a model is refused when the document is made, with the nearest that there is', async (t) => {
  const server = await runServer(t);
  const { pipelines, stages } = server.engine;
  await stages.create({ name: 'recognise', processor: 'recognise' }, 'test');
  await pipelines.create({ name: defaultPipeline, stages: ['recognise', collectQueue], owner: 'local' });
  const anna = await server.signUp('anna', 'user');
  const create = (language?: string) => server.call('document.create', { name: 'a', language }, anna);
  const { status, body } = await create('ces+deutsch');
  assert.equal(status, 400, JSON.stringify(body));
  assert.match(body.error.message, /no model for the language deutsch.*Installed: .*ces.*deu.*or `auto`/);
  assert.match((await create('cess')).body.error.message, /did you mean ces\?/);
  assert.equal((await create('ces+deu')).body.language, 'ces+deu');
  const { id, language } = (await create()).body;
  assert.equal(language, 'auto', 'nobody’s language is taken for granted');
  const again = await server.call('document.retry', { document: id, language: 'deu' }, anna);
  assert.match(again.body.error.message, /is open; wait until it is finished/);
});

test('workers on other machines tell which languages they read, so that others are refused at once', async (t) => {
  const scope = closeInReverse(t);
  const engine = await openTestEngine(scope);
  await engine.stages.create({ name: 'recognise', processor: 'recognise' }, 'test');
  await engine.pipelines.create({
    name: defaultPipeline,
    stages: ['recognise', collectQueue],
    owner: 'local',
  });
  const elsewhere: typeof engine = Object.create(engine, {
    settings: { value: { ...engine.settings, coordination: 'postgres://elsewhere' } },
  });
  const tried = () =>
    checkLanguages(elsewhere, defaultPipeline, 'ces+deutsch').then(() => undefined, messageOf);
  assert.equal(await tried(), undefined, 'no worker has said anything');
  await engine.workers.start();
  scope.after(() => engine.workers.close());
  const refusal = await eventually('the worker has told its languages', tried);
  assert.match(refusal, /no model for the language deutsch.*Installed: .*ces.*deu/);
  assert.equal(await checkLanguages(elsewhere, defaultPipeline, 'ces'), 'ces');
});
