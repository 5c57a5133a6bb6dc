import { HostProcess } from '../../processor/host-process.ts';
import { findSandbox, sandboxPlan } from '../../processor/sandbox.ts';
import { systemClock } from '../../time/clock.ts';

/** Starts a processor process in a sandbox, prints its id when it is ready, and waits. */
const [directory = ''] = process.argv.slice(2);
const parts = { data: `${directory}/data`, blobsUrl: `directory:${directory}/data/blobs`, modules: [] };
const sandbox = await findSandbox(sandboxPlan({ ...parts, cacheDirectory: `${directory}/data/cache` }));
if ('fault' in sandbox) throw new Error(sandbox.fault);
const inputs = `${directory}/data/cache/inputs`;
const host = new HostProcess({ clock: systemClock, heapMb: 100, network: false, sandbox, inputs });
const outer = host.pid;
setInterval(() => {
  // Before it is ready, its id is that of the program that confines it.
  if (outer !== undefined && host.pid !== outer) {
    process.stdout.write(`${host.pid}\n`);
    process.stdout.write = () => true;
  }
}, 20);
