/** Started by the benchmark in a process of its own: opens the database FILE, answers the question once, prints the ms of both. */
import { openOurs } from './ours.ts';

const [file = '', question = '{}'] = process.argv.slice(2);
const began = performance.now();
const ours = await openOurs('sqlite:', file);
await ours.series(JSON.parse(question));
console.log(performance.now() - began);
await ours.close();
