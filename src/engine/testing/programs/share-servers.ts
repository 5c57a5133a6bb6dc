/** Shares servers as a test run does, says how to find them, and goes on until it is killed. */
import { shareServers } from '../servers/shared.ts';

await shareServers();
console.log(process.env.SHARED_TEST_SERVERS);
setInterval(() => {}, 60_000);
