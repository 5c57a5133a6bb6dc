import type { Random } from '../../../engine/ground/identity.ts';

/** Sentences of a village chronicle. Words in braces are drawn from the lists below. */
const sentences = [
  'Léta Páně {rok} dne {den}. {mesic} vyhořelo v {obci} {cislo} stavení i s celou úrodou.',
  'Téhož roku byla neobyčejně tuhá zima, že i ptactvo ve vzduchu mrzlo a vlci chodili až ke vsi.',
  'Rychtář {jmeno} dal svolat všechny sousedy na den {den}. {mesic} do hospody u kostela.',
  'Na jaře přišla velká voda, strhla most pod mlýnem a odnesla {cislo} sáhů dříví.',
  'Žito se prodávalo po {cislo} zlatých a chudý lid si přimíchával do mouky drcenou kůru.',
  'Pan farář {jmeno} zapsal do matriky {cislo} křtů, {cislo} oddavek a {cislo} pohřbů.',
  'Škola byla přestavěna nákladem {cislo} zlatých a pokryta novými taškami.',
  'Učitel {jmeno} přišel k nám z {obce} a působil zde plných {cislo} let.',
  'Vojáci leželi u nás od svatého Václava až do Vánoc a obec jim musela dávat seno, oves i chléb.',
  'V měsíci {mesici} padaly kroupy veliké jako slepičí vejce a potloukly všechno obilí.',
  'Kovář {jmeno} ulil pro kapličku nový zvonek, který váží {cislo} liber.',
  'Stará lípa u studánky se za bouře rozlomila, ale brzy opět obrazila a zelená se dodnes.',
  'Ku paměti budoucím buď zapsáno, že toho léta nepršelo od Jana Křtitele až do svaté Anny.',
  'Sousedé se usnesli, že cestu k {obci} vyštěrkují vlastním nákladem a robotou po {cislo} dnech.',
  'Přípis okresního úřadu ze dne {den}. {mesic} {rok} byl přečten a vzat na vědomí.',
  'Obecní zastupitelstvo schvaluje účet za rok {rok} s přebytkem {cislo} korun a {cislo} haléřů.',
  'Žadatel {jmeno}, narozený v {obci} roku {rok}, žádá o vydání domovského listu.',
  'Svědek vypověděl, že obviněného viděl odcházet kolem deváté hodiny večerní směrem k lesu.',
  'Na výstavce bylo vidět {cislo} druhů jablek a hrušek, nejkrásnější dovezl {jmeno} z {obce}.',
  'Čtenářský spolek zakoupil {cislo} svazků a půjčoval je každou neděli po velké mši.',
  'Hasičský sbor pořídil čtyřkolovou stříkačku, jež byla slavnostně posvěcena v měsíci {mesici}.',
  'Při sčítání lidu bylo napočteno {cislo} domů a v nich {cislo} obyvatelů české řeči.',
  'Dráha, o níž se tolik mluvilo, byla nakonec vedena přes {obec} a k nám se nedostala.',
  'Mlynář {jmeno} tvrdil, že mu vodu zadržují, a vedl při, která trvala {cislo} roků.',
  'Když hlásný odtroubil půlnoc, strhl se na návsi křik a všude se rozzářila okna.',
  'Babička vypravovala dětem o dávných časech, kdy po kraji táhli Švédové a lidé prchali do skal.',
  'Dítky školní sázely podél silnice třešně, aby se jejich vnuci měli u čeho zastavit.',
  'Nejstarší občan {jmeno} zemřel ve věku {vek} let a doprovodila jej celá osada.',
  'Po žních bylo veselo, hrála muzika z {obce} a tančilo se do bílého rána.',
  'Úroda brambor byla slabá, neboť hlízy hnily a nať již v {mesici} zčernala.',
  'Prosíme uctivě, aby slavný úřad ráčil věc prošetřit a nám laskavě odpovědět.',
  'K žádosti se přikládají tři přílohy, totiž křestní list, vysvědčení a svědectví obce.',
  'Zapsal {jmeno}, toho času písař a kronikář obce, vlastní rukou a podle pravdy.',
  'Hejtman nařídil, aby každý hospodář chránil svůj komín a měl po ruce žebřík, hák a džber vody.',
  'Nákaza dobytka se rozšířila tak, že v {obci} zůstala sotva desátá kráva.',
  'Z daleka přijel fotograf a zhotovil obrazy kostela, školy i všech spolků pohromadě.',
  'Ve sporu o pastvisko bylo rozhodnuto, že díl za potokem přísluší oběma obcím stejným dílem.',
  'Říčka zamrzla tak silně, že po ní jezdily těžké vozy s kamenem na stavbu silnice.',
  'Poštovní úřad byl zřízen dne {den}. {mesic} {rok} a první poštmistr se jmenoval {jmeno}.',
  'Mládež nacvičila divadlo a z výtěžku {cislo} zlatých koupila obrazy do školní světnice.',
] as const;

const lists = {
  mesic: ['ledna', 'února', 'března', 'dubna', 'května', 'června', 'července', 'září', 'října', 'prosince'],
  mesici: ['květnu', 'červnu', 'červenci', 'srpnu', 'září'],
  obec: ['Lhotu', 'Třebíč', 'Říčany', 'Žďár', 'Újezd', 'Měřín', 'Ďáblice', 'Krňany'],
  obci: ['Lhotě', 'Třebíči', 'Říčanech', 'Žďáru', 'Újezdě', 'Měříně', 'Ďáblicích', 'Krňanech'],
  obce: ['Lhoty', 'Třebíče', 'Říčan', 'Žďáru', 'Újezda', 'Měřína', 'Ďáblic', 'Krňan'],
  jmeno: [
    'Václav Šťastný',
    'Jiří Vaněk',
    'Matěj Dvořák',
    'Ondřej Říha',
    'Tomáš Žižka',
    'František Bílý',
    'Řehoř Kučera',
    'Jan Nezbeda',
    'Šimon Pešek',
    'Alžběta Čápová',
  ],
} as const;

/** One sentence of an old village chronicle, in Czech with all its letters. */
export function czechSentence(random: Random): string {
  return pick(sentences, random).replaceAll(/\{(\w+)\}/g, (_, slot: string) => {
    if (slot === 'rok') return String(1650 + Math.floor(random() * 290));
    if (slot === 'den') return String(1 + Math.floor(random() * 28));
    if (slot === 'cislo') return String(2 + Math.floor(random() * 197));
    if (slot === 'vek') return String(81 + Math.floor(random() * 18));
    return pick(lists[slot as keyof typeof lists], random);
  });
}

const headings = [
  'O velkém ohni',
  'Zápis ze schůze',
  'Léta neúrodná',
  'Škola a učitelé',
  'Paměti obecní',
  'Různé zprávy',
] as const;

export function czechHeading(random: Random): string {
  return pick(headings, random);
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
