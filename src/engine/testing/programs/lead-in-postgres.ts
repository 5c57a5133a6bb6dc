import { openPostgresCoordination } from '../../coordination/postgres.ts';

/** Takes the lead under `/leader`, shows itself under `/here/program`, says its fence, and stays until it is killed. */
const [url = '', sessionTimeoutMs = ''] = process.argv.slice(2);
// The parent process holds the other end: we end with it.
process.stdin.on('close', () => process.exit()).resume();
const tree = await openPostgresCoordination({ url, sessionTimeoutMs: Number(sessionTimeoutMs) });
const session = await tree.openSession('program');
await session.create('/here/program', 'alive', { ephemeral: true });
const hold = await session.hold('/leader', 'program');
process.stdout.write(`${hold.fence}\n`);
