import { foldedText } from '../text/fold.ts';

/** The most frequent words of a language (by its Tesseract name), folded; empty for other languages. */
export function commonWords(language: string): ReadonlySet<string> {
  const name = language.replace(/^script\//, '');
  let words = folded.get(name);
  if (!words) {
    words = new Set(
      (byLanguage[name] ?? byLanguage[name.split('_')[0] ?? ''] ?? '')
        .split(' ')
        .filter(Boolean)
        .map(foldedText),
    );
    folded.set(name, words);
  }
  return words;
}

const folded = new Map<string, ReadonlySet<string>>();

const german =
  'aber alle als am an auch auf aus bei bis da das daß dem den denn der des die durch ein eine einem einen einer er es für hat ich ihm ihr ihre im in ist man mit nach nicht noch nur oder sein seine sich sie sind so über um und uns von vor war was wie wir wird wo zu zum zur';
const byLanguage: Readonly<Record<string, string>> = {
  deu: german,
  Fraktur: german,
  frk: german,
  ces: 'aby ale ani bez bude by byl byla byli bylo co do i jak jako je jeho jejich jen jest již jsem jsou k kde když která které který kteří ku má na nad ne nebo není než o od po pod podle pro při roku s se si své také tak ten to toho tom u v ve však z za ze že',
  slk: 'aby aj ako ale alebo ani bez bol bola boli bolo bude by byť čo do i jeho jej je k kde keď ktorá ktoré ktorý ktorí má na nad nie než o od po pod podľa pre pri roku s sa si sú svoje tak ten to toho tom u už v vo však z za zo že',
  eng: 'a all an and are as at be been but by for from had has have he her his i if in into is it its my no not of on one or our she so that the their them then there they this to was we were what when which who will with would you your',
  fra: 'à au aux avec ce ces cette comme dans de des du elle en est et il ils je la le les leur lui mais ne nous ou où par pas plus pour qu que qui sa se ses si son sont sur un une vous',
  pol: 'a aby ale było być co czy dla do i ich jak jako jego jej jest już która które który lecz ma na nad nie o od oraz po pod przez przy się są tak tego ten to tych tym w we z za ze że',
  lat: 'a ab ac ad atque aut cum de e est et etiam ex hoc id in ita nec non per pro quae quam qui quid quod se sed si sunt tam ut vel',
  ita: 'a al alla anche che chi con da dal dei del della delle di e gli ha i il in la le lo ma nel non o per più se si sono su suo un una uno',
  spa: 'a al como con de del el en es esta ha la las le lo los más no o para pero por que se si sin su sus un una y ya',
  hun: 'a az azt de egy és ez hogy ha is itt már még meg mint nem ő s volt vagy van',
};
