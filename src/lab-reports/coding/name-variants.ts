import { plainText, wordsOf } from './plain-name.ts';
import type { TechniqueKind } from './techniques.ts';

/** A reading of a printed name, and how much it is still the whole of it. */
export interface NameVariant {
  readonly words: readonly string[];
  /** 1 for the name as it is printed. */
  readonly weight: number;
}

const list = (text: string): Set<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Words that say of what the sample is, how much is asked, or how it was measured: not what. */
const ASIDE = list(`
  serum plasma ser plas suero serique siero soro serico serica sierico sierica sangre sangue sanguin sanguine plasmatica plasmatico plasmatique
  urine urin orina urina urinaire urinaria urinario urinary random spot csf fluid body stool fecal faecal feces stuhl heces selles feci venous venoso edta
  s p u i im in nel en au dans na
  24 24h h hr hrs hour hours horas heures ore std stunden
  abs absolute absolut absolutos absoluto absolutas absoluta absolue absolues absolus assoluto assoluti absol absolutes valore valor value val
  percent rel relative relativo relativos relativer prozent porcentaje percentuale
  por par campo champ hpf gesichtsfeld
  level levels test quant quantitative quantitativ quantitativo qn qnt semi reflex rflx estimation measured result patient malade
  ia eclia clia cmia elisa hplc photometry method enzymatic jaffe kinetic hexokinase turbidimetric nephelometry ifa lcms ms`);
/** Left out only when nothing else helped: in many names they part two analytes. */
const METHOD =
  list(`calc cal calculated calculado calculada calcule calculee berechnet calcolato direct directo direkt diretto direto total totale totales totais gesamt
  ultrasensitive basal screen count recuento conteo numero numeration zahl contagem number conc concentration titer titre titulo titolo automated auto free-text s/p
  the of de la le el di del della da do des du and y et und e by with w mit con`);

const CHOLESTEROL = list('cholesterol colesterol colesterolo cholesterin cholesterine c');
const LIPOPROTEIN = list('hdl ldl vldl');
const ANTIBODY = list(
  'antibody antibodies ab abs antikorper ak ac anticuerpo anticuerpos anticorps anticorpo anticorpos anticorpi',
);
const CLASS = list('iga igg igm ige');
const HEPATITIS_B: Readonly<Record<string, string>> = { bs: 'surface', bc: 'core', be: 'e' };

const SHORT: Readonly<Record<string, string>> = {
  corr: 'corrected',
  adj: 'adjusted',
  dir: 'direct',
  ind: 'indirect',
  conj: 'conjugated',
  tot: 'total',
};

/** "High density lipoprotein", in full words. */
const asLipoproteins = (words: readonly string[]): readonly string[] =>
  words
    .join(' ')
    .replaceAll(/\b(?:(very) )?(high|low) density lipoproteins?\b/g, (_, very, side) =>
      side === 'high' ? 'hdl' : very ? 'vldl' : 'ldl',
    )
    .split(' ');

/**
 * The same name in the words that are usual: HDL is said of cholesterol, IgA and "anti" of antibodies, Bs of the surface
 * of B.
 */
function inUsualWords(words: readonly string[]): readonly string[] {
  const isOfAntibody = words.some((word) => CLASS.has(word) || word === 'anti');
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    // "Cholesterol/HDL cholesterol": the first is all of it.
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

const without = (words: readonly string[], aside: ReadonlySet<string>): readonly string[] =>
  words.filter((word) => !aside.has(word));

/** The sample's letter stands before a name, while inhibin B ends in one. "No" is said of a sample, or else denies. */
const withoutAside = (words: readonly string[]): readonly string[] =>
  words.filter(
    (word, at) =>
      !ASIDE.has(word) && !(word === 'b' && at === 0) && !(word === 'no' && ASIDE.has(words[at + 1] ?? '')),
  );

/** "(a+b+c)" and "(d)" number the rows of a form; no name is made of single letters. */
const isLabel = (text: string): boolean => /^\s*\p{L}(?:\s*[+,]\s*\p{L})*\s*$/u.test(text);

/** "SARS-CoV-2 (PCR)" is no C-reactive protein, of which the same letters are the name in three languages. */
const SAYS_HOW = /^\s*(?:rt ?-?)?q?(?:pcr|naat)\s*$/;

/** In an electrophoresis globulins are printed by their letter alone. Beta 1 and 2 are parts of what has a code. */
function asFraction(words: readonly string[]): readonly string[] {
  if (/^albumin[ae]?$/.test(words.join(' '))) return ['albumin', 'electrophoresis'];
  const [, greek = '', number = ''] = /^(alpha|alfa|beta|gamm?a) ?([12]?)$/.exec(words.join(' ')) ?? [];
  const name = greek.replace('alfa', 'alpha').replace('gama', 'gamma');
  return (name === 'alpha') === (number !== '') && name !== '' ? [name, number, 'globulin'] : [];
}

/** A strip has no cells: it finds what they leave. */
const onStrip = (words: readonly string[]): readonly string[] =>
  /^(?:leu[ck]o[zc]\w+|leu[ck]os?|wbc|white (?:blood )?cells)$/.test(words.join(' '))
    ? ['leukocyte', 'esterase']
    : [];

/**
 * The readings of a printed name, the fullest first: as it is, without asides, without what stands in brackets,
 * what stands in brackets, and the parts before and after a stroke or comma.
 */
export function variantsOf(name: string, kinds: readonly TechniqueKind[] = []): readonly NameVariant[] {
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
  const short = asLipoproteins(printed);
  addBoth(short, 0.99);
  addBoth(inUsualWords(short), 0.98);
  const isSeparated = kinds.includes('electrophoresis');
  if (isSeparated) add(asFraction(withoutAside(printed)), 1);
  if (kinds.includes('strip')) add(onStrip(printed), 1.1);
  const bracketed = [...plain.matchAll(/[([]([^()[\]]*)[)\]]?/g)].map((match) => match[1] ?? '');
  const outside = plain.replaceAll(/[([][^()[\]]*[)\]]?/g, ' ');
  if (bracketed.length > 0) addBoth(wordsOf(outside), 0.975);
  add(without(withoutAside(printed), METHOD), 0.955);
  if (bracketed.length > 0) add(without(withoutAside(wordsOf(outside)), METHOD), 0.95);
  for (const inside of bracketed)
    if (inside.trim().length > 1 && !isLabel(inside) && !(SAYS_HOW.test(inside) && outside.trim() !== ''))
      addBoth(wordsOf(inside), 0.93);
  const parts = outside.split(/\s[-–—]\s|[/,;:|–—]/).map((part) => part.trim());
  if (parts.length > 1) {
    if (isSeparated) add(asFraction(withoutAside(wordsOf(parts.at(-1) ?? ''))), 0.99);
    for (const part of parts) if (part.length > 1) addBoth(wordsOf(part), part === parts[0] ? 0.93 : 0.92);
  }
  return found;
}
