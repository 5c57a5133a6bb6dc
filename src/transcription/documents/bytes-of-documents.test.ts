import assert from 'node:assert/strict';
import { test } from 'node:test';
import { own } from '../../engine/blob-owners/blob-owners.ts';
import { bothDatabases } from '../../engine/testing/both-databases.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { documentQueries } from '../database/database.ts';
import { migrations } from '../database/migrations.ts';
import { isInDocument } from './bytes-of-documents.ts';

const uuid = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';

for (const { name, open } of await bothDatabases()) {
  test(`${name}: only the owner of a document may use its bytes`, async (t) => {
    const parts = await open(t, systemClock);
    await parts.database.migrate(migrations);
    const query = documentQueries(parts);
    const { hash } = await parts.blobs.put(Buffer.from('a page'));
    const document = { id: uuid, owner: 'anna', subject: 'user:anna', name: 'd', state: 'open', priority: 0 };
    const order = { pipeline: 'p', language: 'ces', formatsJson: '[]', again: 0, textLayer: null };
    const times = { webhook: null, resumed: 0, createdAt: 0, submittedAt: null, endedAt: null };
    const figures = { nameKey: 'd', pageCount: 0, withoutText: 0, meanConfidence: -1 };
    await query
      .insertInto('transcription_document')
      .values({ ...document, ...order, ...times, ...figures })
      .execute();
    await own(query, hash, `document:${uuid}`, 0);
    assert.equal(await isInDocument(query, 'anna', hash), true);
    assert.equal(await isInDocument(query, 'bert', hash), false);
  });
}
