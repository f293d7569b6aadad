import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const read = (...lines: string[]) => readReport([pageOf(lines)]).results;

const HEAD = 'Test                        Result           Units     Reference';
const NEXT = 'Sodium                      140              mmol/L    136-145';

describe('a negated finding', () => {
  // prettier-ignore
  const SHORTENED: readonly (readonly [line: string, printed: string])[] = [
    ['Chlamydia trachomatis DNA   n. nachw.                  n. nachw.', 'n. nachw.'],
    ['HBsAg                       n. reakt.                  n. reakt.', 'n. reakt.'],
    ['HCV antibodies              non rilev.                 non rilev.', 'non rilev.'],
    ['HIV                         nao reag.                  nao reag.', 'nao reag.'],
    ['HIV                         no detec.                  no detec.', 'no detec.'],
    ['HAV IgM                     n.reaktiv                  n.reaktiv', 'n.reaktiv'],
  ];

  it.each(SHORTENED)('is read completely in any abbreviation: %s', (line, printed) => {
    const [found] = read(HEAD, line, NEXT);
    expect(found).toMatchObject({
      printedValue: printed,
      type: 'boolean',
      interpretation: 'normal',
      reviewReasons: [],
    });
  });

  it('is read completely if its two lines are above and below its name', () => {
    const page = pageOf([
      'Exame                09/03/2026    11/05/2026    Unidade   Referencia',
      'Sodio                139           138           mmol/L    136 - 145',
      '                     Nao           Nao',
      'BK virus, plasma                                           Nao detectado',
      '                     detectado     detectado',
      'Potassio             4,9           4,1           mmol/L    3,5 - 5,1',
    ]);
    const closer = page.words.map((word) => {
      const line = Math.round((word.box.y0 - 20) / 14);
      const shift = line === 2 ? 8 : line === 4 ? -8 : 0;
      return { ...word, box: { ...word.box, y0: word.box.y0 + shift, y1: word.box.y1 + shift } };
    });
    const lines = readReport([{ ...page, words: closer }]).results;
    expect(lines.find(({ testName }) => testName.startsWith('BK'))).toMatchObject({
      printedValue: 'Nao detectado',
      referenceRange: 'Nao detectado',
    });
  });

  const LOST: readonly (readonly [why: string, ...lines: string[]])[] = [
    ['the name ends with it', 'HBsAg not                   detected'],
    ['it stands in a column of its own', 'HBsAg                 no    detectado'],
    ['it is cut in two', 'HBsAg                       non-', '                            reactive'],
    [
      'the name stands between its lines',
      '                            Nao',
      'BK virus, plasma                                       Nao detectado',
      '                            detectado',
    ],
    ['its flag is one', 'HBsAg                     * n. reakt.'],
    ['it stands far before', 'HBsAg              not          detected'],
    ['a bar parts both', 'HBsAg                       non | reactive'],
    ['a dot parts both', 'HBsAg                       nao . reagente'],
    ['it stands where units do', 'HBsAg                       not              detected'],
    [
      'the lines of finding and range both begin with it',
      '                            no                         no',
      'HBsAg                       reactivo                   reactivo',
    ],
    ['what follows it is taken for the range', 'HDV                         no    detectado'],
  ];

  it.each(LOST)('is marked, or read completely, if %s', (_, ...lines) => {
    const [found] = read(HEAD, ...lines, NEXT);
    const isWhole = /^n\p{L}+[- ]\p{L}/u.test(found?.printedValue ?? '');
    expect(isWhole || found?.reviewReasons.includes('unclear_columns')).toBe(true);
  });

  it('is not searched for in the findings of other rows', () => {
    const lines = read(
      HEAD,
      'HBsAg                       Not detected               Not detected',
      'Anti-HBs                    Reactive',
      'Nitrite                     No',
      'Protein                     Positive                   Negative',
      NEXT,
    );
    expect(lines.flatMap(({ reviewReasons }) => reviewReasons)).toEqual([]);
  });
});
