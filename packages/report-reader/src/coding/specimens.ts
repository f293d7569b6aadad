import { isBloodGasName } from './blood-gas-names.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import type { LoincSpecimen } from './code.ts';
import { plainText, wordsOf } from './plain-name.ts';
import { type MeasurementTechnique, findTechniques } from './techniques.ts';

// prettier-ignore
const SPECIMENS: readonly (readonly [LoincSpecimen, RegExp])[] = [
  ['spot',     /\b(?:dried blood|blood spot|trockenblut)\b/],
  ['csf',      /\b(?:csf|cerebrospinal|cerebral spinal|liquor|lcr|liquido cefalo\w*|cephalo ?rachidien\w*)\b/],
  ['fluid',    /\b(?:body fluid|fluid|pleural\w*|peritoneal\w*|ascit\w*|synovial\w*|amniotic\w*|punktat|liquido pleural|derrame|epanchement)\b/],
  ['stool',    /\b(?:stool|feces|faeces|fecal|faecal|fa?ecalys\w*|stuhl\w*|selles?|heces|feci|fezes|fecale|copro\w*|parasitolog\w*)\b/],
  ['semen',    /\b(?:semen|seminal|sperm|spermio\w*|espermo\w*|ejakulat|seminogram\w*|androlog\w*)\b/],
  ['saliva',   /\b(?:saliva|salivary|speichel|salive)\b/],
  ['urine',    /\b(?:urine?s?|urinary|urinalysis|urin|u a|ua|urina\w*|urinaires?|urinario\w*|orina|orine|harn(?!stoff|saure)\w*|\w*urin|urinstatus|urinsediment|ecbu|eas|urianalisis|uroanalisis|dipstick|urines|uri)\b/],
  ['arterial', /\b(?:arterial|arteriel\w*|arterioso|blutgas\w*|blood gas\w*|abg|gasometria|emogasanalisi|capillary|kapillar\w*)\b/],
  ['blood',    /\b(?:serum|plasma|blood|blut\w*|sang|sangue|sangre|suero|siero|soro|serique|serico|sierico|serica|edta|hemat\w*|haemat\w*|hamat\w*|ematolog\w*|cbc|fbc|emocromo\w*|hemogram\w*|haemogram|\w*blutbild|leucogram\w*|eritrogram\w*|liver|lft|leber|fegato|hepat\w*|thyroid|schilddruse|tiroide\w*|coag\w*|gerinnung|hemostas\w*|differential|formula leucocitaria|formule leucocytaire|hormon\w*|serolog\w*|vitamin\w*|tumou?r)\b/],
];

/** Departments and panels that usually mean blood; urine has its own heading. */
const MOSTLY_BLOOD =
  /\b(?:chemistry|metabolic|lipid\w*|lipide|renal|electrolytes?|elektrolyte|biochem\w*|bioquimica|biochimie|chimica clinica|klinische chemie)\b/;

/** Whether a lower-case name or heading explicitly says venous. */
export const mentionsVenous = (text: string): boolean =>
  /\b(?:venous|vbg|venos\w{1,2}|ven[oö]se[rs]?|veineu(?:x|se))\b/.test(text);

/** Finds the specimen in a text. Blood gases are arterial unless the text says venous. */
function findSpecimen(simple: string): LoincSpecimen | null {
  const found = SPECIMENS.find(([, words]) => words.test(simple))?.[0] ?? null;
  return found === 'arterial' && mentionsVenous(simple) ? 'blood' : found;
}

interface SpecimenHeading {
  readonly specimen: LoincSpecimen | null;
  /** Whether the heading usually means blood. */
  readonly isMostlyBlood: boolean;
  readonly techniques: readonly MeasurementTechnique[];
}
const NO_HEADING: SpecimenHeading = { specimen: null, isMostlyBlood: false, techniques: [] };
/** Cached, because many lines share a heading. */
const headingCache = new Map<string, SpecimenHeading>();
export function readHeading(text: string | null): SpecimenHeading {
  if (text === null) return NO_HEADING;
  const known = headingCache.get(text);
  if (known) return known;
  const simple = wordsOf(plainText(text)).join(' ');
  const found = {
    specimen: findSpecimen(simple),
    isMostlyBlood: MOSTLY_BLOOD.test(simple),
    techniques: findTechniques(simple),
  };
  if (headingCache.size < 2_000) headingCache.set(text, found);
  return found;
}

/** Names that contain "blood" without stating a specimen. */
const NOT_A_SPECIMEN =
  /\b(?:red blood|white blood|blood (?:cell|urea|sugar|glucose|group|type|count|smear|film|bun)|occult blood|nitrogen|blutbild|blutsenkung|blutzucker|blutgruppe|urea|uric|microalbumin\w*|sperm)\b/;

/** Ratios to creatinine are measured in urine, regardless of the heading. */
const TO_CREATININE =
  /\b(?:(?:micro)?albumin\w*|protein\w*|calcium|calcio) (?:(?:to|zu|sur|a|e|y) )?[ck]reat(?:inin\w*)?\b/;

export function specimenOfName(simple: string): LoincSpecimen | null {
  if (/^(?:blood|blut|sang|sangre|sangue)(?: h[a-z]?moglobin\w*| hb)?$/.test(simple)) return null;
  const letter = /^(s|p|u|b|f|csf) /.exec(simple)?.[1];
  if (letter === 'u' || TO_CREATININE.test(simple)) return 'urine';
  const found = findSpecimen(simple);
  if (
    found === 'blood' &&
    (NOT_A_SPECIMEN.test(simple) ||
      !/\b(?:serum|plasma|sangre|sangue|suero|siero|soro|serique|blood|im blut)\b/.test(simple))
  )
    return null;
  return found === 'semen' && simple.split(' ').length < 2 ? null : found;
}

/** The panel heading takes precedence over the section; departments that usually mean blood come last. */
const specimenOfHeadings = (panel: SpecimenHeading, section: SpecimenHeading): LoincSpecimen | null =>
  panel.specimen ?? section.specimen ?? (panel.isMostlyBlood || section.isMostlyBlood ? 'blood' : null);

const FIELD_UNIT = /hpf|lpf|campo|champ|gesichtsfeld|gf\b/i;

export function specimenOfLine(
  line: CodableLine,
  simple: string,
  context: CodingContext,
): { specimen: LoincSpecimen | null; isSure: boolean } {
  const named = specimenOfName(simple);
  if (named) return { specimen: named, isSure: true };
  const headed = specimenOfHeadings(readHeading(line.panel), readHeading(line.section));
  if (line.unit !== null && FIELD_UNIT.test(line.unit))
    return { specimen: headed && headed !== 'blood' ? headed : 'urine', isSure: true };
  const printed = readHeading(line.specimen).specimen;
  if (context.isUrinalysis && headed !== 'stool' && headed !== 'fluid' && headed !== 'csf')
    return { specimen: 'urine', isSure: true };
  if (headed) return { specimen: headed, isSure: false };
  if (isBloodGasName(line.testName)) return { specimen: 'blood', isSure: false };
  return { specimen: printed, isSure: false };
}
