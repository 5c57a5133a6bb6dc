import { main } from './cli/main.ts';
import { houses } from './houses.ts';

await main(houses);
