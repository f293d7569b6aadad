import type { CodableLine, CodingContext } from './codable-line.ts';
import { plainText, wordsOf } from './plain-name.ts';
import { specimenOfName } from './specimens.ts';

/** What only a urinalysis has, in six languages. Density at the beginning: elsewhere it is that of lipoproteins. */
const ONLY_URINE =
  /\b(?:specific gravity|sp gravity|leukocyte esterase|leucocyte esterase|wbc esterase|urobilin\w*|ketones?|nitrites?|nitrit\w{0,2}|nitriti|(?:gravedad|peso) especific[ao]|peso specifico|spezifisches gewicht|corps cetoniques|corpi chetonici|cuerpos cetonicos|corpos cetonicos|keton\w*|esterasa leucocitaria|esterase leucocitaria|esterasi leucocitaria|casts|cilindros|cilindri|cylindres|zylinder)\b|^(?:densidad|densidade|densite|densita)\b/;
const NEAR = 6;
const ENOUGH = 2;

/**
 * A urinalysis without its heading is known by its neighbours: where at least two lines near are of the kind that
 * nothing else has, glucose and protein there are urine's too. Lines of another section or with a unit of blood are not.
 */
export function contextsOf(lines: readonly CodableLine[]): readonly CodingContext[] {
  const names = lines.map((line) => wordsOf(plainText(line.testName)).join(' '));
  // Where each line of a urinalysis says that it is of urine, one that does not is of something else.
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

/** Cells and amounts as urine is never reported in by a strip or a microscope. */
const hasBloodUnit = ({ unit }: CodableLine): boolean =>
  unit !== null &&
  /10[\^*e]|^k\/|^[gt]\/l$|thous|mill|iu\/l|^u\/l|mmol|meq|g\/dl/i.test(unit) &&
  !/mg\/dl/i.test(unit);
