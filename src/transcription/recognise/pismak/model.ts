import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';
import { PismakError } from '../../../engine/errors.ts';
import { modelFingerprint } from '../model-fingerprint.ts';

/** What training writes beside a model. */
const card = z.object({
  /** Class 0 is blank. */
  letters: z.array(z.string()).min(2),
  /** Of a line, in pixels. */
  height: z.int().positive(),
});

/** The network and its alphabet. */
export interface Model {
  letters: readonly string[];
  height: number;
  fingerprint: string;
  /** Lines of the same width, one after another; the answer has a column for every four. */
  read(ink: Float32Array, lines: number, width: number): Promise<Float32Array>;
  close(): Promise<void>;
}

const own = new URL('./model/print.int8.onnx', import.meta.url);

/** Loads the model of the package. It uses one thread: workers run a process per core. */
export async function openModel(): Promise<Model> {
  const runtime = await loadRuntime();
  const { letters, height } = card.parse(
    JSON.parse(await readFile(new URL('./model/print.json', import.meta.url), 'utf8')),
  );
  const session: InferenceSession = await runtime.InferenceSession.create(await readFile(own), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
  });
  return {
    letters,
    height,
    fingerprint: await modelFingerprint(fileURLToPath(own)),
    async read(ink, lines, width) {
      const tensor: Tensor = new runtime.Tensor('float32', ink, [lines, 1, height, width]);
      const { logs } = await session.run({ ink: tensor });
      if (!(logs?.data instanceof Float32Array)) throw new Error('the network gave no answer');
      return logs.data;
    },
    close: () => session.release(),
  };
}

async function loadRuntime(): Promise<typeof import('onnxruntime-node')> {
  return import('onnxruntime-node').catch((cause) => {
    const advice =
      'ENGINE = pismak needs the package onnxruntime-node, which is not installed or has nothing for this system: npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  });
}
