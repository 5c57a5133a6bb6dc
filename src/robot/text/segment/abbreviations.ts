/** A full stop behind these does not end a sentence. Lower case; Czech and Slovak, with what is common in English and German. */
export const abbreviations: ReadonlySet<string> = new Set(
  `např napr tzv tzn tj tzv resp popř příp prip event č čl odst písm pism str s sv ul nám nam tř tr p pí sl st ml mj zvl zejm
  ing mgr bc mudr judr phdr rndr paeddr thdr phmr pharmdr mvdr rsdr doc prof dr arch csc drsc ph d ph.d mga bca
  tel fax mob r o a.s s.r.o spol čs čsl angl něm lat franc it pol rus slov srov viz pozn obr tab kap roč vyd red ed eds cca ca
  hod min sek kč km gen plk pplk mjr kpt por npor ppor šk prap let roz nar zem cit orig násl nasl pův ev max mil mld tis stol př n l
  jan jr sr mr mrs ms st vs etc e.g i.e fig no vol pp al inc ltd co dept approx jan feb mar apr jun jul aug sep sept oct nov dec
  z.b bzw usw d.h nr abs hrsg bd vgl ggf inkl`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** These may end one: "knihy, noviny apod. Druhý den..." */
export const mayEnd: ReadonlySet<string> = new Set(
  'atd apod aj ap atp etc usw kč hod min r o a.s s.r.o n l'.split(' '),
);
