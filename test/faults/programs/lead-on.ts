/**
 * A leader that notices nothing: it writes under its leadership as long as it is let. Its clock stands still while it is
 * stopped, as that of a virtual machine does, so only the servers can tell it that its time is over.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { openZookeeperCoordination } from '../../../src/engine/coordination/zookeeper.ts';
import { PismakError } from '../../../src/engine/ground/errors.ts';
import type { Clock } from '../../../src/engine/time/clock.ts';

const [url = '', name = '', sessionTimeoutMs = '', path = ''] = process.argv.slice(2);
process.stdin.on('close', () => process.exit()).resume();

const tickMs = 20;
let livedMs = 0;
const timers = new Set<{ at: number; callback: () => void }>();
setInterval(() => {
  livedMs += tickMs;
  for (const timer of timers) {
    if (timer.at > livedMs) continue;
    timers.delete(timer);
    timer.callback();
  }
}, tickMs);
const clock: Clock = {
  now: () => livedMs,
  after(ms, callback) {
    const timer = { at: livedMs + ms, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  },
};

const tree = await openZookeeperCoordination({ url, clock, sessionTimeoutMs: Number(sessionTimeoutMs) });
const session = await tree.openSession(name);
const hold = await session.hold(`${path}/leader`, name);
for (let said = false; ; ) {
  try {
    await session.set(`${path}/written`, name, { under: hold });
    if (!said) process.stdout.write(`leads with fence ${hold.fence}\n`);
    said = true;
  } catch (error) {
    if (!(error instanceof PismakError)) throw error;
    // After `unavailable` nobody knows whether that was written: only an answer is one.
    if (error.code !== 'unavailable') {
      process.stdout.write(`refused: ${error.code}: ${error.message}\n`);
      break;
    }
  }
  await wait(50);
}
