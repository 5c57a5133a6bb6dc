import assert from 'node:assert/strict';
import type { z } from 'zod';
import type { Operation } from '../../engine/operation/operation.ts';
import { loadSettings } from '../../engine/settings/load.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { houses } from '../../houses.ts';
import type { Client } from '../../terminal/client/client.ts';
import type { WorkOptions } from '../../terminal/session.ts';
import { runProgram } from '../run-program.ts';
import { sampleOf } from './sample-of.ts';

/**
 * The answers of operations in a test, by name: a value, or a function of the input. Missing fields are filled from the
 * smallest answer that fits the declaration.
 */
export type Answers = Readonly<Record<string, unknown | ((input: never) => unknown)>>;

export interface Called {
  name: string;
  input: unknown;
}

/** A client that answers from a table and records the calls. Calls and answers must fit the declarations. */
export function fakeClient(answers: Answers, more: Partial<Client> = {}): Client & { calls: Called[] } {
  const calls: Called[] = [];
  return {
    calls,
    async call<Input extends z.ZodType, Output extends z.ZodType>(
      operation: Operation<Input, Output>,
      input: z.input<Input>,
    ) {
      const { name, output } = operation;
      calls.push({ name, input: asSent(input) });
      operation.input.parse(asSent(input));
      const answer = answers[name];
      const named = typeof answer === 'function' ? await answer(input as never) : answer;
      const made = { ...(sampleOf(output) as object), ...named };
      const checked = output.parse(made);
      assert.deepEqual(asSent(made), asSent(checked), `${name} answers only with declared fields`);
      return checked;
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

/** The value as it would arrive over HTTP, without undefined fields. */
function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Runs `pismak WORDS` against a client, and captures its output. */
export async function runCommand(
  words: readonly string[],
  options: {
    client?: Client;
    signal?: AbortSignal;
    directory?: string;
    environment?: Record<string, string>;
  } = {},
): Promise<{ code: number; stdout: string; stderr: string; works: WorkOptions[] }> {
  const { client = fakeClient({}), signal = new AbortController().signal, environment = {} } = options;
  let stdout = '';
  let stderr = '';
  const works: WorkOptions[] = [];
  const code = await runProgram(
    {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      environment,
      signal,
      clock: systemClock,
      houses,
      openClient: async () => client,
      openWork: async (work) => {
        works.push(work);
        return client;
      },
      loadSettings: (commandLine) =>
        loadSettings({ houses, commandLine, environment, directory: options.directory ?? '/nowhere' }),
    },
    words,
  );
  return { code, stdout, stderr, works };
}
