import type { Specimen } from './code.ts';
import { type Dimension, dimensionsOf } from './dimension.ts';
import { plainText, wordsOf } from './plain-name.ts';
import { type Technique, techniquesIn } from './techniques.ts';
import type { NameLanguage } from './terms.ts';

/** What of a result is asked for; a line of the reader has all of it. */
export interface CodableLine {
  readonly testName: string;
  readonly printedValue: string;
  readonly value: number | null;
  readonly unit: string | null;
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimen: string | null;
}

/** What the lines around say, see `contextsOf`. */
export interface CodingContext {
  readonly language?: NameLanguage | null;
  /** The line stands among lines that only a urinalysis has. */
  readonly isUrinalysis?: boolean;
}

/** What a line says besides the name of the analyte. */
export interface Hints {
  readonly dimensions: readonly Dimension[];
  readonly hasUnit: boolean;
  readonly isNumber: boolean;
  readonly isTiter: boolean;
  readonly specimen: Specimen | null;
  /** The specimen is said by the name or the unit, not only by a heading. */
  readonly isSpecimenSure: boolean;
  readonly isTimed: boolean;
  readonly isCalculated: boolean;
  readonly isDirect: boolean;
  readonly isSemiQuantitative: boolean;
  readonly isHighSensitivity: boolean;
  readonly isFasting: boolean;
  /** Ways of measuring that the name or a heading tells. */
  readonly techniques: readonly Technique[];
  readonly language: NameLanguage | null;
}

// prettier-ignore
const SPECIMENS: readonly (readonly [Specimen, RegExp])[] = [
  ['spot',     /\b(?:dried blood|blood spot|trockenblut)\b/],
  ['csf',      /\b(?:csf|cerebrospinal|cerebral spinal|liquor|lcr|liquido cefalo\w*|cephalo ?rachidien\w*)\b/],
  ['fluid',    /\b(?:body fluid|fluid|pleural\w*|peritoneal\w*|ascit\w*|synovial\w*|amniotic\w*|punktat|liquido pleural|derrame|epanchement)\b/],
  ['stool',    /\b(?:stool|feces|faeces|fecal|faecal|stuhl\w*|selles?|heces|feci|fezes|fecale|copro\w*|parasitolog\w*)\b/],
  ['semen',    /\b(?:semen|seminal|sperm|spermio\w*|espermo\w*|ejakulat|seminogram\w*)\b/],
  ['saliva',   /\b(?:saliva|salivary|speichel|salive)\b/],
  ['urine',    /\b(?:urine?s?|urinary|urinalysis|urin|u a|ua|urina\w*|urinaires?|urinario\w*|orina|orine|harn(?!stoff|saure)\w*|\w*urin|urinstatus|urinsediment|ecbu|eas|urianalisis|uroanalisis|dipstick|urines|uri)\b/],
  ['arterial', /\b(?:arterial|arteriel\w*|arterioso|blutgas\w*|blood gas\w*|abg|gasometria|emogasanalisi|capillary|kapillar\w*)\b/],
  ['blood',    /\b(?:serum|plasma|blood|blut\w*|sang|sangue|sangre|suero|siero|soro|serique|serico|sierico|serica|edta|hemat\w*|haemat\w*|hamat\w*|ematolog\w*|cbc|fbc|emocromo\w*|hemogram\w*|haemogram|\w*blutbild|leucogram\w*|eritrogram\w*|chemistry|metabolic|lipid\w*|lipide|liver|lft|renal|electrolytes?|elektrolyte|biochem\w*|bioquimica|biochimie|chimica clinica|klinische chemie|leber|fegato|hepat\w*|thyroid|schilddruse|tiroide\w*|coag\w*|gerinnung|hemostas\w*|differential|formula leucocitaria|formule leucocytaire|hormon\w*|serolog\w*|vitamin\w*|tumou?r)\b/],
];

// prettier-ignore
const TIMED = /\b(?:24 ?(?:h|hr|hrs|hour|hours|horas|heures|std|stunden|ore)|24h|sammelurin)\b/;

const specimenIn = (simple: string): Specimen | null =>
  SPECIMENS.find(([, words]) => words.test(simple))?.[0] ?? null;

interface Heading {
  readonly specimen: Specimen | null;
  readonly techniques: readonly Technique[];
}
const NO_HEADING: Heading = { specimen: null, techniques: [] };
/** A heading stands over many lines and is read once. */
const headingMemory = new Map<string, Heading>();
function headingOf(text: string | null): Heading {
  if (text === null) return NO_HEADING;
  const known = headingMemory.get(text);
  if (known) return known;
  const simple = wordsOf(plainText(text)).join(' ');
  const found = { specimen: specimenIn(simple), techniques: techniquesIn(simple) };
  if (headingMemory.size < 2_000) headingMemory.set(text, found);
  return found;
}

/** Blood as a part of a name is not a statement about the specimen. */
const NOT_A_SPECIMEN =
  /\b(?:red blood|white blood|blood (?:cell|urea|sugar|glucose|group|type|count|smear|film|bun)|occult blood|nitrogen|blutbild|blutsenkung|blutzucker|blutgruppe|urea|uric|microalbumin\w*|sperm)\b/;

function specimenOfName(simple: string): Specimen | null {
  if (/^(?:blood|blut|sang|sangre|sangue)$/.test(simple)) return null;
  const letter = /^(s|p|u|b|f|csf) /.exec(simple)?.[1];
  if (letter === 'u') return 'urine';
  const found = specimenIn(simple);
  if (
    found === 'blood' &&
    (NOT_A_SPECIMEN.test(simple) ||
      !/\b(?:serum|plasma|sangre|sangue|suero|siero|soro|serique|blood|im blut)\b/.test(simple))
  )
    return null;
  return found === 'semen' && simple.split(' ').length < 2 ? null : found;
}

const FIELD_UNIT = /hpf|lpf|campo|champ|gesichtsfeld|gf\b/i;

function specimenOfLine(
  line: CodableLine,
  simple: string,
  context: CodingContext,
): { specimen: Specimen | null; isSure: boolean } {
  const named = specimenOfName(simple);
  if (named) return { specimen: named, isSure: true };
  const headed = headingOf(line.section).specimen ?? headingOf(line.panel).specimen;
  if (line.unit !== null && FIELD_UNIT.test(line.unit))
    return { specimen: headed && headed !== 'blood' ? headed : 'urine', isSure: true };
  const printed = headingOf(line.specimen).specimen;
  if (context.isUrinalysis && headed !== 'stool' && headed !== 'fluid' && headed !== 'csf')
    return { specimen: 'urine', isSure: true };
  if (headed) return { specimen: headed, isSure: false };
  return { specimen: printed, isSure: false };
}

/** As English-speaking laboratories name a test of its own; elsewhere it is said of the ordinary glucose. */
const FASTING = /(?<!\bnon )\b(?:fasting|fbs|fbg|fpg|ac)\b/;

const isTiter = (value: string): boolean => /^[<>≤≥]?\s*1\s*[:/]\s*\d+/.test(value);

export function hintsOf(line: CodableLine, simple: string, context: CodingContext): Hints {
  const { specimen, isSure } = specimenOfLine(line, simple, context);
  const unit = line.unit?.trim() ?? '';
  const dimensions = unit === '' ? dimensionsOfName(line.testName, simple) : dimensionsOf(unit);
  const around = `${simple} ${line.section ?? ''} ${line.panel ?? ''}`.toLowerCase();
  return {
    dimensions: isTiter(line.printedValue) ? ['titer'] : dimensions,
    hasUnit: unit !== '' && dimensions.length > 0,
    // "3+" grades what is there.
    isNumber: line.value !== null || /^[<>≤≥]?=?\s*\d(?!\s?[+])/.test(line.printedValue.trim()),
    isTiter: isTiter(line.printedValue),
    specimen,
    isSpecimenSure: isSure,
    isTimed: TIMED.test(around) || dimensions.some((one) => one === 'mass_rate' || one === 'substance_rate'),
    isCalculated: /\b(?:calc\w*|cal|berechnet|rechnerisch|friedewald|nih|calculad\w+|estimad\w+)\b/.test(
      simple,
    ),
    isDirect: /\b(?:direct|directo|direkt|diretto|direto|measured|dose|homogeneous)\b/.test(simple),
    isSemiQuantitative: /\b(?:semi|qual|qualitative|cualitativ\w+|screen)\b/.test(simple),
    isHighSensitivity: /\b(?:hs|high|ultra\w*|hochsens\w*|sensib\w*|sensitiv\w*|us|cardiac)\b/.test(simple),
    isFasting: FASTING.test(simple),
    techniques: [
      ...techniquesIn(simple),
      ...headingOf(line.section).techniques,
      ...headingOf(line.panel).techniques,
    ],
    language: context.language ?? null,
  };
}

const RATIO = /\b(?:ratio|quotient|razon|relacion|cociente|rapport|rapporto|relacao|razao)\b/;

/** A name may say what is counted where the unit is missing. */
function dimensionsOfName(name: string, simple: string): readonly Dimension[] {
  if (RATIO.test(simple)) return ['ratio', 'per_creatinine', 'fraction'];
  if (/%/.test(name) || /\b(?:percent|prozent)\b/.test(simple)) return ['fraction'];
  if (/\brelativ\w*\b/.test(simple)) return ['fraction', 'ratio'];
  return /#/.test(name) || /\b(?:abs|absolute?|absolut\w*|assolut\w*|absolu\w*)\b/.test(simple)
    ? ['count']
    : [];
}
