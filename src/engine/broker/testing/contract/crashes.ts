import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Broker, Delivery } from '../../broker.ts';
import { type Claim, drain, idsOf, numbered, publishAll, takeOne, text } from './scene.ts';

const rounds = 4;

export function crashClaims(claim: Claim): void {
  claim('kill -9 of a publisher at any moment loses no confirmed message', async (scene) => {
    await scene.broker.declare('letters');
    await scene.stop();
    const confirmed: string[] = [];
    for (const round of numbered('round', rounds)) {
      const child = scene.spawn('publish', 'letters', `${round}-`, '20');
      await child.said(randomInt(1, 2000));
      confirmed.push(...afterWord('confirmed', await child.kill()));
    }
    const broker = await scene.start();
    const found = await drainAll(broker);
    const ids = new Set(idsOf(found));
    assert.ok(confirmed.length > 0);
    const lost = confirmed.filter((id) => !ids.has(id));
    assert.deepEqual(lost, []);
    assert.ok(found.every((delivery) => text(delivery.body) === `body of ${delivery.id}`));
  });

  claim('kill -9 of a consumer loses no unacked message and brings back no acked one', async (scene) => {
    const ids = numbered('m', 3000);
    await scene.broker.declare('letters');
    await Promise.all(ids.map((id) => scene.broker.publish('letters', { id, body: new Uint8Array(100) })));
    await scene.stop();
    const said: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const child = scene.spawn('consume', 'letters', '10');
      await child.said(randomInt(1, 800));
      said.push(...(await child.kill()));
    }
    const broker = await scene.start();
    const left = new Set(idsOf(await drainAll(broker)));
    const acking = new Set(afterWord('acking', said));
    const acked = afterWord('acked', said);
    assert.ok(acked.length > 0);
    assert.equal(new Set(acked).size, acked.length, 'no acked message came twice');
    const cameAgain = acked.filter((id) => left.has(id));
    const lost = ids.filter((id) => !left.has(id) && !acking.has(id));
    assert.deepEqual({ cameAgain, lost }, { cameAgain: [], lost: [] });
  });

  claim('kill -9 charges an attempt to the running message and none to prefetched ones', async (scene) => {
    await scene.broker.declare('letters');
    await scene.broker.declare('marks');
    await publishAll(scene.broker, 'letters', numbered('m', 3));
    await scene.stop();
    for (const attempt of [1, 2]) {
      const child = scene.spawn('hold', 'letters', 'marks');
      assert.deepEqual(await child.said(1), [`m0 ${attempt}`]);
      await child.kill();
      await scene.setup.noticeKilled?.();
    }
    const broker = await scene.start();
    const attempts: Record<string, number> = {};
    for (let taken = 0; taken < 3; taken++) {
      const delivery = await takeOne(broker, 'letters');
      attempts[delivery.id] = delivery.attempt;
    }
    assert.deepEqual(attempts, { m0: 3, m1: 1, m2: 1 });
  });

  claim('what a killed consumer has begun says so, what none had does not', async (scene) => {
    await scene.broker.declare('letters');
    await scene.broker.declare('marks');
    await publishAll(scene.broker, 'letters', ['begun']);
    await scene.stop();
    const child = scene.spawn('hold', 'letters', 'marks');
    await child.said(1);
    await child.kill();
    await scene.setup.noticeKilled?.();
    const broker = await scene.start();
    await publishAll(broker, 'letters', ['new']);
    const begun: Record<string, boolean> = {};
    for (let taken = 0; taken < 2; taken++) {
      const { id, attempt, mayHaveBegun } = await takeOne(broker, 'letters');
      begun[id] = attempt + Number(mayHaveBegun) > 1;
    }
    assert.deepEqual(begun, { begun: true, new: false });
  });

  claim('a hundred megabytes more in the queue take no more memory', async (scene) => {
    await scene.broker.declare('letters');
    await scene.stop();
    const lines = await scene.spawn('fill', 'letters', '8000', '33000').said(2);
    const [few = [], many = []] = lines.map((line) => line.split(' ').map(Number));
    const [heap = 99, resident = 99] = many.map((bytes, index) => (bytes - (few[index] ?? 0)) / 1024 / 1024);
    // 25,000 bodies of 4 KB were added in between: less than 130 bytes may remain of each message.
    assert.ok(heap < 3, `the heap grew by ${heap} MB`);
    assert.ok(resident < 40, `the process grew by ${resident} MB`);
  });
}

async function drainAll(broker: Broker): Promise<Delivery[]> {
  return drain(broker, 'letters', (await broker.status('letters')).ready.normal, 50);
}

/** For each line that starts with `word`, the rest of it. */
function afterWord(word: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}
