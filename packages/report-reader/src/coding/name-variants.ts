import { plainText, wordsOf } from './plain-name.ts';
import type { MeasurementTechniqueKind } from './techniques.ts';

/** A variant of a printed name, weighted by how completely it represents the name. */
export interface NameVariant {
  readonly words: readonly string[];
  /** 1 for the name as printed. */
  readonly weight: number;
}

const wordSet = (text: string): Set<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Words about specimen, quantity or method, not about the analyte. */
const ASIDE = wordSet(`
  serum plasma ser plas suero serique siero soro serico serica sierico sierica sangre sangue sanguin sanguine plasmatica plasmatico plasmatique
  urine urin orina urina urinaire urinaria urinario urinary random spot csf fluid body stool fecal faecal feces stuhl heces selles feci venous venoso edta
  s p u i im in nel en au dans na
  24 24h h hr hrs hour hours horas heures ore std stunden
  abs absolute absolut absolutos absoluto absolutas absoluta absolue absolues absolus assoluto assoluti absol absolutes valore valor value val
  percent rel relative relativo relativos relativer prozent porcentaje percentuale
  por par campo champ hpf gesichtsfeld
  level levels test quant quantitative quantitativ quantitativo qn qnt semi reflex rflx estimation measured result patient malade
  ia eclia clia cmia elisa hplc photometry method enzymatic jaffe kinetic hexokinase turbidimetric nephelometry ifa lcms ms`);
/** Dropped only as a last resort, because in many names they distinguish two analytes. */
const METHOD =
  wordSet(`calc cal calculated calculado calculada calcule calculee berechnet calcolato direct directo direkt diretto direto total totale totales totais gesamt
  ultrasensitive basal screen count recuento conteo numero numeration zahl contagem number conc concentration titer titre titulo titolo automated auto free-text s/p
  the of de la le el di del della da do des du and y et und e by with w mit con`);

const CHOLESTEROL = wordSet('cholesterol colesterol colesterolo cholesterin cholesterine c');
const LIPOPROTEIN = wordSet('hdl ldl vldl');
const ANTIBODY = wordSet(
  'antibody antibodies ab abs antikorper ak ac anticuerpo anticuerpos anticorps anticorpo anticorpos anticorpi',
);
const CLASS = wordSet('iga igg igm ige');
const HEPATITIS_B: Readonly<Record<string, string>> = { bs: 'surface', bc: 'core', be: 'e' };

const SHORT: Readonly<Record<string, string>> = {
  corr: 'corrected',
  adj: 'adjusted',
  dir: 'direct',
  ind: 'indirect',
  conj: 'conjugated',
  tot: 'total',
};

/** Abbreviates "high density lipoprotein" to HDL, and so on. */
const abbreviateLipoproteins = (words: readonly string[]): readonly string[] =>
  words
    .join(' ')
    .replaceAll(/\b(?:(very) )?(high|low) density lipoproteins?\b/g, (_, very, side) =>
      side === 'high' ? 'hdl' : very ? 'vldl' : 'ldl',
    )
    .split(' ');

/** Drops implied words and expands abbreviations: HDL implies cholesterol, IgA implies antibody, Bs is B surface. */
function toUsualWords(words: readonly string[]): readonly string[] {
  const isOfAntibody = words.some((word) => CLASS.has(word) || word === 'anti');
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    // In "Cholesterol/HDL cholesterol" the first word is total cholesterol.
    const isWhole = LIPOPROTEIN.has(words[at + 1] ?? '') && CHOLESTEROL.has(words[at + 2] ?? '');
    if (
      CHOLESTEROL.has(word) &&
      (LIPOPROTEIN.has(before) || LIPOPROTEIN.has(words[at + 1] ?? '')) &&
      !isWhole
    )
      return [];
    if (isOfAntibody && ANTIBODY.has(word)) return [];
    const part = /^hep(?:atitis)?$/.test(before) ? HEPATITIS_B[word] : undefined;
    return part === undefined ? [SHORT[word] ?? word] : ['b', part];
  });
}

const withoutWords = (words: readonly string[], aside: ReadonlySet<string>): readonly string[] =>
  words.filter((word) => !aside.has(word));

/**
 * A leading b stands for blood, but inhibin B ends in one. "No" before a specimen word is not a negation and is dropped
 * with it.
 */
const withoutAside = (words: readonly string[]): readonly string[] =>
  words.filter(
    (word, at) =>
      !ASIDE.has(word) && !(word === 'b' && at === 0) && !(word === 'no' && ASIDE.has(words[at + 1] ?? '')),
  );

/** "(a+b+c)" and "(d)" are row labels of a form; no name consists of single letters. */
const isLabel = (text: string): boolean => /^\s*\p{L}(?:\s*[+,]\s*\p{L})*\s*$/u.test(text);

/** In "SARS-CoV-2 (PCR)" PCR is the method; in three languages PCR is also the name of C-reactive protein. */
const SAYS_HOW = /^\s*(?:rt ?-?)?q?(?:pcr|naat)\s*$/;

/**
 * An electrophoresis prints globulins by their Greek letter alone. Beta 1 and 2 are parts of beta, which has the code.
 */
function toProteinFraction(words: readonly string[]): readonly string[] {
  if (/^albumin[ae]?$/.test(words.join(' '))) return ['albumin', 'electrophoresis'];
  const [, greek = '', number = ''] = /^(alpha|alfa|beta|gamm?a) ?([12]?)$/.exec(words.join(' ')) ?? [];
  const name = greek.replace('alfa', 'alpha').replace('gama', 'gamma');
  return (name === 'alpha') === (number !== '') && name !== '' ? [name, number, 'globulin'] : [];
}

/** A test strip does not detect leukocytes but their esterase. */
const toStripAnalyte = (words: readonly string[]): readonly string[] =>
  /^(?:leu[ck]o[zc]\w+|leu[ck]os?|wbc|white (?:blood )?cells)$/.test(words.join(' '))
    ? ['leukocyte', 'esterase']
    : [];

/**
 * The variants of a printed name, the most complete first: as printed, without secondary words, without brackets, the
 * text in brackets, and the parts before and after a slash, dash or comma.
 */
export function variantsOf(
  name: string,
  kinds: readonly MeasurementTechniqueKind[] = [],
): readonly NameVariant[] {
  const found: NameVariant[] = [];
  const seen = new Set<string>();
  const add = (words: readonly string[], weight: number): void => {
    const key = words.join(' ');
    if (words.length === 0 || seen.has(key)) return;
    seen.add(key);
    found.push({ words, weight });
  };
  const addBoth = (words: readonly string[], weight: number): void => {
    add(words, weight);
    add(withoutAside(words), weight - 0.015);
  };
  const plain = plainText(name);
  const printed = wordsOf(plain);
  addBoth(printed, 1);
  const short = abbreviateLipoproteins(printed);
  addBoth(short, 0.99);
  addBoth(toUsualWords(short), 0.98);
  const isSeparated = kinds.includes('electrophoresis');
  if (isSeparated) add(toProteinFraction(withoutAside(printed)), 1);
  if (kinds.includes('strip')) add(toStripAnalyte(printed), 1.1);
  const bracketed = [...plain.matchAll(/[([]([^()[\]]*)[)\]]?/g)].map((match) => match[1] ?? '');
  const outside = plain.replaceAll(/[([][^()[\]]*[)\]]?/g, ' ');
  if (bracketed.length > 0) addBoth(wordsOf(outside), 0.975);
  add(withoutWords(withoutAside(printed), METHOD), 0.955);
  if (bracketed.length > 0) add(withoutWords(withoutAside(wordsOf(outside)), METHOD), 0.95);
  for (const inside of bracketed)
    if (inside.trim().length > 1 && !isLabel(inside) && !(SAYS_HOW.test(inside) && outside.trim() !== ''))
      addBoth(wordsOf(inside), 0.93);
  const parts = outside.split(/\s[-–—]\s|[/,;:|–—]/).map((part) => part.trim());
  if (parts.length > 1) {
    if (isSeparated) add(toProteinFraction(withoutAside(wordsOf(parts.at(-1) ?? ''))), 0.99);
    for (const part of parts) if (part.length > 1) addBoth(wordsOf(part), part === parts[0] ? 0.93 : 0.92);
  }
  return found;
}
