import { describe, expect, it } from 'vitest';
import type { ReceivedObservation, ReceivedReport, TestNote } from '../../adapters/lab-network/port.ts';
import { mergeReports } from './merge-reports.ts';

const day = (number: number): Date => new Date(Date.UTC(2026, 2, number));

const observation = (name: string, more: Partial<ReceivedObservation> = {}): ReceivedObservation => ({
  test: { code: 'PANEL', name: 'Panel', loinc: null },
  code: name,
  name,
  loinc: null,
  form: 'number',
  value: '1',
  unit: null,
  referenceRange: null,
  flags: [],
  status: 'final',
  notes: [],
  performingLaboratory: null,
  observedAt: null,
  ...more,
});

const report = (reportedAt: Date, more: Partial<ReceivedReport> = {}): ReceivedReport => ({
  lab: 'labcorp',
  accountNumber: null,
  controlId: `M${reportedAt.getTime()}`,
  placerOrderId: null,
  sampleIds: [],
  status: 'final',
  patient: null,
  collectedAt: null,
  receivedAt: null,
  reportedAt,
  laboratory: null,
  clia: null,
  observations: [],
  notes: [],
  ...more,
});

const merge = (...reports: ReceivedReport[]) => {
  const [last = report(day(1)), ...earlier] = reports.toReversed();
  return mergeReports(earlier.toReversed(), last);
};
const valuesOf = (...reports: ReceivedReport[]) =>
  merge(...reports).observations.map(({ name, value }) => `${name}=${value}`);

describe('the head of merged reports', () => {
  it('is that of the newest by the laboratory, in whatever order they came', () => {
    const [old, young] = [report(day(1), { controlId: 'old' }), report(day(2), { controlId: 'young' })];
    expect(merge(old, young).controlId).toBe('young');
    expect(merge(young, old).controlId).toBe('young');
    expect(merge(young, old).reportedAt).toEqual(day(2));
  });

  it('keeps what the newest does not say, as the last said it', () => {
    const first = report(day(3), { collectedAt: day(1), receivedAt: day(2), laboratory: 'One', clia: '1' });
    const second = report(day(4), { collectedAt: day(2), receivedAt: day(3), laboratory: 'Two', clia: '2' });
    const silent = report(day(5));
    const said = { collectedAt: day(2), receivedAt: day(3), laboratory: 'Two', clia: '2' };
    expect(merge(first, second, silent)).toMatchObject(said);
    expect(merge(second, silent, first)).toMatchObject(said);
    const nothing = { collectedAt: null, receivedAt: null, laboratory: null, clia: null };
    expect(merge(silent)).toMatchObject(nothing);
  });

  it('has each note once, in the order of the reports', () => {
    const merged = merge(report(day(2), { notes: ['b', 'c'] }), report(day(1), { notes: ['a', 'b'] }));
    expect(merged.notes).toEqual(['a', 'b', 'c']);
  });
});

describe('reports of one moment', () => {
  const value = (text: string) => [observation('Glucose', { value: text })];

  it('end with the one that puts right, before it with the final one', () => {
    const partial = report(day(1), { status: 'partial', observations: value('1') });
    const final = report(day(1), { status: 'final', observations: value('2') });
    const corrected = report(day(1), { status: 'corrected', observations: value('3') });
    expect(valuesOf(final, partial)).toEqual(['Glucose=2']);
    expect(valuesOf(corrected, final)).toEqual(['Glucose=3']);
    expect(valuesOf(corrected, partial, final)).toEqual(['Glucose=3']);
  });

  it('of one kind end with the one that came last', () => {
    const [one, other] = ['1', '2'].map((text) => report(day(1), { observations: value(text) }));
    if (!one || !other) throw new Error('two of them');
    expect(valuesOf(one, other)).toEqual(['Glucose=2']);
    expect(valuesOf(other, one)).toEqual(['Glucose=1']);
  });

  it('do not outweigh a later moment', () => {
    const corrected = report(day(1), { status: 'corrected', observations: value('1') });
    const partial = report(day(2), { status: 'partial', observations: value('2') });
    expect(valuesOf(partial, corrected)).toEqual(['Glucose=2']);
  });
});

describe('notes on tests', () => {
  const note = (text: string, more: Partial<TestNote['test']> = {}): TestNote => ({
    test: { code: 'CBC', name: 'Blood count', loinc: null, ...more },
    note: text,
  });

  it('stand once each, however often they were told', () => {
    const merged = merge(
      report(day(1), { testNotes: [note('hemolyzed')] }),
      report(day(2), { testNotes: [note('hemolyzed'), note('fasting')] }),
    );
    expect(merged.testNotes).toEqual([note('hemolyzed'), note('fasting')]);
  });

  it('are told apart by the test, whatever names it', () => {
    const all = [
      note('a'),
      note('a', { code: 'BMP' }),
      note('a', { loinc: '1-8' }),
      note('a', { name: 'Other' }),
    ];
    expect(merge(report(day(1), { testNotes: all })).testNotes).toEqual(all);
  });

  it('do not repeat what an older report kept as notes of its own', () => {
    const kept = report(day(1), { notes: ['hemolyzed'] });
    const merged = merge(kept, report(day(2), { notes: [], testNotes: [note('hemolyzed'), note('new')] }));
    expect(merged.testNotes).toEqual([note('new')]);
    const told = report(day(1), { notes: ['hemolyzed'], testNotes: [] });
    expect(merge(told, report(day(2), { testNotes: [note('hemolyzed')] })).testNotes).toEqual([
      note('hemolyzed'),
    ]);
  });
});

describe('what is said beside the results', () => {
  const aside = (more: Partial<ReceivedObservation> = {}) =>
    observation('Volume', { isAside: true, value: '5', unit: 'mL', ...more });
  const asides = (before: ReceivedObservation, now: ReceivedObservation) =>
    merge(
      report(day(1), { observations: [before] }),
      report(day(2), { observations: [now] }),
    ).observations.map(({ value, isAside }) => `${value}${isAside ? ' aside' : ''}`);

  it('is the result that an older version kept it as, where it says the same', () => {
    expect(asides(observation('Volume', { value: '5', unit: 'mL' }), aside())).toEqual(['5']);
  });

  it('is another thing where value, unit or origin differ', () => {
    expect(asides(observation('Volume', { value: '6', unit: 'mL' }), aside())).toEqual(['6', '5 aside']);
    expect(asides(observation('Volume', { value: '5', unit: 'L' }), aside())).toEqual(['5', '5 aside']);
  });

  it('takes the place of what was said beside the results before', () => {
    expect(asides(aside({ value: '4' }), aside())).toEqual(['5 aside']);
  });
});

describe('what says less than what is known', () => {
  const values = (before: ReceivedObservation[], now: ReceivedObservation[]) =>
    valuesOf(report(day(1), { observations: before }), report(day(2), { observations: now }));

  it('does not take its place: neither a preliminary value nor one that is only announced', () => {
    const final = observation('A');
    expect(values([final], [observation('A', { value: '2', status: 'preliminary' })])).toEqual(['A=1']);
    expect(values([final], [observation('A', { value: '2' })])).toEqual(['A=2']);
    const preliminary = observation('A', { status: 'preliminary' });
    expect(values([preliminary], [observation('A', { value: '2', status: 'preliminary' })])).toEqual(['A=2']);
  });

  it('is known in the place where it stood, and what follows it stands behind it', () => {
    const [a, c, d] = [observation('A'), observation('C'), observation('D')];
    const [b1, b2] = [observation('B1'), observation('B2')];
    expect(values([a, c, d], [c, b1, b2, d])).toEqual(['A=1', 'C=1', 'B1=1', 'B2=1', 'D=1']);
    expect(values([a, c], [b1, a])).toEqual(['A=1', 'C=1', 'B1=1']);
  });
});

describe('isolates that are told together', () => {
  type Told = readonly [subId: string | undefined, value: string, status?: 'preliminary'];
  const drugs = (...all: Told[]) =>
    all.map(([subId, value, status]) =>
      observation('Ampicillin', {
        value,
        ...(subId === undefined ? {} : { subId }),
        ...(status ? { status } : {}),
      }),
    );
  const merged = (before: readonly Told[], now: readonly Told[]) =>
    merge(
      report(day(1), { observations: drugs(...before) }),
      report(day(2), { observations: drugs(...now) }),
    ).observations.map(({ subId, value }) => `${subId ?? '-'}=${value}`);

  it('are preliminary only if all of them are', () => {
    const final: Told[] = [
      ['1', 'R'],
      ['2', 'S'],
    ];
    expect(
      merged(final, [
        ['1', 'I', 'preliminary'],
        ['2', 'R'],
      ]),
    ).toEqual(['1=I', '2=R']);
    expect(
      merged(final, [
        ['1', 'I', 'preliminary'],
        ['2', 'R', 'preliminary'],
      ]),
    ).toEqual(['1=R', '2=S']);
  });

  it('are outranked by what is final among them', () => {
    const mixed: Told[] = [
      ['1', 'R', 'preliminary'],
      ['2', 'S'],
    ];
    expect(
      merged(mixed, [
        ['1', 'I', 'preliminary'],
        ['2', 'R', 'preliminary'],
      ]),
    ).toEqual(['1=R', '2=S']);
  });

  it('are a part of what is known only if each says of which isolate it is', () => {
    expect(
      merged(
        [
          ['1', 'R'],
          ['2', 'S'],
        ],
        [['1', 'I']],
      ),
    ).toEqual(['1=I', '2=S']);
    expect(
      merged(
        [
          ['1', 'R'],
          ['2', 'S'],
        ],
        [
          ['1', 'I'],
          [undefined, 'R'],
        ],
      ),
    ).toEqual(['1=I', '-=R']);
  });
});

it('has the head of the newest of three reports', () => {
  const all = [2, 3, 1].map((at) => report(day(at), { controlId: `of day ${at}` }));
  expect(merge(...all).controlId).toBe('of day 3');
});
