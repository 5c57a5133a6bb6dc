import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '../../src/engine/ground/errors.ts';
import type { Random } from '../../src/engine/ground/identity.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';

const execute = promisify(execFile);

/** A machine of its own, as far as the network goes: a namespace that one cable joins to this one. */
export interface Machine {
  /** Where servers here must listen to be reached from there; it is good here too. */
  address: string;
  /** What to write in front of a command that shall run there. */
  through: string[];
  /** Pulls the cable: packets are dropped, and nobody is told. */
  cut(): Promise<void>;
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** The namespace ends with this process, however that ends. Needs root and the program `ip`. */
export async function openMachine(random: Random): Promise<Machine> {
  // Of the range that is set aside for such things, so it is nobody's network.
  const number = Math.floor(random() * 256);
  const address = `198.18.${number}.1`;
  const [here, there] = [`198.19.${number}.1`, `198.19.${number}.2`];
  const cable = `pismak${number}`;
  const holder = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', 'sleep', 'infinity'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  holder.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(holder, 'exit');
  const space = `/proc/${holder.pid}/ns/net`;
  const ip = (line: string) => execute('ip', line.split(' '));
  const inside = (line: string) => execute('nsenter', [`--net=${space}`, 'ip', ...line.split(' ')]);
  // Another machine may have the same number: what is its own stays.
  let isOurs = false;
  const close = async () => {
    if (isOurs) await ip(`address del ${address}/32 dev lo`).catch(() => {});
    holder.kill('SIGKILL');
    if (holder.exitCode === null && holder.signalCode === null) await ended;
  };
  try {
    const own = await readlink('/proc/self/ns/net');
    await eventually('the namespace is there', async () => {
      if (holder.exitCode !== null) throw new Error(said.trim());
      return (await readlink(space).catch(() => own)) !== own;
    });
    await ip(`address add ${address}/32 dev lo`);
    isOurs = true;
    await ip(`link add ${cable} type veth peer name cable netns ${holder.pid}`);
    await ip(`address add ${here}/30 dev ${cable}`);
    await ip(`link set ${cable} up`);
    await inside(`address add ${there}/30 dev cable`);
    await inside('link set lo up');
    await inside('link set cable up');
    await inside(`route add default via ${here}`);
  } catch (error) {
    await close();
    throw new Error(
      `No network namespace can be made here, which the partition needs: be root on Linux, with iproute2 installed (${messageOf(error)})`,
    );
  }
  return {
    address,
    through: ['nsenter', `--net=${space}`],
    cut: async () => void (await ip(`link set ${cable} down`)),
    heal: async () => void (await ip(`link set ${cable} up`)),
    close,
  };
}
