import assert from 'node:assert/strict';
import { putFor } from '../../engine/testing/put-for.ts';
import {
  type MakeOwnedThing,
  makePipeline,
  type OwnedThing,
  seenOnlyByOwner,
} from '../../server/testing/owned-things.ts';
import type { Answer, RunningServer } from '../../server/testing/running-server.ts';
import { documentQueries } from '../database/database.ts';
import { resultFiles } from '../formats/output-formats.ts';
import { createTextIndex } from '../search/text-index.ts';

/** Makes an owned thing for every operation of this house that works on one. */
export const ownedThings: Record<string, MakeOwnedThing> = {
  'document.create': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: { name: `document${tag}`, pipeline: `${owner.name}/pipeline${tag}` }, foreign: ofCaller };
  },
  'document.add': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    return { input: { document, name: 'another', hash: await storedHash(server, owner, 'another') } };
  },
  'document.submit': anyDocument,
  'document.retry': anyDocument,
  'document.cancel': anyDocument,
  'document.resume': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    assert.equal((await server.call('document.cancel', { document }, owner)).status, 200);
    return { input: { document } };
  },
  'document.delete': anyDocument,
  'document.show': anyDocument,
  'document.sources': anyDocument,
  'document.pages': anyDocument,
  'document.results': anyDocument,
  'document.text': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    await makePage(server, owner, document);
    return { input: { document, page: 1 } };
  },
  'document.keywords': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    const word = { document, owner: owner.name, key: `word${tag}`, word: `word${tag}`, count: 1, pages: 1 };
    await documentQueries(server.engine).insertInto('transcription_keyword').values(word).execute();
    return { input: {}, ...seenOnlyByOwner(`word${tag}`) };
  },
  'document.ls': async (server, owner, tag) => {
    await makeDocument(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`document${tag}`) };
  },
  'document.page': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    await makePage(server, owner, document);
    return { input: { document, page: 1 } };
  },
  'document.evaluate': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    const page = await makePage(server, owner, document);
    const hash = await storedHash(server, owner, 'a secret');
    const file = { page, name: resultFiles.txt, hash, size: 8 };
    await documentQueries(server.engine).insertInto('transcription_pageFile').values(file).execute();
    return { input: { document, truth: [{ page: 1, text: 'secret' }] } };
  },
  'search.text': async (server, owner, tag) => {
    const document = await makeDocument(server, owner, tag);
    await makePage(server, owner, document);
    return { input: { words: 'secret' }, ...seenOnlyByOwner(document) };
  },
  'usage.ls': async (server, { name }, tag) => {
    const row = { subject: `user:${name}`, owner: name, month: '2026-01', pages: 1, bytes: 1 };
    await documentQueries(server.engine).insertInto('transcription_usage').values(row).execute();
    return { input: {}, ...seenOnlyByOwner(`anna${tag}`) };
  },
  'usage.show': async (server, owner) => {
    const shown = await server.call('usage.show', {}, owner);
    return { input: {}, ...seenOnlyByOwner(shown.body.owner) };
  },
};

async function makeDocument(
  server: RunningServer,
  owner: { name: string; key: string },
  tag: string,
): Promise<string> {
  await makePipeline(server, owner, tag);
  const input = { name: `document${tag}`, pipeline: `${owner.name}/pipeline${tag}` };
  const document = (await server.call('document.create', input, owner)).body.id;
  const source = { document, name: 'source', hash: await storedHash(server, owner, `source${tag}`) };
  assert.equal((await server.call('document.add', source, owner)).status, 200);
  return document;
}

async function anyDocument(
  server: RunningServer,
  owner: { name: string; key: string },
  tag: string,
): Promise<OwnedThing> {
  return { input: { document: await makeDocument(server, owner, tag) } };
}

async function makePage(
  { engine }: RunningServer,
  owner: { name: string },
  document: string,
): Promise<string> {
  const page = { id: crypto.randomUUID(), document, source: 'source', position: 1, name: 'page' };
  const query = documentQueries(engine);
  await query
    .insertInto('transcription_page')
    .values({
      ...page,
      part: null,
      state: 'done',
      hash: null,
      size: 0,
      textHash: null,
      textSize: 0,
      error: null,
      log: '',
      request: null,
      generation: 1,
      reuseKey: null,
      createdAt: 0,
      endedAt: 0,
    })
    .execute();
  await createTextIndex(engine.database.withTables()).put(query, {
    page: page.id,
    document,
    owner: owner.name,
    text: 'a secret',
  });
  return page.id;
}

async function storedHash({ engine }: RunningServer, owner: { name: string }, text: string): Promise<string> {
  return (await putFor(engine, owner.name, Buffer.from(text))).hash;
}

/** Callers own what they create. */
function ofCaller({ body }: Answer): void {
  assert.match(body.owner, /^bert/);
}
