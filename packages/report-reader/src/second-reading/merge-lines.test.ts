import { describe, expect, it } from 'vitest';
import type { ExtractorLine } from './extractor.ts';
import { readReport } from '../reading/read.ts';
import type { ReportPage } from '../reading/report-model.ts';
import { mergeExtractorLines, needsSecondReading, wordsInOrder } from './merge-lines.ts';

/** A page of a text layer from lines of text: a letter is 6 wide, a line 16 high. */
function pageOf(lines: readonly string[]): ReportPage {
  const words = lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
      text,
      box: { x0: 40 + index * 6, y0: 40 + row * 16, x1: 40 + (index + text.length) * 6, y1: 50 + row * 16 },
      confidence: 1,
      page: 1,
      fontSize: 10,
    })),
  );
  return { width: 612, height: 792, words, source: 'text', imageShare: 0 };
}

const HEAD = 'Test                          Result     Flag   Units       Reference Range';
const GLUCOSE = 'Glucose                       112        H      mg/dL       70 - 99';
const SODIUM = 'Sodium                        140               mmol/L      135 - 145';
const DOUBTED = 'Potassium                     4.1        L      mmol/L      3.5 - 5.1';
const BARE = 'Chloride                      101        L                  98 - 107';
const said = (name: string, value: string, rest: Partial<ExtractorLine> = {}): ExtractorLine => ({
  name,
  value,
  unit: null,
  referenceRange: null,
  flag: null,
  ...rest,
});

function reread(lines: readonly string[], answers: readonly ExtractorLine[]) {
  const pages = [pageOf(lines)];
  const first = readReport(pages);
  const second = mergeExtractorLines(first, { said: answers, pages });
  return {
    first: first.results,
    second: second.results,
    isHard: needsSecondReading(first, wordsInOrder(pages)),
  };
}

describe('a second reading by an external extractor', () => {
  it('is needed if a line is in doubt, if there are no lines, or if a value belongs to no line', () => {
    expect(reread([HEAD, GLUCOSE, SODIUM], []).isHard).toBe(false);
    expect(reread([HEAD, GLUCOSE, DOUBTED], []).isHard).toBe(true);
    expect(reread(['Dear patient,', 'all is well.'], []).isHard).toBe(true);
    expect(reread([HEAD, GLUCOSE, SODIUM, '', '', '                              5.7'], []).isHard).toBe(
      true,
    );
    expect(reread([], []).isHard).toBe(false);
  });

  it('adds a missed line, as far as the page confirms it, and marks it', () => {
    const lines = [HEAD, GLUCOSE, SODIUM, '', 'we have found that your Ferritin of 12 ng/mL is rather low'];
    const { first, second } = reread(lines, [said('Ferritin', '12', { unit: 'ng/mL', flag: 'L' })]);
    expect(first.map(({ testName }) => testName)).toEqual(['Glucose', 'Sodium']);
    expect(second.map(({ testName }) => testName)).toEqual(['Glucose', 'Sodium', 'Ferritin']);
    expect(second[2]).toMatchObject({ printedValue: '12', value: 12, unit: 'ng/mL', flag: null });
    expect(second[2]?.reviewReasons).toContain('read_by_extractor');
    expect(second.slice(0, 2)).toEqual(first);
  });

  it.each([
    ['a value that is not on the page', said('Ferritin', '13')],
    ['a name that is not on the page', said('Cortisol', '112')],
    ['another value for a line that is not in doubt', said('Sodium', '112')],
    ['a unit for a line that is not in doubt', said('Glucose', '112', { unit: 'mmol/L' })],
  ])('ignores %s', (_, line) => {
    const { first, second } = reread([HEAD, GLUCOSE, SODIUM], [line]);
    expect(second).toEqual(first);
  });

  it('completes a line in doubt, but never changes its value', () => {
    const { first, second } = reread(
      [HEAD, GLUCOSE, SODIUM, BARE, '                                                 mmol/L'],
      [said('Chloride', '101', { unit: 'mmol/L' })],
    );
    const chloride = (lines: typeof first) => lines.find(({ testName }) => testName === 'Chloride');
    expect(chloride(first)).toMatchObject({ unit: null, reviewReasons: ['flag_disagrees_with_range'] });
    expect(chloride(second)).toMatchObject({ printedValue: '101', unit: 'mmol/L', flag: 'L' });
    expect(chloride(second)?.reviewReasons).toEqual(['flag_disagrees_with_range', 'read_by_extractor']);
    const other = reread([HEAD, GLUCOSE, DOUBTED], [said('Potassium', '3.5')]);
    expect(other.second[1]).toMatchObject({ printedValue: '4.1' });
  });

  it('marks a line in doubt if it reads another value', () => {
    const { second } = reread(
      [HEAD, GLUCOSE, SODIUM, 'Potassium                     4.1  9.4   L      mmol/L      3.5 - 5.1'],
      [said('Potassium', '9.4')],
    );
    const potassium = second.find(({ testName }) => testName === 'Potassium');
    expect(potassium?.printedValue).not.toBe('9.4');
    expect(potassium?.reviewReasons).toContain('extractor_reads_otherwise');
  });
});
