import { czech as plural } from '../../text/plural.ts';
import type { ServerSentences } from '../../text/say.ts';

/** A list for people: a, b a c. */
const list = (names: readonly string[]) => new Intl.ListFormat('cs').format(names);

const messages = (count: number) =>
  plural(count, { one: '# zpráva', few: '# zprávy', many: '# zprávy', other: '# zpráv' });
const secondsAgain = (seconds: number) => `Zkuste to znovu za ${seconds} s.`;
const refused = (failures: number) =>
  plural(failures, {
    one: '# nedávné nezdařené přihlášení',
    few: '# nedávná nezdařená přihlášení',
    many: '# nedávného nezdařeného přihlášení',
    other: '# nedávných nezdařených přihlášení',
  });
const keeps = (until: string) =>
  `Do ${until} se nic nemaže pro své stáří: je-li čas špatně, opravte ho; je-li správně, spusťte \`pismak clock accept\`.`;
const unserved = ({ stage, waiting }: { stage: string; waiting: number }) =>
  `Ve fázi ${stage} čeká ${messages(waiting)} a žádný pracovník ji neobsluhuje`;

interface Destination {
  to: string;
  waiting: number;
  serving: number;
  lot: number;
}
const there = ({ to, waiting, serving, lot }: Destination) =>
  `Fáze ${to}: čeká ${messages(waiting)}, obsluhujících pracovníků je ${serving}, dávka má ${lot}.`;

interface Target {
  to: string;
  priority: number;
  length: number;
  serving: number;
}
const digits = new Intl.NumberFormat('cs', { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const target = ({ to, priority, length, serving }: Target) =>
  `Nejvyšší prioritu má ${to} (${digits.format(priority)}): ve frontě ${messages(length)}, obsluhujících pracovníků je ${serving}.`;

const types: Readonly<Record<string, string>> = {
  record: 'objekt',
  object: 'objekt',
  array: 'seznam',
  string: 'text',
  boolean: 'ano, nebo ne',
  number: 'číslo',
  int: 'celé číslo',
};
const things: Readonly<Record<string, string>> = { characters: 'Počet znaků', entries: 'Počet položek' };
const countOf = (what: string) => things[what] ?? what;

/** What the server says, by the code of the sentence. A test checks that none is missing. */
export const serverSentences: ServerSentences = {
  'refused.not-signed-in': () => 'Nejdřív se přihlaste.',
  'refused.wrong-password': () => 'Jméno nebo heslo není správné, nebo je účet zakázaný.',
  'refused.current-password': () => 'Dosavadní heslo není správné nebo chybí.',
  'refused.sign-in-later': ({ seconds }) => `Příliš mnoho nezdařených přihlášení. ${secondsAgain(seconds)}`,
  'refused.calls-later': ({ seconds }) => `Příliš mnoho požadavků. ${secondsAgain(seconds)}`,
  'refused.role': ({ operation, needed, role }) =>
    `${operation} vyžaduje roli ${needed}, vy máte ${role}. Změnit to může správce.`,
  'refused.scope': ({ operation, scopes }) =>
    `Tento klíč nesmí volat ${operation}; jeho rozsah: ${scopes.length > 0 ? list(scopes) : 'žádný'}.`,
  'refused.input': ({ problems }) => problems.join('; '),

  'unknown.or-foreign': () => 'Nic takového neexistuje, nebo to není vaše.',
  'unknown.stage': ({ stage, near, known }) =>
    `Fáze ${stage} neexistuje. ${near === null ? '' : `Nemysleli jste ${near}? `}${
      known.length > 0 ? `Známé fáze: ${list(known)}.` : 'Zatím není definovaná žádná fáze.'
    }`,
  'unknown.processor': ({ processor, known }) => `Procesor ${processor} neexistuje. Známé: ${list(known)}.`,
  'unknown.pipeline': ({ pipeline }) => `Řetězec ${pipeline} neexistuje.`,
  'unknown.worker': ({ worker }) => `Pracovník ${worker} neexistuje.`,
  'unknown.user': ({ user }) => `Uživatel ${user} neexistuje.`,
  'unknown.alert': ({ alert }) => `Výstraha ${alert} neexistuje.`,

  'taken.stage': ({ stage }) => `Fáze ${stage} už existuje; upravte ji.`,
  'taken.pipeline': ({ pipeline }) => `Řetězec ${pipeline} už existuje; nejdřív ho smažte.`,
  'taken.schedule': ({ schedule }) => `Plán ${schedule} už existuje; upravte ho.`,
  'taken.user': ({ user }) => `Uživatel ${user} už existuje.`,

  'conflict.messages-wait': ({ stage, waiting }) =>
    `Ve fázi ${stage} čeká ${messages(waiting)}, o které byste přišli. Vyprázdněte frontu, nebo si to vynuťte.`,
  'conflict.last-administrator': ({ user }) =>
    `${user} je poslední povolený správce. Nejdřív udělejte správcem někoho jiného.`,
  'conflict.alert-ended': () => 'Tato výstraha skončila; pokud přijde znovu, bude nová.',
  'conflict.configuration': ({ processor, why }) => `Konfigurace procesoru ${processor}: ${why}`,
  'changed-since': ({ thing, base, version, changedBy }) =>
    `${thing}: verze je ${version}, ne ${base}. Změnil ji ${changedBy ?? 'někdo jiný'}; načtěte ji znovu.`,

  'failed.internal': ({ id }) => `Nastala vnitřní chyba; podrobnosti jsou v logu pod ${id}.`,
  'failed.stopped': ({ seconds }) =>
    `Trvalo to déle než ${seconds} s, a tak to bylo zastaveno. Žádejte najednou méně, nebo to zkuste později.`,
  'failed.may-still-run': ({ seconds }) =>
    `Trvá to déle než ${seconds} s a možná to ještě běží. Než to zopakujete, ověřte, zda už není hotovo.`,
  'failed.not-started': () => 'Běží příliš mnoho dlouhých volání, toto proto nezačalo. Zkuste to později.',
  'failed.disk-full': () =>
    'Disk je téměř plný, nic nového se proto nepřijímá; číst a mazat jde dál. Smažte, co už není potřeba, nebo požádejte správce stroje o místo (nastavení disk.reserveMb).',

  'rule.missing': () => 'Vyplňte prosím toto pole.',
  'rule.type': ({ type }) => `Musí to být ${types[type] ?? type}.`,
  'rule.one-of': ({ values }) => `Povolené hodnoty: ${values.join(', ')}.`,
  'rule.not-empty': () => 'Nesmí být prázdné.',
  'rule.fewest': ({ things: what, minimum }) => `${countOf(what)} musí být aspoň ${minimum}.`,
  'rule.most': ({ things: what, maximum }) => `${countOf(what)} smí být nejvýš ${maximum}.`,
  'rule.above': ({ minimum }) => `Musí být větší než ${minimum}.`,
  'rule.least': ({ minimum }) => `Musí být aspoň ${minimum}.`,
  'rule.below': ({ maximum }) => `Musí být menší než ${maximum}.`,
  'rule.at-most': ({ maximum }) => `Smí být nejvýš ${maximum}.`,
  'rule.unknown-fields': ({ fields }) => `Neznámá pole: ${fields.join(', ')}.`,
  'rule.pattern': ({ pattern }) => `Musí odpovídat ${pattern}.`,
  'rule.format': ({ format }) => `Není to platný formát ${format}.`,
  'rule.text': ({ text }) => text,

  'account.attacked': ({ account, failures }) =>
    `${refused(failures)} k účtu ${account}. Záznam činností ukáže, odkud.`,
  'account.attacked-many': ({ count, most }) =>
    `Mnoho nedávných nezdařených přihlášení, počet účtů: ${count}. Nejvíc: ${list(most)}. Víc ukáže záznam činností.`,
  'address.attacking': ({ address, failures }) =>
    `${refused(failures)} z adresy ${address}. Pokud to bude pokračovat, zablokujte ji před Písmákem.`,
  'address.attacking-many': ({ count, most }) =>
    `Mnoho nedávných nezdařených přihlášení, počet adres: ${count}. Nejvíc: ${list(most)}. Víc ukáže záznam činností.`,

  'clock.ahead': ({ host, by, until }) => `Hodiny na ${host} byly posunuty dopředu o ${by}. ${keeps(until)}`,
  'clock.back': ({ host, by, until }) => `Hodiny na ${host} byly posunuty zpět o ${by}. ${keeps(until)}`,

  'disk.low': ({ place, freeMb }) =>
    `Na disku (${place}) zbývá jen ${freeMb} MB; až bude plný, nepůjde nic uložit. Něco smažte nebo přesuňte.`,
  'disk.full': ({ place, freeMb, reserveMb }) =>
    `Na disku (${place}) zbývá jen ${freeMb} MB, méně než rezerva ${reserveMb} MB. Nové soubory a požadavky se odmítají, dokud se něco nesmaže nebo disk nezvětší.`,
  'disk.full-server': ({ server, stores }) =>
    `Disk PostgreSQL na ${server} je plný a nic dalšího neuloží (${list(stores)}). Nové soubory a požadavky se odmítají; přijatá práce čeká, až tam bude místo.`,

  'process.busy': ({ work, host, ms, count }) =>
    `${work} zaměstnalo hlavní vlákno na ${host} na ${ms} ms bez přestávky, v poslední době ${count}×: všichni ostatní čekali. Nikdy by nemělo trvat déle než 100 ms.`,

  'queue.broken': ({ queue, why }) => `Frontu ${queue} nejde použít: ${why}`,
  'queue.broken-stage': ({ queue, why }) => `Fáze ${queue} nemůže pracovat: ${why}`,
  'queue.dead-letters': ({ queue, dead }) =>
    `Ve frontě ${queue}: ${plural(dead, { one: '# mrtvá zpráva', few: '# mrtvé zprávy', many: '# mrtvé zprávy', other: '# mrtvých zpráv' })}. Seznam ukáže proč.`,
  'queue.refuses': ({ queue, tries, why }) =>
    `Fronta ${queue} odmítla své zprávy ${tries}×, takže čekají: ${why}`,
  'schedule.failed': ({ schedule, why }) => `Plán ${schedule} selhal: ${why}`,

  'stage.broken': ({ stage, why }) => `Fázi ${stage} nejde obsluhovat: ${why}`,
  'stage.too-slow': ({ stage, timeoutMs, limitMs }) =>
    `Fáze ${stage} smí trvat ${timeoutMs} ms, ale RabbitMQ si zprávu vezme zpět po ${limitMs} ms. Dejte jí kratší limit, nebo zvyšte \`consumer_timeout\` v rabbitmq.conf všech uzlů a pak \`rabbitmq.consumerTimeoutMs\` tady.`,
  'stage.no-worker': (it) =>
    `${unserved(it)}: žádný pracovník neběží. Spusťte ho příkazem \`pismak worker run\`.`,
  'stage.no-worker.unable': (it) => `${unserved(it)}: pracovník ${it.worker} ji nedokáže načíst (${it.why}).`,
  'stage.no-worker.labels': (it) =>
    `${unserved(it)}: žádný běžící pracovník nemá štítky, které potřebuje (${list(it.labels)}).`,
  'stage.no-worker.disabled': (it) =>
    `${unserved(it)}: všichni, kdo by mohli, jsou vypnutí. Některého zapněte.`,
  'stage.no-worker.priority': (it) =>
    `${unserved(it)}: má prioritu -1, nikdo se jí proto nepřiděluje. Změňte ji.`,
  'stage.no-worker.pinned': (it) => `${unserved(it)}: všichni, kdo by mohli, jsou připnutí k jiným fázím.`,
  'stage.no-worker.busy': (it) =>
    `${unserved(it)}: všichni, kdo by mohli, pracují jinde. Spusťte další, nebo jí zvyšte prioritu.`,

  'store.unreachable': ({ store, host, why }) => `Z ${host} není dostupné úložiště ${store}: ${why}`,
  'store.read-only': ({ store, host, why }) => `Z ${host} nejde nic uložit do ${store}: ${why}`,

  'worker.failed': ({ worker, why }) => `Pracovník ${worker} selhal: ${why}`,
  'worker.vanished': ({ worker, host }) =>
    `Pracovník ${worker} na ${host} zmizel (ukončen, spadl, nebo ztratil spojení). Spusťte ho znovu, nebo ho zapomeňte.`,

  'watchdog.starving': (it) => `Fázi ${it.to} už ${it.seconds} s nikdo neobsluhoval. ${there(it)}`,
  'watchdog.work-again': (it) => `Je zase práce. ${there(it)}`,
  'watchdog.nearer-end': (it) => `Dávka je blíž ke konci než ve fázi ${it.from}. ${there(it)}`,
  'watchdog.no-stage': (it) => `Neobsluhuje žádnou fázi. ${there(it)}`,
  'watchdog.nothing-waits': (it) => `Ve fázi ${it.from} nic nečeká. ${there(it)}`,
  'watchdog.others-suffice': (it) =>
    `Na ${messages(it.left)} ve fázi ${it.from} stačí ostatní pracovníci. ${there(it)}`,
  'watchdog.idle': (it) => `Nemá práci. ${target(it)}`,
  'watchdog.lower-priority': (it) =>
    `Přesunut z nižší priority: ${it.from} (${digits.format(it.fromPriority)}). ${target(it)}`,

  'backup.restore': ({ directory, data }) =>
    `Zastavte Písmáka, na jeho stroji spusťte \`pismak restore ${directory}/NÁZEV --data ${data} --force\` a zase ho spusťte. Nejdřív se ověří každý bajt zálohy; dosavadní datový adresář se přesune stranou, nesmaže se. Chcete-li do zálohy jen nahlédnout, obnovte ji do jiného adresáře.`,
  'backup.restore-servers': ({ servers }) =>
    `Na serverech: ${list(servers)}. Zálohujte a obnovujte je nástroji těchto serverů, jak popisuje docs/operations.md (pg_dump a definice RabbitMQ). \`pismak restore\` obnovuje jen zálohy datového adresáře.`,

  'mail.not-sent': ({ id, type, why }) => `E-mail ${id} (${type}): ${why}`,
  'mail.refused': ({ class: name, count, queue, why }) =>
    `${plural(count, { one: '# e-mail', few: '# e-maily', many: '# e-mailu', other: '# e-mailů' })} třídy ${name} za sebou odmítnuto kvůli pravidlům příjemce; třída je pozastavená. Poslední odpověď: ${why}. Obnovíte ji ve frontě ${queue}.`,
  'mail.relays-down': ({ why }) => `Žádný server nepřijímá e-maily, takže čekají: ${why}`,
  'mail.campaign-failed': ({ campaign, why }) => `Kampaň ${campaign} se zastavila: ${why}`,
  'robot.set-aside': ({ crawl, why }) =>
    `Procházení ${crawl} bylo zastaveno: ${why}. Jeho volby změnit nejde: smažte ho a založte nové.`,
  'robot.cut-off': ({ crawl }) =>
    `Procházení ${crawl} nedostává odpověď téměř od žádného serveru. Není síť odříznutá?`,
  'robot.segmenter-down': ({ crawl, why }) =>
    `Segmentátor procházení ${crawl} neodpovídá (${why}); dokumenty na něj čekají.`,
};
