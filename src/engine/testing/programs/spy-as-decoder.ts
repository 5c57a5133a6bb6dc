import { HelperProcess } from '../../processor/helper-process.ts';
import { decoderSandbox } from '../../sandbox/find-sandbox.ts';
import { systemClock } from '../../time/clock.ts';

/** Lets a decoder try what the parameters list, and prints what held it and what came of it. */
const helper = new HelperProcess<string[], Record<string, unknown>>({
  module: new URL('../spying-helper.ts', import.meta.url),
  clock: systemClock,
  decodes: true,
});
const { hold, fault = '' } = await decoderSandbox();
const seen = await helper.ask(process.argv.slice(2), { seconds: 20, memoryMb: 1024 });
process.stdout.write(`${JSON.stringify({ hold, fault, seen })}\n`);
helper.close();
