import { czech as plural } from '../../text/plural.ts';
import type { Text } from './en.ts';

const cs: Text = {
  todo: 'K vyřízení',
  allDone: 'Nic na vás nečeká',
  nothing: 'Všechno hotovo',
  nothingHint: 'Výstrahy, nejisté stránky a nezdařená práce se tu objeví samy, až vás budou potřebovat.',
  couldNotRead: 'Co čeká na vyřízení, se nepodařilo načíst',
  missing: (what) => `${what}: bez odpovědi. Zbytek je úplný.`,
  more: (count) =>
    plural(count, { one: 'a # další', few: 'a # další', many: 'a # dalšího', other: 'a # dalších' }),
  states: { waiting: 'čeká', warning: 'varování', failed: 'selhalo' },
  welcome: (name) => `Vítejte, ${name}`,
  welcomeHint: 'Jste přihlášeni a smíte všechno. Tady je, co Písmák umí, na skutečné práci.',
  noSteps: 'Tato instalace zatím nemá žádné domy, takže není co ukázat. Stroj běží: podívejte se na fronty.',
  goOn: 'Přeskočit',
};

export default cs;
