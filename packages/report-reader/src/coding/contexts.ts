import type { CodableLine, CodingContext } from './codable-line.ts';
import { plainText, wordsOf } from './plain-name.ts';
import { specimenOfName } from './specimens.ts';

/**
 * Tests found only in a urinalysis, in six languages. Density must come first: elsewhere it is that of lipoproteins.
 */
const ONLY_URINE =
  /\b(?:specific gravity|sp gravity|leukocyte esterase|leucocyte esterase|wbc esterase|urobilin\w*|ketones?|nitrites?|nitrit\w{0,2}|nitriti|(?:gravedad|peso) especific[ao]|peso specifico|spezifisches gewicht|corps cetoniques|corpi chetonici|cuerpos cetonicos|corpos cetonicos|keton\w*|esterasa leucocitaria|esterase leucocitaria|esterasi leucocitaria|casts|cilindros|cilindri|cylindres|zylinder)\b|^(?:densidad|densidade|densite|densita)\b/;
const NEAR = 6;
const ENOUGH = 2;

/**
 * Recognizes a urinalysis without a heading by its lines: if at least two lines nearby occur only in a urinalysis,
 * glucose and protein next to them are measured in urine too. Lines of another section or with a blood unit are not.
 */
export function inferContexts(lines: readonly CodableLine[]): readonly CodingContext[] {
  const names = lines.map((line) => wordsOf(plainText(line.testName)).join(' '));
  // If the lines of a urinalysis name urine explicitly, a line that does not is from another specimen.
  const isTelling = names.map((name) => ONLY_URINE.test(name) && specimenOfName(name) !== 'urine');
  return lines.map((line, at) => {
    let telling = 0;
    for (let other = Math.max(0, at - NEAR); other <= Math.min(lines.length - 1, at + NEAR); other += 1) {
      const same = lines[other]?.section === line.section && lines[other]?.panel === line.panel;
      if (same && isTelling[other]) telling += 1;
    }
    return { isUrinalysis: telling >= ENOUGH && !hasBloodUnit(line) };
  });
}

/** Whether the unit is one that urine strips and microscopy never report. */
const hasBloodUnit = ({ unit }: CodableLine): boolean =>
  unit !== null &&
  /10[\^*e]|^k\/|^[gt]\/l$|thous|mill|iu\/l|^u\/l|mmol|meq|g\/dl/i.test(unit) &&
  !/mg\/dl/i.test(unit);
