import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runServer } from '../../server/testing/running-server.ts';
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
