import assert from 'node:assert/strict';
import { putFor } from '../../engine/testing/put-for.ts';
import { type MakeOwnedThing, seenOnlyByOwner } from '../../server/testing/owned-things.ts';
import type { Answer, RunningServer } from '../../server/testing/running-server.ts';
import { mailQueries } from '../database/tables.ts';
import { storeType } from '../types/mail-types.ts';

const type = { sender: 'shop@example.org', subject: 'x', template: 'x' };

/** Makes an owned thing for every operation of this house that works on one. */
export const ownedThings: Record<string, MakeOwnedThing> = {
  'mail.send': async (server, owner, tag) => {
    await makeType(server, tag);
    return {
      input: { type: `type${tag}`, to: 'anna@example.org' },
      async own({ body }: Answer) {
        const row = await mailQueries(server.engine)
          .selectFrom('mail_mail')
          .select('owner')
          .where('id', '=', body.id)
          .executeTakeFirst();
        assert.equal(row?.owner, owner.name, 'a mail belongs to who sent it');
      },
    };
  },
  'mail.ls': async (server, owner, tag) => {
    await makeMail(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`to${tag}@example.org`) };
  },
  'mail.show': async (server, owner, tag) => ({ input: { mail: await makeMail(server, owner, tag) } }),
  'mail.cancel': async (server, owner, tag) => ({ input: { mail: await makeMail(server, owner, tag) } }),
  'mail.resend': async (server, owner, tag) => {
    const mail = await makeMail(server, owner, tag);
    await mailQueries(server.engine)
      .updateTable('mail_mail')
      .set({ state: 'failed' })
      .where('id', '=', mail)
      .execute();
    return { input: { mail } };
  },
  'campaign.create': async (server, owner, tag) => {
    await makeType(server, tag);
    const audience = [`csv:${await makeAudience(server, owner)}`];
    return { input: { name: `campaign${tag}`, type: `type${tag}`, audience }, foreign: noBlob };
  },
  'campaign.ls': async (server, owner, tag) => {
    await makeCampaign(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`campaign${tag}`) };
  },
  'campaign.show': async (server, owner, tag) => ({
    input: { campaign: await makeCampaign(server, owner, tag) },
  }),
  'campaign.try': async (server, owner, tag) => ({
    input: { campaign: await makeCampaign(server, owner, tag) },
  }),
  'campaign.test': async (server, owner, tag) => ({
    input: { campaign: await makeCampaign(server, owner, tag), to: ['me@example.org'] },
  }),
  'campaign.start': async (server, owner, tag) => ({
    input: { campaign: await makeCampaign(server, owner, tag) },
  }),
  'campaign.cancel': async (server, owner, tag) => ({
    input: { campaign: await makeCampaign(server, owner, tag) },
  }),
  'campaign.retry': async (server, owner, tag) => ({
    input: { campaign: await makeCampaign(server, owner, tag) },
  }),
  'campaign.pause': async (server, owner, tag) => {
    const campaign = await makeCampaign(server, owner, tag);
    await server.call('campaign.start', { campaign }, owner);
    return { input: { campaign } };
  },
  'campaign.resume': async (server, owner, tag) => {
    const campaign = await makeCampaign(server, owner, tag);
    await server.call('campaign.start', { campaign }, owner);
    await server.call('campaign.pause', { campaign }, owner);
    return { input: { campaign } };
  },
};

type Owner = { name: string; key: string };

async function makeType({ engine }: RunningServer, tag: string): Promise<void> {
  await storeType(engine, { ...type, code: `type${tag}` });
}

async function makeMail(server: RunningServer, owner: Owner, tag: string): Promise<string> {
  await makeType(server, tag);
  const { body } = await server.call('mail.send', { type: `type${tag}`, to: `to${tag}@example.org` }, owner);
  return body.id;
}

async function makeAudience({ engine }: RunningServer, { name }: Owner): Promise<string> {
  const { hash } = await putFor(engine, name, Buffer.from(`email,name\nanna@example.org,${name}\n`));
  return hash;
}

async function makeCampaign(server: RunningServer, owner: Owner, tag: string): Promise<string> {
  await makeType(server, tag);
  const audience = [`csv:${await makeAudience(server, owner)}`];
  const { body } = await server.call(
    'campaign.create',
    { name: `campaign${tag}`, type: `type${tag}`, audience },
    owner,
  );
  return body.id;
}

function noBlob({ status, body }: Answer): void {
  assert.deepEqual([status, body.error?.code], [404, 'blob-missing']);
}
