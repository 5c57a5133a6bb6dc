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
  noSteps: 'Zapnuté domy nemají žádné první kroky. Rozhlédněte se: místa vlevo jsou vaše.',
  goOn: 'Přeskočit',
  everything: 'Všechno',
  alerts: {
    title: 'Výstrahy',
    couldNotRead: 'Výstrahy se nepodařilo načíst',
    none: 'Žádné výstrahy',
    noneHint: 'Písmák hlídá fronty, pracovníky, úložiště, disky a další a tady řekne, co potřebuje člověka.',
    waiting: (count) =>
      count === 0
        ? 'O všechno se někdo stará'
        : plural(count, {
            one: '# na někoho čeká',
            few: '# na někoho čekají',
            many: '# na někoho čeká',
            other: '# na někoho čeká',
          }),
    past: 'I minulé',
    attended: 'Někdo se stará, nebo ztišené',
    ended: 'Pominulo',
    isOpen: 'trvá',
    isEnded: 'pominulo',
    since: 'vznikla',
    seen: (count) =>
      plural(count, {
        one: 'viděno jednou, naposledy',
        few: 'viděno #krát, naposledy',
        many: 'viděno #krát, naposledy',
        other: 'viděno #krát, naposledy',
      }),
    endedAt: 'pominulo',
    yours: 'Ujali jste se jí',
    theirs: (name) => `Ujal(a) se jí ${name}`,
    mutedUntil: (name) => (name === '' ? 'Ztišeno do' : `Ztišil(a) ${name} do`),
    look: 'Podívat se',
    take: 'Postarám se',
    changeNote: 'Změnit poznámku',
    note: 'Poznámka',
    noteHelp: 'Co o tom víte nebo s tím děláte. Kolegové to vidí tady.',
    mute: 'Ztišit',
    muteTitle: 'Ztišit výstrahu',
    muteText: 'Po tu dobu o ní nikdo nedostane zprávu. V tomto seznamu zůstane a její konec bude oznámen.',
    hours: { 1: 'Na hodinu', 24: 'Na den', 168: 'Na týden' },
    muted: 'Výstraha je ztišená',
    unmute: 'Zase oznamovat',
    unmuted: 'Výstraha se zase oznamuje',
    advice: {
      'stage.no-worker': 'Spusťte pracovníka se štítky fáze, nějakého povolte, nebo zvyšte prioritu fáze.',
      'stage.broken': 'Opravte konfiguraci fáze, nebo se vraťte k dřívější verzi.',
      'stage.too-slow': 'Zkraťte časový limit fáze, nebo zvyšte consumer_timeout v RabbitMQ.',
      'queue.broken':
        'Obvykle jiný program založil frontu téhož jména. Smažte ji, nebo dejte fázi jiné jméno.',
      'queue.dead-letters':
        'V jejich historii najdete příčinu. Až pomine, pošlete je znovu; nepotřebné zahoďte.',
      'worker.failed': 'Podívejte se na poslední chyby a záznam, pak ho znovu spusťte.',
      'store.unreachable': 'Ověřte, že server běží, a síť. Jakmile odpoví, práce sama pokračuje.',
      'disk.low': 'Smažte nepotřebné dokumenty, nebo přesuňte adresář na větší disk.',
      'disk.full': 'Uvolněte hned místo: nahrávání a nové požadavky jsou odmítány. Čtení a mazání fungují.',
      'clock.jumped': 'Podívejte se na hodiny toho stroje. Je-li čas správně, potvrďte to na stránce Zdraví.',
      'outbox.stuck': 'Fronta nejspíš zmizela. Založte znovu její fázi a zprávy půjdou dál.',
      'backlog.stuck': 'Fronta nejspíš zmizela. Založte znovu její fázi a práce půjde dál.',
      'process.busy': 'Nahlaste to s podrobnostmi: všichni zatím čekali.',
      'mail.refused':
        'Přečtěte poslední odpověď, odstraňte příčinu (SPF, DKIM, obsah, seznam) a frontu znovu spusťte.',
      'mail.relays-down': 'Maily čekají a neztrácejí pokus. Prověřte servery pro odesílání.',
      'mail.campaign-failed': 'Odstraňte příčinu a kampaň znovu spusťte. Žádný mail neodešel dvakrát.',
      'robot.segmenter-down': 'Spusťte znovu segmenter; dokumenty na něj čekají.',
      'robot.set-aside': 'Založte sběr znovu s menšími výrazy.',
      'robot.cut-off': 'Prověřte síť, DNS a firewall tohoto stroje.',
      'account.attacked': 'Někdo hádá toto heslo. Podívejte se odkud; účet je zatím chráněn.',
      'address.attacking': 'Pokud to neustane, zablokujte adresu před Písmákem.',
      'schedule.failed': 'Záznam řekne proč. Až příčina pomine, spusťte ho znovu.',
    },
  },
  failed: {
    title: 'Nezdařené požadavky',
    one: 'Nezdařený požadavek',
    couldNotRead: 'Nezdařené požadavky se nepodařilo načíst',
    none: 'Za 7 dní se žádný požadavek nezdařil',
    noneHint: 'Nezdařené požadavky se tu objeví se záznamem a s cestou, kterou prošly.',
    noneFits: 'Tomuto filtru žádný nezdařený požadavek neodpovídá',
    noneFitsHint: 'Nezdary se uchovávají 7 dní.',
    count: (count) =>
      plural(count, {
        one: '# nezdařený požadavek',
        few: '# nezdařené požadavky',
        many: '# nezdařeného požadavku',
        other: '# nezdařených požadavků',
      }),
    inStage: (stage, count) =>
      `${stage}: ${plural(count, { one: '# požadavek', few: '# požadavky', many: '# požadavku', other: '# požadavků' })}`,
    find: 'Hledat v důvodech, záznamech a id',
    periods: { hour: 'Poslední hodina', day: 'Poslední den', week: '7 dní' },
    outcomes: { dead: 'mrtvá zpráva', output: 'oznámeno majiteli' },
    went: { dead: 'Je mrtvou zprávou ve frontě', output: 'Odešel jako nezdařený do fronty' },
    chooseStage: 'Napište fázi a pošlete znovu všechny odpovídající mrtvé zprávy najednou.',
    onlyDead: 'Žádný z nich není mrtvou zprávou: kdo je poslal, má je zpět a pošle je znovu',
    redriveOne: 'Poslat znovu',
    redriveAll: 'Poslat znovu všechny odpovídající',
    redriveAction: (count) =>
      plural(count, {
        one: 'Poslat znovu #',
        few: 'Poslat znovu #',
        many: 'Poslat znovu #',
        other: 'Poslat znovu #',
      }),
    redriveText: (count, queue) =>
      `${plural(count, { one: 'Odpovídá # mrtvá zpráva', few: 'Odpovídají # mrtvé zprávy', many: 'Odpovídá # mrtvé zprávy', other: 'Odpovídá # mrtvých zpráv' })} ve frontě ${queue}. Projdou fází znovu; které selžou, vrátí se sem.`,
    redriven: (count) =>
      plural(count, {
        one: '# mrtvá zpráva jde znovu',
        few: '# mrtvé zprávy jdou znovu',
        many: '# mrtvé zprávy jde znovu',
        other: '# mrtvých zpráv jde znovu',
      }),
    discard: 'Zahodit',
    discardAction: (count) =>
      plural(count, { one: 'Zahodit #', few: 'Zahodit #', many: 'Zahodit #', other: 'Zahodit #' }),
    discardText: (count) =>
      plural(count, {
        one: '# mrtvá zpráva bude smazána a její výsledek nikdy nevznikne.',
        few: '# mrtvé zprávy budou smazány a jejich výsledky nikdy nevzniknou.',
        many: '# mrtvé zprávy bude smazáno a výsledky nikdy nevzniknou.',
        other: '# mrtvých zpráv bude smazáno a jejich výsledky nikdy nevzniknou.',
      }),
    discarded: (count) =>
      plural(count, {
        one: '# mrtvá zpráva je smazána',
        few: '# mrtvé zprávy jsou smazány',
        many: '# mrtvé zprávy je smazáno',
        other: '# mrtvých zpráv je smazáno',
      }),
    noneLeft: 'Už není mrtvou zprávou: někdo ji poslal znovu nebo zahodil',
    sameReason: 'Další se stejným důvodem',
    sameBatch: 'Další ze stejné práce',
    noOwner: 'program, který nikoho nejmenuje',
    pipeline: 'Řetězec',
    request: 'Požadavek',
    files: 'Soubory',
    way: 'Jeho cesta',
    statuses: { OK: 'hotovo', Failed: 'selhalo' },
    version: (version) => `verze ${version}`,
    attempt: (attempt) => `pokus ${attempt}`,
    took: (time) => `po ${time}`,
    noLog: 'Záznam nenechal.',
    failedHere: 'tady selhal',
    notReached: 'nedošlo na něj',
    columns: { reason: 'Důvod', stage: 'Fáze', owner: 'Majitel', outcome: 'Výsledek', at: 'Kdy' },
  },
};

export default cs;
