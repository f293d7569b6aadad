import { allergenVariants, isAboutAllergens } from './allergens.ts';
import { asOthersPrint } from './analyser-names.ts';
import { candidatesOf, type Candidate, type Target } from './candidates.ts';
import type { CodableLine, CodingContext } from './codable-line.ts';
import type { LoincCode } from './code.ts';
import { type Hints, hintsOf } from './hints.ts';
import { variantsOf } from './name-variants.ts';
import { plainText, wordsOf } from './plain-name.ts';
import { type Analyte, UNRANKED } from './read-shipped.ts';
import type { TechniqueKind } from './techniques.ts';
import { TermIndex } from './terms.ts';

/** The codes and names to index, before they are. */
export interface IndexSource {
  readonly codes: readonly LoincCode[];
  readonly analytes: readonly Analyte[];
}

export interface NameIndex {
  readonly terms: TermIndex;
  readonly targets: readonly Target[];
}

const LONGEST_NAME = 200;

/** All codes that a line may be, best first; none for a name without letters and digits. */
export function candidatesFor(
  index: NameIndex,
  line: CodableLine,
  context: CodingContext,
): readonly Candidate[] {
  const name = asOthersPrint(line.testName.slice(0, LONGEST_NAME));
  const simple = wordsOf(plainText(name)).join(' ');
  if (simple === '') return [];
  const hints = hintsOf({ ...line, testName: line.testName.slice(0, LONGEST_NAME) }, simple, context);
  const variants = variantsOf(name, kindsOf(line, hints));
  const allergens = isAboutAllergens(line, simple) ? allergenVariants(simple.split(' ')) : [];
  return candidatesOf(index, [...variants, ...allergens], hints);
}

/** Negative, a trace, one to four crosses: what a strip says, while a microscope counts or tells of many and few. */
const GRADED = /^(?:neg|tra[cçz]|spur|absent|ausente|assent|\d?\s?[+]{1,4}|[1-4]\s?[+])/i;

function kindsOf({ printedValue }: CodableLine, { techniques, specimen }: Hints): readonly TechniqueKind[] {
  const kinds = techniques.map(({ kind }) => kind);
  const isGraded = specimen === 'urine' && GRADED.test(printedValue.trim());
  return isGraded && !kinds.includes('microscopy') ? [...kinds, 'strip'] : kinds;
}

const FULL = 10_000;

/** What LOINC also has codes for and a line of a report never is: of the patient, the order, the sample. */
const NOT_A_RESULT =
  /^(?:(?:birth|delivery|collection|date|age|body|mother|multiple|history|fasting status|reference lab|specimen|vendor|pathologist|cytologist|reviewing|service comment|collection method|tidal|breath|ventilation|newborn hearing|number of (?:specimens|fetuses|occult))\b)|- Reported$/i;

export function indexNames({ codes, analytes }: IndexSource): NameIndex {
  const terms = new TermIndex();
  const targets: Target[] = [];
  const isFull = codes.length > FULL;
  const byCode = new Map(codes.map((code) => [code.code, code]));
  for (const analyte of analytes) {
    const own = analyte.codes.flatMap((code) => byCode.get(code) ?? []);
    if (own.length === 0) continue;
    targets.push({ key: analyte.key, codes: own, isAnalyte: true, names: analyte.names.get('en') ?? [] });
    for (const [language, names] of analyte.names)
      for (const name of names) terms.add(name, targets.length - 1, language);
  }
  for (const [component, group] of grouped(codes.filter(({ longName }) => !NOT_A_RESULT.test(longName)))) {
    targets.push({ key: component, codes: group, isAnalyte: false, names: [] });
    terms.add(component, targets.length - 1);
  }
  for (const code of codes) {
    // Of a full table the common codes are known by all their names, the others by their component only.
    if (NOT_A_RESULT.test(code.longName) || (isFull && code.rank >= UNRANKED)) continue;
    targets.push({ key: code.code, codes: [code], isAnalyte: false, names: [] });
    terms.add(code.longName.replaceAll(/\[[^\]]*\]/g, ' '), targets.length - 1);
    if (code.shortName !== '') terms.add(code.shortName, targets.length - 1);
  }
  terms.close();
  return { terms, targets };
}

/** A component has up to hundreds of codes: the common ones of it are enough. */
const MOST_OF_ONE = 60;

function grouped(codes: readonly LoincCode[]): Map<string, LoincCode[]> {
  const groups = new Map<string, LoincCode[]>();
  for (const code of [...codes].sort((one, other) => one.rank - other.rank)) {
    const name =
      code.component === ''
        ? (code.longName.split('[')[0]?.trim() ?? '')
        : (code.component.split('^')[0] ?? '');
    const group = groups.get(name) ?? [];
    if (group.length < MOST_OF_ONE) group.push(code);
    groups.set(name, group);
  }
  return groups;
}
