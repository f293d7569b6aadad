import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import type { ReportPage } from '../reading/report-model.ts';
import { correctSpelling } from './spelling.ts';

/** Lines as the recognizer read them, every word with this confidence. */
const seen = (lines: readonly string[], confidence = 0.8): ReportPage => {
  const page = pageOf(lines);
  return { ...page, source: 'ocr', words: page.words.map((word) => ({ ...word, confidence })) };
};

const read = (line: string, confidence?: number): string =>
  correctSpelling(seen([line], confidence))
    .words.map(({ text }) => text)
    .join(' ');

describe('a word with one wrong letter', () => {
  it.each([
    ['Ferrtina 313', 'Ferritina 313'],
    ['FERRTIN 12', 'FERRITIN 12'],
    ['F6sforo 3,1', 'Fosforo 3,1'],
    ['Clucose: 99', 'Glucose: 99'],
    ['(Ultrasensjtive) 2.1', '(Ultrasensitive) 2.1'],
    ['Polvnucléaires 3', 'Polynucléaires 3'],
  ])('is put right where laboratories print one that looks like it: %s', (line, right) => {
    expect(read(line)).toBe(right);
  });

  it.each([
    ['of which several are printed', 'Bilirubina 1'],
    ['that ends otherwise, as words of another language do', 'Reattivo 1'],
    ['that has lost a letter that is too wide to be lost', 'Hemglobin 12'],
    ['that stands behind a number', 'Glucose 99 Ferrtin'],
    ['in a sentence', 'Ferrtin may be low in people who do not eat what has much of it'],
    ['with a number in it', 'CA19-9 33'],
  ])('is left alone where it is one %s', (_, line) => {
    expect(read(line)).toBe(line);
  });

  it('is unchanged if its confidence is high or very low', () => {
    expect(read('Ferrtin 12', 0.99)).toBe('Ferrtin 12');
    expect(read('Ferrtin 12', 0.3)).toBe('Ferrtin 12');
  });
});

describe('a doubled letter', () => {
  const pages = [
    ['Resultados de la muestra del paciente', 'Bilirubina total 0,48', 'Bilirrubina total 0,48'],
    ['Results of the patient and the specimen', 'Triodothyronine (T3) 112', 'Triiodothyronine (T3) 112'],
    ['Results of the patient and the specimen', 'TRIODOTHYRONINE 112', 'TRIIODOTHYRONINE 112'],
  ] as const;
  it.each(pages)('that was read once with full confidence is restored: %s', (page, line, right) => {
    const { words } = correctSpelling(seen([page, line], 0.995));
    expect(words.map(({ text }) => text).join(' ')).toBe(`${page} ${right}`);
  });

  it('is not restored if the language of the page has the word as read', () => {
    const page = ['Risultati degli esami della paziente, valori di riferimento', 'Bilirubina totale 0,48'];
    expect(correctSpelling(seen(page, 0.995)).words.at(-3)?.text).toBe('Bilirubina');
  });
});

describe('a thin letter that was lost with full confidence', () => {
  const italian = 'Risultati degli esami della paziente, valori di riferimento';
  it.each([
    ['S-Ferrtina 84', 'S-Ferritina 84'],
    ['Trigliceridi 84', 'Trigliceridi 84'],
    ['Ferrtin 84', 'Ferrtin 84'],
  ])('is put right in a long word that no language has: %s', (line, right) => {
    const { words } = correctSpelling(seen([italian, line], 0.995));
    expect(words.slice(-2).map(({ text }) => text)).toEqual(right.split(' '));
  });

  it('is restored in mill/mm3 only if the language of the page does not use mil for thousand', () => {
    const unit = (page: string) => correctSpelling(seen([page, 'RBC 4.9 mil/mm3'])).words.at(-1)?.text;
    expect(unit('Results of the patient and the specimen')).toBe('mill/mm3');
    expect(unit('Resultado do paciente e valores de referência')).toBe('mil/mm3');
  });
});

describe('a word that laboratories print', () => {
  it('gets a high confidence, as does a unit, but not a number', () => {
    const { words } = correctSpelling(seen(['Hemoglobin 14.1 mmol/L Xyzhaft'], 0.6));
    expect(words.map(({ confidence }) => confidence)).toEqual([0.95, 0.6, 0.95, 0.6]);
  });

  it('gets its accents in the language of the report', () => {
    const french = ['Valeurs de référence du patient', 'Résultats les unités', 'Sodium 140 136 a 145'];
    expect(correctSpelling(seen(french)).words.map(({ text }) => text)).toContain('à');
    expect(correctSpelling(seen(['Results of the test', 'Sodium 140 136 a 145'])).words.at(-2)?.text).toBe(
      'a',
    );
  });
});
