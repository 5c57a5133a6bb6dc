/** Words that one of the two languages has and the other has not, as people write them without diacritics too. */
const czech =
  words(`jsem jsi jsme jste jsou byl byla bylo byli byly kdyz ktery ktera ktere kteri kterou kterym kterych neni nebo pouze jeste protoze
  pro podle mezi vse vsech vsechny vsechno jejich jeji muze muzete mohou take teto techto temto tyto temi tim jiz kdo nebyl nebylo nejsou nemuze
  dne ceske praze se ve ke jak jako jen jenom nekolik neco nekdo vice mene ctyri pet dekuji lide zpet tedy predevsim vetsina vetsi strance clanek
  ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince nekteri nektere jine jineho behem kvuli diky soucasti soucast
  spolecnosti spolecnost rizeni zarizeni sve svuj svych muj nase vase mne nazev prvni treti mesicni dle jez jejz tohoto vedouci stanice
  proudu uvnitr prislusenstvi musime pote velmi temer sedmi ode odtud kvalitni zde nejvice`);
const slovak =
  words(`som sme su bol bola bolo boli ktory ktora ktore ktori ktorou ktorym ktorych nie alebo len este pretoze preto pre podla medzi
  vsetko vsetky vsetkych moze mozete mozu tiez aj tejto tychto tymto tieto tymi tym kto nebol nebolo nemoze dna slovenske bratislave sa vo ako iba
  niekolko niekto nieco viac menej styri pat dakujem ludia ludi praca spat teda predovsetkym vacsina vacsi clanok januara februara marca aprila maja
  juna jula augusta oktobra dalsie niektori niektore ineho pocas kvoli vdaka pomocou sucastou sucast spolocnosti spolocnost riadenie zariadenie svoj
  svoje svojho svojej svojich nasa vasa mna nazov posledna prva druha tretia mesacne lebo rozdiel zdravie mieru dom
  predaj priatelov mali prvym vedla maju`);
/** Of those, the ones that no neighbour (Polish, Slovenian, Croatian) knows: they also speak against all other languages. */
const neither =
  words(`jsem jsme jste jsou kdyz ktery ktera ktere kteri kterou kterym kterych neni nebo pouze jeste protoze podle vsech vsechny vsechno
  jejich muze muzete mohou techto temto tyto jiz nebyl nebylo nejsou nemuze nekolik neco dekuji predevsim vetsina clanek ledna unora brezna dubna
  kvetna cervence srpna rijna nekteri nektere behem kvuli soucasti soucast spolecnosti spolecnost zarizeni prislusenstvi velmi temer vedouci pote dle
  ktory ktora ktore ktori ktorou ktorych alebo pretoze podla vsetko vsetky vsetkych moze mozete tiez tejto tychto tieto niekolko niekto nieco dakujem
  predovsetkym vacsina clanok niektori niektore pocas vdaka sucastou sucast spolocnosti spolocnost zariadenie svojho svojich lebo mieru`);

/** Without diacritics: vytvoreni and vytvorenie, uzivatelum and uzivatelom, domu and domov. */
const czechEnding = /^nej(?!ak)|(?:[^v]ech|[^i]eni|[^i]ani|ejsi|[^rlnt]um|ou[cdzs]|nim|imi|ci)$/;
const slovakEnding =
  /^naj(?!it|d|e|i)|(?:och|(?<!pot)om|atelia|[^r]ie|enie|anie|enia|ania|eniu|aniu|iach|iam|iami|ejsie|ovia|ieho|iemu|iou|ajuci|ujuci|ostou|ov|[^r]ej|encia|acia)$/;

/** Words as they are written with diacritics, which tell nothing without them: co and čo, ji and ju. */
const czechForms =
  words(`co ji jí ne ano nic proč odkud teď tady kdy jednoho svého svou svým mít být víš vím ví mě tě chci něj přes vždyť jde jdou
  také letech roce lidí lidé`);
const slovakForms =
  words(`čo ju ňu ňou nič prečo odkiaľ teraz kedy jedného svojou svojím mať byť vieš viem vie ťa áno tie tí títo ich jej najmä veľmi veľa
  hoci kým keď ak cez ide idú niet rokoch rokov roku ľudí`);

/** ř, ě and ů against ľ, ĺ, ŕ and ô; ú inside a word is Slovak, and so is ť at its end; í at the end is Czech more often. */
const letters: [pattern: RegExp, weight: number][] = [
  [/[řěů]/g, 2.5],
  [/í(?!\p{L})/gu, 0.5],
  [/[ľĺŕô]/g, -2.5],
  [/(?<=\p{L}{2})ú/gu, -1.5],
  [/(?<=(?<!\p{L})[bdhklmprstv])ú/gu, -1.2],
  [/ä(?=\p{L})/gu, -0.5],
  [/ť(?!\p{L})/gu, -0.7],
  [/(?<=\p{L})ý(?=ch)|čn[ýá]/gu, -0.2],
];
const wordWeight = 1.2;
const endingWeight = 0.5;
const formWeight = 1.2;
const strangerWeight = 0.7;

export interface Hint {
  /** How much speaks for Czech against Slovak: the logarithm of the odds, negative for Slovak. */
  forCzech: number;
  /** How much speaks for one of the two against every other language. */
  forEither: number;
}

/** Fewer letters of one language may be names in a text of another. */
const fewestCzechLetters = 8;
const czechLetterShare = 0.012;
/** So many words that only Czech has make up for a quarter of the letters, or for ů: names in a text of another language come without them. */
const manyCzechWords = 5;
/** So many ř and ě tell without a single ů. */
const manyCzechLetters = 20;

/** Whether a text has as many ř, ě and ů, or of them and of words, as only Czech has, and no letter of a neighbour (Slovak, Polish, Sorbian). */
export function isPlainlyCzech(text: string): boolean {
  let czechLetters = 0;
  let rings = 0;
  let hooks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xc0) continue;
    // A capital and its small letter differ in the last bit: ě, ř, ů.
    const code = unit | 1;
    if (code === 0x11b) czechLetters += 1;
    else if (code === 0x159) hooks += 1;
    else if (code === 0x16f) rings += 1;
    else if (unit < 0x180 && isForeign[unit] === 1) return false;
  }
  czechLetters += rings + hooks;
  const enough = rings > 0 ? fewestCzechLetters : hooks > 0 ? manyCzechLetters : Number.POSITIVE_INFINITY;
  const share = czechLetters / text.length;
  if (czechLetters >= enough && share >= czechLetterShare) return true;
  const someLetters =
    rings + hooks > 0 && czechLetters >= fewestCzechLetters && share >= 0.75 * czechLetterShare;
  return someLetters && czechWordsIn(text) >= manyCzechWords;
}

/** How many words of a text no neighbour has. */
function czechWordsIn(text: string): number {
  let count = 0;
  for (const word of plainWords(text.toLowerCase())) if (czech.has(word) && neither.has(word)) count += 1;
  return count;
}

/** Without diacritics. */
function plainWords(lower: string): string[] {
  return (
    lower
      .normalize('NFD')
      .replaceAll(/\p{M}+/gu, '')
      .match(/[a-z]+/g) ?? []
  );
}

const isForeign = new Uint8Array(0x180);
for (const letter of 'ľĺŕôĽĹŔÔłŁćĆńŃśŚźŹàèùâêäÄöÖüÜ') isForeign[letter.charCodeAt(0)] = 1;

export function czechOrSlovak(text: string): Hint {
  const lower = text.toLowerCase();
  const czechLetters = count(lower, /[řěů]/g);
  const slovakLetters = count(lower, /[ľĺŕô]/g);
  let forCzech = 0;
  let forEither = 0.4 * czechLetters;
  // Most texts are decided by their letters, and words need not be looked at.
  if (Math.abs(czechLetters - 3 * slovakLetters) >= 4 && Math.min(czechLetters, slovakLetters) === 0)
    return { forCzech: czechLetters > 0 ? 10 : -10, forEither: Math.min(4, forEither + 0.4 * slovakLetters) };
  for (const [pattern, weight] of letters) forCzech += weight * count(lower, pattern);
  if (/[^\0-\x7f]/.test(lower))
    for (const word of lower.match(/[a-z\u00e0-\u017f]+/g) ?? []) {
      if (czechForms.has(word)) forCzech += formWeight;
      else if (slovakForms.has(word)) forCzech -= formWeight;
    }
  for (const word of plainWords(lower)) {
    if (neither.has(word)) forEither += strangerWeight;
    if (czech.has(word)) forCzech += wordWeight;
    else if (slovak.has(word)) forCzech -= wordWeight;
    else if (word.length > 4) {
      if (slovakEnding.test(word)) forCzech -= endingWeight;
      else if (czechEnding.test(word)) forCzech += endingWeight;
    }
  }
  return { forCzech, forEither: Math.min(4, forEither) };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ''));
}
