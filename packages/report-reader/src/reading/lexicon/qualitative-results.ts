import { normalizeWords, parsePhrases, memoizeByText } from '../text-normalization.ts';

/** Qualitative results in words, by whether they mean that something is present. */
const ABSENT = `negative, neg, non reactive, nonreactive, non-reactive, not detected, none detected, undetected, not seen, none seen, none, absent, nil,
  no growth, not present, not isolated, negativo, negativa, negatif, negative, negativ, no reactivo, no reactiva, no detectado, no detectada, nao reagente,
  nao detectado, nao detectada, ausente, ausentes, ausencia, ausencias, assente, assenti, absence, absents, absentes, nicht nachweisbar, nicht nachgewiesen, nicht reaktiv, non reattivo, non reactif,
  non rilevato, non rilevabile, non rilevati, non detecte, non detectee, indetectable, undetectable, no se observan, no se observa, nao observado, keine, kein,
  no contiene, not observed, not found, no evidence, no virus detected, no organisms seen, non presenti, no presenta, inapparent, n d, nd, target not detected, target nd, no detectable,
  no abnormality detected, no abnormalities seen, sterile, non observe, ausente s, negatief, afwezig, niet aantoonbaar, niet aangetoond, unmutated, not mutated, nicht mutiert, non mute, non mutee, non mutato, no mutado, no mutada, nao mutado, nao mutada, no`;
const PRESENT = `positive, pos, reactive, detected, present, positivo, positiva, positif, positiv, reactivo, reactiva, reagente, detectado,
  detectada, presente, presenti, presencia, presence, nachweisbar, nachgewiesen, reaktiv, reattivo, reactif, rilevato, detecte, detectee, weakly positive, weak positive, strong positive, strongly positive,
  weakly reactive, trace, traces, tr, small, moderate, large, few, rare, many, numerous, occasional, occ, some, heavy, scanty, scant, abundant, packed, tntc, too numerous to count, full field, plenty,
  indicios, vestigios, trazas, traza, trazos, tracos, traco, tracce, spuren, spur, leichte, massig, reichlich, vereinzelt, einzelne, zahlreich, moderado, moderada, escaso, escasa, escasos, escasas, abundante, abundantes, regular cantidad,
  raros, raras, raro, rara, numerosos, alguns, algumas, algunas, algunos, rari, rare, qualche, numerose, scarsi, discrete, quelques, rares, nombreux, nombreuses, assez nombreux,
  indeterminate, equivocal, borderline, grenzwertig, indeterminado, indeterminada, dudoso, fraglich, douteux, dubbio, invalid, inconclusive, inconclusivo, yes, si, sim, ja, oui,
  reactive confirmed, positief, zwak positief, aanwezig, aangetoond, moderadas, moderados, abundantes, numerosas, mutated, mutiert, mute, mutee, mutato, mutado, mutada, small amount, large amount, mild, marked, slight, 1+ few, isolated, growth`;
const NEUTRAL = `normal, abnormal, normale, anormal, normocytic, normochromic, normocytic normochromic, adequate, adequado, adecuado, sufficient, insufficient,
  clear, turbid, cloudy, hazy, slightly hazy, slightly cloudy, slightly turbid, slight haze, sl cloudy, sl hazy, opaque, transparent, limpid, claro, clara, limpido, limpida, turbio, turva, turvo, ligeramente turbio, lig turbio, ligeiramente turvo, lievemente torbido, torbido,
  klar, trub, leicht trub, limpide, trouble, legerement trouble, transparente, nitido,
  yellow, pale yellow, light yellow, dark yellow, straw, amber, colorless, colourless, red, brown, orange, green, deep yellow, yellowish, amarillo, amarillo claro, amarillo paja, amarillo palido, amarillo intenso, amarillo oscuro, amarillo ambar, ambar, amarelo, amarelo claro, amarelo citrino, amarelo palha, amarelo escuro, amarelo ambar,
  amarela, citrino, giallo, giallo paglierino, paglierino, giallo chiaro, giallo scuro, giallo intenso, giallo ambra, gelb, hellgelb, dunkelgelb, bernstein, strohgelb, jaune, jaune clair, jaune pale, jaune fonce, jaune ambre, incolore, incoloro, incolor, semi turbid, reddish, reddish yellow, caracteristico, sui generis, proprio,
  blanda, blando, pastosa, pastoso, formada, formado, liquida, semiliquida, dura, stable, sin elementos patologicos,
  soft, formed, semi formed, semisolid, semi solid, liquid, mucoid, brownish, watery, loose,
  o positive, o negative, b positive, b negative, ab positive, ab negative, rh positive, rh negative, o pos, b pos, ab pos, o neg, b neg, ab neg, o rh positive,
  susceptible, resistant, intermediate, sensible, resistente, sensibel, intermedio, immune, non immune, not immune, non-immune, pending, see note, see below, see comment, see report, siehe kommentar, siehe unten, folgt,
  acidic, alkaline, alcalino, sauer, not applicable, n a, na, not performed, not calculated, not done, not tested, not reported, tnp, cancelled, canceled, quantity not sufficient, qns, hemolyzed,
  insufficient sample, sample insufficient, insufficient specimen, sample unsuitable, unsuitable sample, specimen unsuitable, haemolysed, sample haemolysed, haemolysed not reported, hemolyzed not reported, clotted, sample clotted, not received, no sample, muestra insuficiente, muestra hemolizada, muestra coagulada, no procesado, no realizado, probe hamolytisch, material fehlt, zu wenig material, echantillon insuffisant, prelevement insuffisant, campione insufficiente, campione emolizzato, non eseguito, amostra insuficiente, amostra hemolisada,
  unremarkable, unauffallig, satisfactory, not estab, not established, non applicable, consistent, wild type, homozygous, heterozygous, wildtype, wildtyp, heterozygot, homozygot, heterozygote, homozygote, heterocigoto, heterocigota, homocigoto, homocigota, eterozigote, omozigote, heterozigoto, homozigoto, heterozigota, homozigota, carrier, no mutation detected, not interpreted, low risk, high risk, moderate risk, intermediate risk, medium risk, average risk, increased risk, decreased risk, low probability, high probability, no result, euthyroid, mature, see comments, note`;

const KINDS = new Map<string, 'absent' | 'present' | 'neutral'>();
for (const phrase of parsePhrases(NEUTRAL)) KINDS.set(normalizeWords(phrase), 'neutral');
for (const phrase of parsePhrases(PRESENT)) KINDS.set(normalizeWords(phrase), 'present');
for (const phrase of parsePhrases(ABSENT)) KINDS.set(normalizeWords(phrase), 'absent');

const PLUSES =
  /^(?:[+]{1,4}|[1-4]\s?[+]|[+]\s?[1-4]|\([+]\)|[±]|[+]\/-|\(-\)|neg\.?|[+]{1,4}\s?\([1-4][+]\))$/iu;
const TITER = /^(?:[<>≤≥]=?\s?)?1\s?[:/]\s?\d{1,6}$/;

/** Organisms of cultures, by genus. */
const ORGANISM =
  /^(?:e coli|k pneumoniae|s aureus|p aeruginosa|(?:escherichia|klebsiella|staphylococcus|staph|streptococcus|enterococcus|pseudomonas|proteus|candida|enterobacter|citrobacter|serratia|acinetobacter|haemophilus|salmonella|shigella|campylobacter|morganella|providencia|neisseria|listeria|moraxella|aspergillus|clostridioides|clostridium|bacteroides|ureaplasma|mycoplasma|gardnerella|corynebacterium|stenotrophomonas)(?: (?:coli|sp|spp|\p{L}{4,}))+)$/u;

export const isOrganism = (text: string): boolean => ORGANISM.test(normalizeWords(text));

/** "B Rh(D) Positive": the group is not a flag of what follows it. */
const BLOOD_GROUP = /^(?:a|b|ab|o|0) (?:rh|rhesus)(?: ?d)? (?:pos|neg)\p{L}*$/u;

/** Whether a name is a test with result A, B, AB or O. */
export const isBloodGroupName = (name: string): boolean =>
  /\babo\b|blood group|blutgruppe|(?:grupo|groupe|gruppo) s/iu.test(name);

/** "No growth after 5 days", in six languages. */
const NO_GROWTH =
  /^(?:no (?:bacterial )?growth|nao houve crescimento|no (?:hubo|hay|se observa) crecimiento|sin (?:crecimiento|desarrollo)|kein wachstum|absence de (?:culture|germe)|assenza di crescita|culture? sterile)(?: \p{L}+| \d{1,3}){0,5}$/u;

/** Negations, in full or abbreviated. */
const NEGATION = /^(?:n|no|non|not|nao|nicht|niet|ne|nie|kein|keine|sin|sem|senza|sans|pas|without|ohne)$/;
/** Findings that can be negated, in all abbreviations: "nachw.", "react.", "detec." */
const FINDING_STEM =
  /^(?:nachw\p{L}*|nachgew\p{L}*|rea[ck]t\p{L}*|reag\p{L}*|reatt\p{L}*|det(?:ec\p{L}*|ek\p{L}*|ect\p{L}*)?|rile?v\p{L}*|pos(?:it\p{L}*)?|pr[eä]s(?:en\p{L}*)?|vorh(?:anden)?)$/u;

/** Cheap filter, as every word of a page is tested. */
const NEGATION_FORM = /^[^\p{L}\d]*[nkspow]\p{L}{0,6}\P{L}{0,3}$/iu;

/** Whether a word negates the one after it; a lone "N" is the flag for normal. */
export const isNegation = (word: string): boolean =>
  NEGATION_FORM.test(word) && word !== 'N' && NEGATION.test(normalizeWords(word));

/** "Detected" and "react." can be negated; "yes" and "many" cannot. */
export const isNegatable = (text: string): boolean =>
  normalizeWords(text)
    .split(' ')
    .some((word) => FINDING_STEM.test(word));

/** "n. nachw.", "no react." and "non rilev.": a negated finding in any abbreviation. */
function isNegatedFinding(phrase: string): boolean {
  const [turn, finding, ...others] = phrase.split(' ');
  return (
    NEGATION.test(turn ?? '') && finding !== undefined && others.length === 0 && FINDING_STEM.test(finding)
  );
}

export type QualitativeKind = 'absent' | 'present' | 'neutral' | 'titer';

/** The meaning of a whole text as a qualitative result; undefined for other text. */
export const parseQualitative = memoizeByText((text: string): QualitativeKind | undefined => {
  const tight = text
    .trim()
    .replace(
      /^(\p{L}[\p{L}\s-]+?)(?:\s*[,;(]?\s*\(?(?:tit(?:er|re)|t[ií]tulo|titolo)\.?:?)?\s*(?:\(?1\s?[:/]\s?\d{1,6}(?:\s\p{L}{2,5}\.?)?\)?|\((?:(?:s\/co?|coi|index|[íi]ndice|ratio|ai)\s?[:=]?\s?)?[<>≤≥]?=?\s?\d[\d.,]*(?:[/:]\d+)?(?:\s(?:s\/co?|coi|index|ratio|ai))?\))$/iu,
      '$1',
    );
  if (TITER.test(tight)) return 'titer';
  if (PLUSES.test(tight)) return tight === '(-)' || /^neg/i.test(tight) ? 'absent' : 'present';
  // "?reactive" is a question.
  if (/\p{L}[+]|^\?/u.test(tight)) return undefined;
  const phrase = normalizeWords(tight);
  const known = KINDS.get(phrase);
  if (known) return known;
  if (isNegatedFinding(phrase)) return 'absent';
  if (tight.endsWith('.') && FINDING_STEM.test(phrase)) return 'present';
  if (BLOOD_GROUP.test(phrase)) return 'neutral';
  if (isOrganism(phrase)) return 'present';
  if (NO_GROWTH.test(phrase)) return 'absent';
  return /^[1-4] (?:few|small|moderate|large|many)$/.test(phrase) ? 'present' : undefined;
});

const WORDLIKE = /[\p{L}\d+±]/u;

/** How many words from `start` on are one qualitative result; 0 for none. */
export function qualitativeLength(words: readonly string[], start: number): number {
  const most = /^(?:no|n[ãa]o|sin|kein|absence|assenza)$/iu.test(words[start] ?? '') ? 7 : 4;
  for (let count = Math.min(most, words.length - start); count > 0; count -= 1) {
    const some = words.slice(start, start + count);
    if (!WORDLIKE.test(some[0] ?? '') || !WORDLIKE.test(some.at(-1) ?? '')) continue;
    if (parseQualitative(some.join(' ')) !== undefined) return count;
  }
  return 0;
}
