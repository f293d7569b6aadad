import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/lab-reports/page-of.ts';
import type { Page } from '../reading/word.ts';
import { spelled } from './spelling.ts';

/** Lines as a recogniser read them, every word as sure as this. */
const seen = (lines: readonly string[], confidence = 0.8): Page => {
  const page = pageOf(lines);
  return { ...page, source: 'ocr', words: page.words.map((word) => ({ ...word, confidence })) };
};

const read = (line: string, confidence?: number): string =>
  spelled(seen([line], confidence))
    .words.map(({ text }) => text)
    .join(' ');

describe('a word that was read with one letter wrong', () => {
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
    ['that has lost a letter nobody overlooks', 'Hemglobin 12'],
    ['that stands behind a number', 'Glucose 99 Ferrtin'],
    ['in a sentence', 'Ferrtin may be low in people who do not eat what has much of it'],
    ['with a number in it', 'CA19-9 33'],
  ])('is left alone where it is one %s', (_, line) => {
    expect(read(line)).toBe(line);
  });

  it('is left alone where it was read for sure, or hardly', () => {
    expect(read('Ferrtin 12', 0.99)).toBe('Ferrtin 12');
    expect(read('Ferrtin 12', 0.3)).toBe('Ferrtin 12');
  });
});

describe('a letter that stands twice', () => {
  const pages = [
    ['Resultados de la muestra del paciente', 'Bilirubina total 0,48', 'Bilirrubina total 0,48'],
    ['Results of the patient and the specimen', 'Triodothyronine (T3) 112', 'Triiodothyronine (T3) 112'],
    ['Results of the patient and the specimen', 'TRIODOTHYRONINE 112', 'TRIIODOTHYRONINE 112'],
  ] as const;
  it.each(pages)('and is read once as surely as any is put right: %s', (page, line, right) => {
    const { words } = spelled(seen([page, line], 0.995));
    expect(words.map(({ text }) => text).join(' ')).toBe(`${page} ${right}`);
  });

  it('is none where the language of the page has the word as it is read', () => {
    const page = ['Risultati degli esami della paziente, valori di riferimento', 'Bilirubina totale 0,48'];
    expect(spelled(seen(page, 0.995)).words.at(-3)?.text).toBe('Bilirubina');
  });
});

describe('a thin letter that was lost as surely as any', () => {
  const italian = 'Risultati degli esami della paziente, valori di riferimento';
  it.each([
    ['S-Ferrtina 84', 'S-Ferritina 84'],
    ['Trigliceridi 84', 'Trigliceridi 84'],
    ['Ferrtin 84', 'Ferrtin 84'],
  ])('is put right in a long word that no language has: %s', (line, right) => {
    const { words } = spelled(seen([italian, line], 0.995));
    expect(words.slice(-2).map(({ text }) => text)).toEqual(right.split(' '));
  });

  it('is put right in a million where no language of the page says a thousand so', () => {
    const unit = (page: string) => spelled(seen([page, 'RBC 4.9 mil/mm3'])).words.at(-1)?.text;
    expect(unit('Results of the patient and the specimen')).toBe('mill/mm3');
    expect(unit('Resultado do paciente e valores de referência')).toBe('mil/mm3');
  });
});

describe('a word that laboratories print', () => {
  it('is no cause for doubt, nor is a unit; a number is what it is', () => {
    const { words } = spelled(seen(['Hemoglobin 14.1 mmol/L Xyzhaft'], 0.6));
    expect(words.map(({ confidence }) => confidence)).toEqual([0.95, 0.6, 0.95, 0.6]);
  });

  it('has its accents in the language of the report', () => {
    const french = ['Valeurs de référence du patient', 'Résultats les unités', 'Sodium 140 136 a 145'];
    expect(spelled(seen(french)).words.map(({ text }) => text)).toContain('à');
    expect(spelled(seen(['Results of the test', 'Sodium 140 136 a 145'])).words.at(-2)?.text).toBe('a');
  });
});
