/** Runs one part in a process of its own, so that its memory is its own: `part-process.ts NAME OPTIONS-AS-JSON`. */
import { consumeBare } from './bare-consumer-part.ts';
import { sendCampaign } from './campaign-part.ts';
import { generateMany } from './generation-part.ts';
import { overtake } from './overtaking-part.ts';
import { measureRawBroker } from './raw-broker-part.ts';
import { sendReadyMade } from './ready-made-part.ts';
import { sendWhole } from './whole-part.ts';

export const parts = {
  ...{ sendReadyMade, sendCampaign, generateMany, sendWhole, consumeBare, measureRawBroker, overtake },
};
export type Parts = typeof parts;

const [name = '', text = ''] = process.argv.slice(2);
const part = (parts as Record<string, ((options: never) => Promise<unknown>) | undefined>)[name];
if (!part) throw new Error(`there is no part ${name}`);
const figures = await part(JSON.parse(text) as never);
process.send?.(figures, () => process.exit(0));
