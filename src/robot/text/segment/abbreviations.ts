/** A full stop behind these does not end a sentence. Lower case; Czech and Slovak, with what is common in English and German. */
export const abbreviations: ReadonlySet<string> = words(
  `např napr tzv tzn tj resp popř příp prip event č čl odst ods písm pism str s sv ul tř tr p pí sl ml mj zvl zejm vč sp zn čj
  ing mgr bc mudr judr phdr rndr paeddr thdr phmr pharmdr mvdr mddr rsdr doc prof dr arch ph d mga bca thlic mons akad dipl
  tel fax mob r o a.s s.r.o spol čs čsl angl něm nem lat franc fr špan ital rus slov srov porov pozn obr tab kap roč vyd nakl přel red ed eds cca ca
  hod min sek kč gen plk pplk mjr kpt por npor ppor škpt prap nprap šk roz nar rod orig násl nasl pův ev max mil mld tis př n l
  sev vých záp hl okr býv zák vyhl nař odd zást
  jr sr mr mrs ms st vs e.g i.e fig vol pp al inc ltd dept approx gov sen capt col lt sgt rev corp mt feb apr jun jul aug sep sept oct nov dec
  z.b bzw d.h nr abs hrsg bd vgl ggf inkl evtl sog geb`,
);

/** These end one before a capital letter: "knihy, noviny apod. Druhý den..." */
export const mayEnd: ReadonlySet<string> = words(
  'atd atď apod aj ap atp etc usw kč hod min r o a.s s.r.o n l',
);

/** These end one only before a word that begins many sentences: "Přišli k nám. Pak..." but "nám. Míru", "Jan Malý, CSc. Potom...". */
export const seldomEnd: ReadonlySet<string> = words(
  'nám nam csc drsc ph.d d jr sr s st stol tis mil mld sek max rod slov rus lat hl inc ltd corp al',
);

/** They rarely are names, so what stands before them ended a sentence. */
export const beginners: ReadonlySet<string> = words(
  `a i v ve na do od po pro při za ze z s se k ke o u pod podle před mezi během kvůli díky proti bez
  pak potom poté tehdy tam tady zde teď nyní dnes včera zítra jednou nakonec konečně později brzy často někdy už až
  ale však proto protože když kdyby pokud jestli zda že aby jako jak kde kdo co kdy který která které kolik proč
  ten ta to ti ty tento tato toto tito tyto jeho její jejich on ona ono oni my vy já každý všichni všechno nic nikdo něco někdo
  je jsou byl byla bylo byli byly má mají měl měla mohl může bude budou není nebyl nebylo ani jen ještě také takže tak tedy navíc další
  vo zo so sa ku podľa pri pred medzi počas vďaka potom vtedy tu teraz včera zajtra neskôr často niekedy už
  avšak preto pretože keď keby ak či aby ako kde kto čo kedy ktorý ktorá ktoré koľko prečo táto títo tieto ich každý všetci všetko nikto niečo niekto
  sú bol bola bolo boli mal mala mohol môže budú nie nebol nebolo len ešte tiež takže teda navyše ďalší ďalšie
  the he she it in this that these we they but and at on for when there his her its der die das er sie es im wir aber und`,
);

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ''));
}
