/** Runs one part in a process of its own, so that its memory is its own: `part-process.ts NAME OPTIONS-AS-JSON`. */

/** Loaded one by one: the modules of the others would count as memory of this one. */
const parts = {
  sendReadyMade: async () => (await import('./ready-made-part.ts')).sendReadyMade,
  sendCampaign: async () => (await import('./campaign-part.ts')).sendCampaign,
  generateMany: async () => (await import('./generation-part.ts')).generateMany,
  sendWhole: async () => (await import('./whole-part.ts')).sendWhole,
  consumeBare: async () => (await import('./bare-consumer-part.ts')).consumeBare,
  measureRawBroker: async () => (await import('./raw-broker-part.ts')).measureRawBroker,
  overtake: async () => (await import('./overtaking-part.ts')).overtake,
};
export type Parts = { [Name in keyof typeof parts]: Awaited<ReturnType<(typeof parts)[Name]>> };

const [name = '', text = ''] = process.argv.slice(2);
if (!(name in parts)) throw new Error(`there is no part ${name}`);
const part = (await parts[name as keyof Parts]()) as (options: unknown) => Promise<unknown>;
const figures = await part(JSON.parse(text));
process.send?.(figures, () => process.exit(0));
