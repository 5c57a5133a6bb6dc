import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';
import { messageOf, PismakError } from '../../../engine/ground/errors.ts';
import { modelFingerprint } from '../model-fingerprint.ts';

const require = createRequire(import.meta.url);

/** What training writes beside a model. */
const card = z.object({
  /** Class 0 is blank. */
  letters: z.array(z.string().max(8)).min(2).max(5000),
  /** Height of a line, in pixels. */
  height: z.int().min(8).max(200),
});

/** Where a model lies. */
export interface ModelFiles {
  name: string;
  network: string;
  card: string;
}

/** The network and its alphabet. */
export interface Model {
  letters: readonly string[];
  height: number;
  name: string;
  fingerprint: string;
  /** Reads lines of equal width; the output has one column for every four. */
  read(ink: Float32Array, lines: number, width: number): Promise<Float32Array>;
  close(): Promise<void>;
}

const pathOf = (name: string) => fileURLToPath(new URL(`./model/${name}`, import.meta.url));
const packaged = { name: 'print', network: pathOf('print.int8.onnx'), card: pathOf('print.json') };
/** The packaged model has 4 MB. */
const mostBytes = 200 * 1024 * 1024;

/** Loads a model, by default that of the package. It uses one thread: workers run a process per core. */
export async function openModel(files: ModelFiles = packaged): Promise<Model> {
  const runtime = await loadRuntime();
  const { letters, height } = await readCard(files);
  const session: InferenceSession = await runtime.InferenceSession.create(await contentOf(files.network), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Batches differ in width, so memory plans would only accumulate.
    enableMemPattern: false,
  }).catch((cause) => {
    throw unusable(files, cause);
  });
  const read: Model['read'] = async (ink, lines, width) => {
    const tensor: Tensor = new runtime.Tensor('float32', ink, [lines, 1, height, width]);
    const { logs } = await session.run({ ink: tensor });
    if (!(logs?.data instanceof Float32Array)) throw new Error('the network gave no answer');
    return logs.data;
  };
  // Try a blank line, to check that the network and its alphabet match.
  const tried = await read(new Float32Array(height * blank), 1, blank).catch((cause) => {
    throw unusable(files, cause);
  });
  if (tried.length !== (blank / 4) * letters.length)
    throw unusable(files, `its output does not have the ${letters.length} classes of ${files.name}.json`);
  return {
    letters,
    height,
    name: files.name,
    fingerprint: await modelFingerprint(files.network),
    read,
    close: () => session.release(),
  };
}

const blank = 32;

async function readCard(files: ModelFiles): Promise<z.infer<typeof card>> {
  try {
    return card.parse(JSON.parse((await contentOf(files.card)).toString('utf8')));
  } catch (cause) {
    throw unusable(files, cause);
  }
}

async function contentOf(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > mostBytes) throw new Error(`${basename(path)} has ${size} bytes; at most ${mostBytes} are read`);
  return readFile(path);
}

function unusable({ name }: ModelFiles, cause: unknown): PismakError {
  const reason = typeof cause === 'string' ? cause : messageOf(cause);
  return new PismakError('unavailable', `the model ${name} can't be used: ${reason}`, { cause });
}

/** Whether the optional package that runs the network is installed. Doesn't load it. */
export function hasRuntime(): boolean {
  try {
    require.resolve('onnxruntime-node');
    return true;
  } catch {
    return false;
  }
}

/** `onnxruntime 1.30.0`: what runs the network. */
export function runtimeVersion(): string {
  return `onnxruntime ${(require('onnxruntime-node/package.json') as { version: string }).version}`;
}

/** `print 1a2b3c4d`: the package's own model. */
export async function packagedModel(): Promise<string> {
  return `${packaged.name} ${await modelFingerprint(packaged.network)}`;
}

async function loadRuntime(): Promise<typeof import('onnxruntime-node')> {
  // Since 1.29 it reports models and machines to Microsoft unless told otherwise, and leaves `:memory:.ses` in the current directory.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  return import('onnxruntime-node').catch((cause) => {
    const advice =
      'ENGINE = pismak needs the package onnxruntime-node, which is not installed or has nothing for this system: npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  });
}
