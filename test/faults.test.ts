import assert from 'node:assert/strict';
import { test } from 'node:test';
import { survivedFaults, surviveFaults } from './faults/survive-faults.ts';

test('on servers, what dies while requests are under way costs no request: worker, producer, RabbitMQ node, ZooKeeper leader', {
  timeout: 420_000,
}, async (t) => {
  const figures = await surviveFaults({
    faults: ['worker', 'publisher', 'rabbitmq', 'zookeeper'],
    requests: 50,
    everyMs: 200,
    seed: 1,
    repair: false,
    say: (line) => t.diagnostic(line),
  });
  const { balance, collected, deposed } = figures;
  assert.ok(survivedFaults(figures), JSON.stringify({ balance, collected, deposed }));
  assert.ok(balance.sent >= 50);
});
