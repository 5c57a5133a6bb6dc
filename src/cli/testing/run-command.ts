import { loadSettings } from '../../engine/settings/load.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { houses } from '../../houses.ts';
import type { Client } from '../../terminal/client/client.ts';
import { runProgram } from '../run-program.ts';

/** What operations answer in a test: a value, or what makes one of the input. */
export type Answers = Readonly<Record<string, unknown | ((input: never) => unknown)>>;

export interface Called {
  name: string;
  input: unknown;
}

/** A client that answers from a table and remembers what it was asked. */
export function fakeClient(answers: Answers, more: Partial<Client> = {}): Client & { calls: Called[] } {
  const calls: Called[] = [];
  return {
    calls,
    async call<Output>(name: string, input: object = {}) {
      // As it would arrive over HTTP: what is undefined is not there.
      calls.push({ name, input: JSON.parse(JSON.stringify(input)) });
      const answer = answers[name];
      return (typeof answer === 'function' ? await answer(input as never) : (answer ?? {})) as Output;
    },
    upload: () => Promise.reject(new Error('nothing is to be uploaded')),
    uploadPart: () => Promise.reject(new Error('nothing is to be uploaded')),
    stream: () => {
      throw new Error('nothing is to be downloaded');
    },
    download: () => {
      throw new Error('nothing is to be downloaded');
    },
    close: async () => {},
    ...more,
  };
}

/** Runs `pismak WORDS` against a client, with streams that are kept. */
export async function runCommand(
  words: readonly string[],
  options: {
    client?: Client;
    signal?: AbortSignal;
    directory?: string;
    environment?: Record<string, string>;
  } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { client = fakeClient({}), signal = new AbortController().signal, environment = {} } = options;
  let stdout = '';
  let stderr = '';
  const code = await runProgram(
    {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      ...{ environment, signal, clock: systemClock, houses },
      openClient: async () => client,
      openWork: async () => client,
      loadSettings: (commandLine) =>
        loadSettings({ houses, commandLine, environment, directory: options.directory ?? '/nowhere' }),
    },
    words,
  );
  return { code, stdout, stderr };
}
