import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startProgram } from '../testing/child-program.ts';
import { inContainer, withoutBubblewrap } from '../testing/narrow-machines.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { systemClock } from '../time/clock.ts';
import { HelperProcess } from './helper-process.ts';

async function listening(t: TestContext, server: Server, at: number | string): Promise<void> {
  await new Promise<void>((resolve) => server.listen(at, resolve));
  t.after(() => server.close());
}

/** What a decoder gets to see, started `through` another program. */
async function seenThrough(t: TestContext, through: readonly string[]) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(data, 'holder.json'), 'local token', { mode: 0o600 });
  // Another program's file and socket in /tmp, open to everybody.
  await chmod(directory, 0o755);
  const other = join(directory, 'other');
  await writeFile(other, 'of another program', { mode: 0o644 });
  const socket = join(directory, 'socket');
  await listening(t, createServer(), socket);
  const server = createServer();
  await listening(t, server, 0);
  const tries = {
    token: `read ${join(data, 'holder.json')}`,
    list: `list ${data}`,
    password: 'environment PASSWORD',
    file: `read ${other}`,
    write: `write ${join(directory, 'new')}`,
    accounts: 'read /etc/passwd',
    environment: `read /proc/${process.pid}/environ`,
    socket: `connect ${socket}`,
    port: `connect ${(server.address() as AddressInfo).port}`,
  };
  const [program = 'env', ...parameters] = through;
  const withPassword = ['env', 'PASSWORD=secret', program, ...parameters];
  const started = startProgram(t, 'spy-as-decoder', Object.values(tries), withPassword);
  const { hold, fault, seen } = JSON.parse(await started.line());
  const told = Object.entries(tries).map(([name, line]) => [name, seen[line]]);
  return { hold, fault, told: Object.fromEntries(told) };
}

const hidden = {
  token: 'ENOENT',
  list: 'ENOENT',
  password: 'unset',
  file: 'ENOENT',
  write: 'ENOENT',
  accounts: 'ENOENT',
  environment: 'ENOENT',
  socket: 'ENOENT',
};

test('a hostile decoder sees no token, password, file, socket or port of others', async (t) => {
  const { hold, told } = await seenThrough(t, []);
  const { port, ...rest } = told;
  assert.deepEqual({ hold, ...rest }, { hold: 'bubblewrap', ...hidden });
  assert.match(port, /ECONNREFUSED|ENETUNREACH/);
});

test('without bubblewrap a hostile decoder sees no more, for root and for another user', async (t) => {
  const other = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  for (const user of [[], other]) {
    const { hold, fault, told } = await seenThrough(t, [...(await withoutBubblewrap(t)), ...user]);
    const { port, ...rest } = told;
    assert.deepEqual({ hold, ...rest }, { hold: 'namespaces', ...hidden });
    assert.match(port, /ECONNREFUSED|ENETUNREACH/);
    assert.match(fault, /bubblewrap is not installed/);
  }
});

test('in a container that forbids namespaces, a hostile decoder still reads nothing of others, and the fault is told', async (t) => {
  const refused = 'ERR_ACCESS_DENIED';
  for (const [through, expected] of [
    [inContainer.root, 'other user'],
    [inContainer.user, 'permissions'],
  ] as const) {
    const { hold, fault, told } = await seenThrough(t, through);
    assert.equal(hold, expected);
    assert.match(fault, /this system does not allow it .*Docker/);
    const { socket: _, port: __, password, ...files } = told;
    assert.equal(password, 'unset');
    for (const [name, answer] of Object.entries(files)) assert.equal(answer, refused, name);
  }
});

test('a decoder gets the bytes that come with a question, and crashes and limits are told as without a sandbox', async (t) => {
  const module = new URL('../testing/misbehaving-helper.ts', import.meta.url);
  const helper = new HelperProcess<{ order: string }, number>({ module, clock: systemClock, decodes: true });
  t.after(() => helper.close());
  const limits = { seconds: 20, memoryMb: 300 };
  const half = Buffer.alloc(700_000, 'a');
  const input = {
    bytes: 2 * half.length,
    read: async function* () {
      yield half;
      yield half;
    },
  };
  assert.equal(await helper.ask({ order: 'count' }, limits, undefined, input), 2 * half.length);
  assert.equal(await helper.ask({ order: 'count' }, limits), 0);
  await assert.rejects(helper.ask({ order: 'crash' }, limits), /was killed by SIGSEGV/);
  await assert.rejects(helper.ask({ order: 'exhaust memory' }, limits), /needs more than 300 MB/);
  await assert.rejects(
    helper.ask({ order: 'spin' }, { ...limits, seconds: 0.3 }),
    /more than 0.3 s of processor/,
  );
  assert.equal(await helper.ask({ order: 'count' }, limits, undefined, input), 2 * half.length);
  await assert.rejects(
    helper.ask({ order: 'count' }, limits, undefined, { ...input, bytes: 10 }),
    /bytes came instead of 10/,
  );
});
