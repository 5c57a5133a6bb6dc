import { czech as plural } from '../../text/plural.ts';
import { reading } from './cs-reading.ts';
import type { Text } from './en.ts';

const pages = (count: number) =>
  plural(count, { one: '# strana', few: '# strany', many: '# strany', other: '# stran' });
const files = (count: number) =>
  plural(count, { one: '# soubor', few: '# soubory', many: '# souboru', other: '# souborů' });

const cs: Text = {
  documents: 'Dokumenty',
  couldNotRead: 'Dokumenty se nepodařilo načíst',
  empty: 'Zatím žádné dokumenty',
  emptyHint:
    'Přetáhněte kamkoli na tuto stránku skeny, PDF nebo celou složku. Písmák najde jejich text a pamatuje si, kde které slovo stojí.',
  cancelButton: 'Zrušit',
  columns: {
    name: 'Dokument',
    owner: 'Vlastník',
    state: 'Stav',
    pages: 'Stran',
    confidence: 'Jistota',
    toCheck: 'Ke kontrole',
    created: 'Zadáno',
  },
  states: {
    open: 'nezadaný',
    waiting: 'čeká',
    running: 'čte se',
    done: 'přečtený',
    partly: 'přečtený zčásti',
    failed: 'selhal',
    cancelled: 'zrušený',
  },
  pageStates: {
    waiting: 'čeká',
    running: 'čte se',
    done: 'přečtená',
    doubtful: 'pochybná',
    'no-text': 'bez textu',
    failed: 'selhala',
    cancelled: 'zrušená',
  },
  list: {
    count: (count) =>
      plural(count, { one: '# dokument', few: '# dokumenty', many: '# dokumentu', other: '# dokumentů' }),
    progress: (name) => `Jak daleko je ${name}`,
    doubtful: (count) =>
      plural(count, {
        one: '# pochybná strana',
        few: '# pochybné strany',
        many: '# pochybné strany',
        other: '# pochybných stran',
      }),
    failed: (count) =>
      plural(count, {
        one: '# strana selhala',
        few: '# strany selhaly',
        many: '# strany selhalo',
        other: '# stran selhalo',
      }),
    noText: (count) => `${pages(count)} bez textu`,
    retry: 'Zkusit znovu, co selhalo',
    retried: (count) =>
      plural(count, {
        one: '# dokument se zkouší znovu',
        few: '# dokumenty se zkoušejí znovu',
        many: '# dokumentu se zkouší znovu',
        other: '# dokumentů se zkouší znovu',
      }),
    cancel: 'Zrušit čtení',
    cancelled: (count) =>
      plural(count, {
        one: '# dokument je zrušen',
        few: '# dokumenty jsou zrušeny',
        many: '# dokumentu je zrušeno',
        other: '# dokumentů je zrušeno',
      }),
    delete: 'Smazat',
    deleted: (count) =>
      plural(count, {
        one: '# dokument je smazán',
        few: '# dokumenty jsou smazány',
        many: '# dokumentu je smazáno',
        other: '# dokumentů je smazáno',
      }),
    deleteTitle: (count) =>
      plural(count, {
        one: 'Smazat # dokument?',
        few: 'Smazat # dokumenty?',
        many: 'Smazat # dokumentu?',
        other: 'Smazat # dokumentů?',
      }),
    deleteAction: (count) =>
      plural(count, {
        one: 'Smazat # dokument',
        few: 'Smazat # dokumenty',
        many: 'Smazat # dokumentu',
        other: 'Smazat # dokumentů',
      }),
    noneFits: 'Těmto filtrům neodpovídá žádný dokument',
    noneFitsHint: 'Některý uberte, nebo začněte znovu.',
    clearFilters: 'Zobrazit všechny dokumenty',
  },
  filters: {
    label: 'Filtry',
    name: 'Část názvu',
    doubtful: 'pochybné strany',
    noText: 'bez textu',
    more: 'Další filtry',
    moreCount: (count) => `Další filtry (${count})`,
    clear: 'Zrušit všechny',
    show: 'Zobrazit dokumenty',
    from: 'Zadáno od',
    to: 'do',
    surer: 'Jistota nejméně (%)',
    unsurer: 'nejvýše (%)',
    keyword: 'Klíčové slovo',
    keywordHelp:
      'První písmena slova, které Písmák považuje za typické pro dokument. Vyberte jich nejvýše pět.',
    shown: {
      owner: (value) => `vlastník ${value}`,
      from: (value) => `od ${value}`,
      to: (value) => `do ${value}`,
      surer: (value) => `jistota nejméně ${value} %`,
      unsurer: (value) => `jistota nejvýše ${value} %`,
    },
  },
  uploads: {
    chooseFiles: 'Přidat soubory',
    chooseFolder: 'Přidat složku',
    dropNew: 'Pusťte soubory nebo složky a Písmák je přečte',
    dropHere: 'Pusťte soubory nebo složky a přidají se k tomuto dokumentu',
    started: 'Soubory jsou na cestě. Mezitím můžete pracovat dál.',
    newTitle: 'Nový dokument',
    files,
    nothingToRead: 'Žádný z těchto souborů nelze přečíst. Písmák čte obrázky, PDF a soubory ZIP s nimi.',
    refused: (count) =>
      plural(count, {
        one: '# soubor se vynechá',
        few: '# soubory se vynechají',
        many: '# souboru se vynechá',
        other: '# souborů se vynechá',
      }),
    why: {
      kind: 'Není to obrázek, PDF ani soubor ZIP',
      empty: 'Soubor je prázdný',
      name: 'Název je příliš dlouhý, nebo obsahuje znaky, které nelze uložit',
    },
    together: 'Jeden dokument ze všech souborů',
    apart: (count) =>
      plural(count, {
        one: '# dokument',
        few: '# dokumenty: za každou složku a za každý samostatný soubor jeden',
        many: '# dokumentu: za každou složku a za každý samostatný soubor jeden',
        other: '# dokumentů: za každou složku a za každý samostatný soubor jeden',
      }),
    name: 'Název',
    defaultName: (day) => `Dokumenty ze dne ${day.toLocaleDateString('cs', { dateStyle: 'long' })}`,
    formats: 'Výsledky',
    more: 'Další volby',
    textLayer: 'Použít text těch PDF, která ho mají',
    textLayerHelp: 'Strany s textem se převezmou, jak jsou, a nečtou se.',
    again: 'Přečíst každou stranu znovu',
    againHelp: 'Jinak se použijí strany, které už byly přečteny se stejným nastavením.',
    noFormat: 'Vyberte aspoň jeden druh výsledku',
    noName: 'Pojmenujte dokument',
    start: 'Přečíst',
    startSeveral: (count) =>
      plural(count, {
        one: 'Přečíst # dokument',
        few: 'Přečíst # dokumenty',
        many: 'Přečíst # dokumentu',
        other: 'Přečíst # dokumentů',
      }),
    leftOver: (name, count) =>
      plural(count, {
        one: `Když se tato stránka zavřela, chyběl v dokumentu ${name} ještě # soubor. Vyberte stejné soubory znovu: co už dorazilo, se neposílá podruhé.`,
        few: `Když se tato stránka zavřela, chyběly v dokumentu ${name} ještě # soubory. Vyberte stejné soubory znovu: co už dorazilo, se neposílá podruhé.`,
        many: `Když se tato stránka zavřela, chybělo v dokumentu ${name} ještě # souboru. Vyberte stejné soubory znovu: co už dorazilo, se neposílá podruhé.`,
        other: `Když se tato stránka zavřela, chybělo v dokumentu ${name} ještě # souborů. Vyberte stejné soubory znovu: co už dorazilo, se neposílá podruhé.`,
      }),
    goOn: 'Vybrat soubory',
    leaveOut: 'Vynechat je',
    notThese: (name) => `Žádný z těchto souborů v dokumentu ${name} nechybí.`,
    states: { sending: 'posílá se', done: 'odesláno', failed: 'neúplné', stopped: 'zastaveno' },
    fileStates: { waiting: 'čeká', sending: 'posílá se', sent: 'odesláno', failed: 'selhalo' },
    progress: (done, total) => `${done} z ${total} souborů`,
    left: (time) => `zbývá asi ${time}`,
    details: 'Soubory',
    stop: 'Zastavit',
    tryAgain: 'Poslat zbytek',
    dismiss: 'Zavřít',
    sent: (share) => `odesláno ${share}`,
    someFailed: (count) =>
      plural(count, {
        one: '# soubor se nepodařilo poslat.',
        few: '# soubory se nepodařilo poslat.',
        many: '# souboru se nepodařilo poslat.',
        other: '# souborů se nepodařilo poslat.',
      }),
    file: 'Soubor',
    size: 'Velikost',
    onItsWay: 'Odesláno',
  },
  formats: {
    txt: 'Text',
    page: 'PAGE XML',
    alto: 'ALTO',
    hocr: 'hOCR',
    pdf: 'PDF s textem',
    json: 'JSON',
    tsv: 'Tabulky (TSV)',
  },
  languages: {
    label: 'Jazyk nebo model',
    help: 'Známý jazyk se čte jistěji než uhodnutý.',
    name: 'Jméno modelu',
    nameHelp: 'Jak ho jmenuje Tesseract, například pol nebo ces+deu.',
    auto: 'Uhodnout u každé strany',
    autoShort: 'Uhodnutý',
    fraktur: 'Fraktura (novogotické písmo)',
    other: 'Jiný …',
  },
  document: {
    title: 'Dokument',
    couldNotRead: 'Dokument se nepodařilo načíst',
    read: 'Přečtené strany',
    readOf: (done, total) => `${done} z ${total}`,
    left: (time) => `zbývá asi ${time}`,
    doubtful: (count) =>
      plural(count, {
        one: '# strana je pochybná',
        few: '# strany jsou pochybné',
        many: '# strany je pochybné',
        other: '# stran je pochybných',
      }),
    noDoubt: 'Žádná strana není pochybná',
    created: 'Zadáno',
    keywords: 'Klíčová slova',
    failedSources: (count) =>
      plural(count, {
        one: '# soubor se nepodařilo otevřít',
        few: '# soubory se nepodařilo otevřít',
        many: '# souboru se nepodařilo otevřít',
        other: '# souborů se nepodařilo otevřít',
      }),
    empty: 'Tento dokument zatím nemá žádné soubory',
    emptyHint: 'Přetáhněte sem skeny, PDF nebo celou složku.',
    opening: 'Soubory se otevírají',
    openingHint: 'Strany se tu objeví, jakmile budou známy.',
    allPages: 'Všechny',
    thumbnails: 'Obrázky',
    rows: 'Seznam',
    noneInState: 'V tomto stavu teď není žádná strana',
    cancel: 'Zrušit čtení',
    cancelled: 'Čtení je zrušeno. Přečtené strany zůstávají.',
    resume: 'Číst dál',
    resumed: 'Čtení pokračuje.',
    submit: 'Přečíst',
    submitted: 'Dokument je zadán.',
    noSources: 'Zatím nemá žádné soubory',
    retry: 'Přečíst znovu',
    delete: 'Smazat',
    deleteTitle: (name) => `Smazat ${name}?`,
    deletePages: (count) =>
      plural(count, { one: 'Má # stranu.', few: 'Má # strany.', many: 'Má # strany.', other: 'Má # stran.' }),
    deleteText: 'Obrázky, výsledky i texty se vymažou. Nelze to vzít zpět.',
    deleted: (name) => `${name} je smazán.`,
    wasDeleted: 'Tento dokument byl smazán',
    download: 'Stáhnout',
    nothingRead: 'Zatím není přečtena žádná strana',
    pages: 'Strany',
    page: 'Strana',
    pageLabel: (page, state, confidence) =>
      `Strana ${page}, ${state}${confidence === undefined ? '' : `, jistota ${confidence}`}`,
    words: 'Slov',
    doubtfulWords: 'Pochybných slov',
    unreadLines: 'Nepřečtených řádků',
    ended: 'Přečteno',
  },
  retry: {
    title: 'Přečíst znovu',
    failed: (count) =>
      plural(count, {
        one: 'Co selhalo: # strana nebo soubor',
        few: 'Co selhalo: # strany a soubory',
        many: 'Co selhalo: # strany a souboru',
        other: 'Co selhalo: # stran a souborů',
      }),
    failedHint: 'V jazyce, který dokument má.',
    unfinished: 'Také to, co se právě čte',
    unfinishedHelp: 'Pokud se to ztratilo. Výsledky, které přijdou pozdě, se zahodí.',
    all: (count) =>
      plural(count, {
        one: 'Celý dokument: # strana',
        few: 'Všechny # strany',
        many: 'Všech # strany',
        other: 'Všech # stran',
      }),
    allHint: 'V jazyce uvedeném níže. Dosavadní texty se nahradí.',
    action: 'Přečíst znovu',
    nothingFailed: 'Nic neselhalo',
    done: (count) =>
      plural(count, {
        one: '# strana se čte znovu.',
        few: '# strany se čtou znovu.',
        many: '# strany se čte znovu.',
        other: '# stran se čte znovu.',
      }),
  },
  download: {
    title: 'Stáhnout',
    notFinished: 'Dokument se ještě čte. Dostanete, co je hotové teď.',
    all: 'Obrázky a všechny výsledky (ZIP)',
    allHint: (formats) => `Pro každou stranu složka, v ní ${formats}, a METS`,
    results: 'Výsledky bez obrázků (ZIP)',
    resultsHint: 'Totéž, menší',
    pdf: 'Jedno PDF ze všech stran',
    pdfHint: 'PDF/A: obrázky s textem, v němž lze hledat a který lze kopírovat',
    original: (name) => `${name} s textem`,
    originalHint: (size) => `Váš soubor, jak byl (${size}), s textovou vrstvou na stranách, které ji neměly`,
    onePage: 'Výsledky jediné strany najdete v prohlížeči pod „Strana a soubory“.',
    missing: (formats) => `Pro tento dokument nejsou: ${formats}. Výsledky se vybírají při zadání dokumentu.`,
  },
  ...reading,
};

export default cs;
