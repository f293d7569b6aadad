import { allergenVariants, isAboutAllergens } from './allergens.ts';
import { toCommonName } from './blood-gas-names.ts';
import { scoreCandidates, type CodeCandidate, type CodingTarget } from './candidates.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import type { LoincCode } from './code.ts';
import { type LineHints, extractHints } from './hints.ts';
import { variantsOf } from './name-variants.ts';
import { plainText, wordsOf } from './plain-name.ts';
import { type CodedAnalyte, UNRANKED } from './read-bundled.ts';
import type { MeasurementTechniqueKind } from './techniques.ts';
import { LoincTermIndex } from './terms.ts';

/** The codes and names to index. */
interface NameIndexSource {
  readonly codes: readonly LoincCode[];
  readonly analytes: readonly CodedAnalyte[];
}

interface NameIndex {
  readonly terms: LoincTermIndex;
  readonly targets: readonly CodingTarget[];
}

const LONGEST_NAME = 200;

/** The candidate codes of a line, best first; empty for a name without letters and digits. */
export function findCandidates(
  index: NameIndex,
  line: CodableLine,
  context: CodingContext,
): readonly CodeCandidate[] {
  const name = toCommonName(line.testName.slice(0, LONGEST_NAME));
  const simple = wordsOf(plainText(name)).join(' ');
  if (simple === '') return [];
  const hints = extractHints({ ...line, testName: line.testName.slice(0, LONGEST_NAME) }, simple, context);
  const variants = variantsOf(name, techniqueKindsOf(line, hints));
  const allergens = isAboutAllergens(line, simple) ? allergenVariants(simple.split(' ')) : [];
  return scoreCandidates(index, [...variants, ...allergens], hints);
}

/** Grades of a test strip: negative, trace, one to four pluses. Microscopy counts, or says many or few. */
const GRADED = /^(?:neg|tra[cçz]|spur|absent|ausente|assent|\d?\s?[+]{1,4}|[1-4]\s?[+])/i;

function techniqueKindsOf(
  { printedValue }: CodableLine,
  { techniques, specimen }: LineHints,
): readonly MeasurementTechniqueKind[] {
  const kinds = techniques.map(({ kind }) => kind);
  const isGraded = specimen === 'urine' && GRADED.test(printedValue.trim());
  return isGraded && !kinds.includes('microscopy') ? [...kinds, 'strip'] : kinds;
}

const FULL = 10_000;

/** LOINC codes that are never a result line: about the patient, the order, or the specimen. */
const NOT_A_RESULT =
  /^(?:(?:birth|delivery|collection|date|age|body|mother|multiple|history|fasting status|reference lab|specimen|vendor|pathologist|cytologist|reviewing|service comment|collection method|tidal|breath|ventilation|newborn hearing|number of (?:specimens|fetuses|occult))\b)|- Reported$/i;

export function indexNames({ codes, analytes }: NameIndexSource): NameIndex {
  const terms = new LoincTermIndex();
  const targets: CodingTarget[] = [];
  const isFull = codes.length > FULL;
  const byCode = new Map(codes.map((code) => [code.code, code]));
  for (const analyte of analytes) {
    const own = analyte.codes.flatMap((code) => byCode.get(code) ?? []);
    if (own.length === 0) continue;
    targets.push({ key: analyte.key, codes: own, isAnalyte: true, names: analyte.names.get('en') ?? [] });
    for (const [language, names] of analyte.names)
      for (const name of names) terms.add(name, targets.length - 1, language);
  }
  for (const [component, group] of groupByComponent(
    codes.filter(({ longName }) => !NOT_A_RESULT.test(longName)),
  )) {
    targets.push({ key: component, codes: group, isAnalyte: false, names: [] });
    terms.add(component, targets.length - 1);
  }
  for (const code of codes) {
    // In a full LOINC table, common codes are indexed by all their names, the others by component only.
    if (NOT_A_RESULT.test(code.longName) || (isFull && code.rank >= UNRANKED)) continue;
    targets.push({ key: code.code, codes: [code], isAnalyte: false, names: [] });
    terms.add(code.longName.replaceAll(/\[[^\]]*\]/g, ' '), targets.length - 1);
    if (code.shortName !== '') terms.add(code.shortName, targets.length - 1);
  }
  terms.freeze();
  return { terms, targets };
}

/** A component can have hundreds of codes; the most common ones are enough. */
const CODES_PER_COMPONENT_MAX = 60;

function groupByComponent(codes: readonly LoincCode[]): Map<string, LoincCode[]> {
  const groups = new Map<string, LoincCode[]>();
  for (const code of [...codes].sort((one, other) => one.rank - other.rank)) {
    const name =
      code.component === ''
        ? (code.longName.split('[')[0]?.trim() ?? '')
        : (code.component.split('^')[0] ?? '');
    const group = groups.get(name) ?? [];
    if (group.length < CODES_PER_COMPONENT_MAX) group.push(code);
    groups.set(name, group);
  }
  return groups;
}
