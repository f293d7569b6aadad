import { describe, expect, it } from 'vitest';
import { combineResults, type TransactionPart } from './combine.ts';

type PartResult = TransactionPart['result'];
type ResultRow = PartResult['results'][number];

interface ResultValue {
  readonly loinc?: string | null;
  readonly code?: string | null;
  readonly slug?: string;
  readonly result?: string;
  readonly interpretation?: string;
}

const row = ({
  loinc = null,
  code = null,
  slug = 'one',
  result = '1',
  interpretation = 'normal',
}: ResultValue): ResultRow => ({
  name: slug,
  slug,
  value: Number(result),
  result,
  type: 'numeric',
  unit: 'mg/dL',
  timestamp: null,
  notes: null,
  reference_range: null,
  min_range_value: null,
  max_range_value: null,
  is_above_max_range: null,
  is_below_min_range: null,
  interpretation,
  source_interpretation: interpretation,
  loinc,
  loinc_slug: null,
  provider_id: code,
  source_markers: null,
  performing_laboratory: null,
  source_sample_id: null,
});

interface PartContents {
  readonly values: readonly ResultValue[];
  readonly missing?: readonly ResultValue[];
  readonly status?: string;
  readonly laboratory?: string;
}

function part(
  orderId: string,
  { values, missing = [], status = 'final', laboratory = 'Labcorp' }: PartContents,
): TransactionPart {
  const metadata = {
    age: '',
    dob: '',
    'clia_#': null,
    patient: '',
    provider: null,
    laboratory,
    date_reported: `of ${orderId}`,
    date_collected: null,
    specimen_number: orderId,
    date_received: null,
    status,
    interpretation: null,
    patient_id: null,
    account_id: null,
  };
  return {
    orderId,
    result: {
      metadata,
      results: values.map(row),
      missing_results: missing.map((each) => {
        const { name, slug, loinc, loinc_slug, provider_id, source_markers } = row(each);
        return {
          name,
          slug,
          loinc,
          loinc_slug,
          provider_id,
          source_markers,
          inferred_failure_type: 'quantity_not_sufficient_failure',
          note: null,
        };
      }),
      sample_information: null,
      order_transaction: null,
    },
  };
}

const over = { isActive: false };
const combinedValues = (parts: readonly [TransactionPart, ...TransactionPart[]]) =>
  combineResults(parts, over).results.map(({ result, source_order_id: from }) => `${result} of ${from}`);

describe('the combined results', () => {
  // prettier-ignore
  it.each<[string, ResultValue, ResultValue, boolean]>([
    ['of one LOINC are one thing',                            { loinc: '1-8', code: 'A' }, { loinc: '1-8', code: 'B' }, true],
    ['of two LOINCs are two, even under one code',            { loinc: '1-8', code: 'A' }, { loinc: '2-6', code: 'A' }, false],
    ['of one code are one thing where one has no LOINC',      { loinc: '1-8', code: 'A' }, { code: 'A' },               true],
    ['of one code are one thing where neither has a LOINC',   { code: 'A', slug: 'x' },    { code: 'A', slug: 'y' },    true],
    ['of two codes are two',                                  { code: 'A' },               { code: 'B' },               false],
    ['of no code go by their name',                           { slug: 'x' },               { slug: 'x' },               true],
  ])('%s', (_name, first, second, isOne) => {
    const parts = [part('old', { values: [{ ...first, result: '1' }] }), part('new', { values: [{ ...second, result: '2' }] })] as const;
    expect(combinedValues(parts)).toEqual(isOne ? ['2 of new'] : ['1 of old', '2 of new']);
  });

  it('do not match codes of different laboratories', () => {
    const old = part('old', { values: [{ code: 'A', result: '1' }] });
    const other = part('new', { values: [{ code: 'A', slug: 'two', result: '2' }], laboratory: 'Quest' });
    expect(combinedValues([old, other])).toEqual(['1 of old', '2 of new']);
  });

  it('keep their order when a redraw fills gaps, and both values of an analyte in two panels', () => {
    const initial = part('initial', {
      values: [
        { loinc: 'a', result: '1' },
        { loinc: 'a', result: '1' },
        { loinc: 'c', result: '3' },
      ],
      missing: [{ loinc: 'b', slug: 'b' }],
    });
    const redraw = part('redraw', {
      values: [
        { loinc: 'b', result: '2' },
        { loinc: 'a', result: '9' },
      ],
    });
    expect(combinedValues([initial, redraw])).toEqual(['9 of redraw', '3 of initial', '2 of redraw']);
    expect(combineResults([initial, redraw], over).missing_results).toEqual([]);
  });

  it('keep the isolates of a culture with the drugs tested on each', () => {
    const culture = (...values: string[]) =>
      values.map((result, at) => ({ loinc: at % 2 ? 'drug' : 'isolate', result }));
    const other = { loinc: 'a', result: '9' };
    const initial = part('initial', { values: [other, ...culture('1', '2', '3', '4')] });
    expect(combinedValues([initial])).toEqual(['9', '1', '2', '3', '4'].map((each) => `${each} of initial`));
    const redraw = part('redraw', { values: culture('5', '6', '7', '8') });
    expect(combinedValues([initial, redraw])).toEqual([
      '9 of initial',
      ...['5', '6', '7', '8'].map((each) => `${each} of redraw`),
    ]);
  });

  it('use corrections of an older order only for analytes that were not redrawn', () => {
    const corrected = part('initial', {
      values: [
        { loinc: 'a', result: '11' },
        { loinc: 'b', result: '12' },
      ],
      status: 'corrected',
    });
    const redraw = part('redraw', { values: [{ loinc: 'b', result: '2' }] });
    expect(combinedValues([corrected, redraw])).toEqual(['11 of initial', '2 of redraw']);
    expect(combineResults([corrected, redraw], over).metadata).toMatchObject({
      status: 'corrected',
      date_reported: 'of redraw',
    });
  });

  it('keep a value that a later order failed to measure, and list what no order has as missing', () => {
    const initial = part('initial', {
      values: [{ loinc: 'a', result: '1' }],
      missing: [{ loinc: 'b', slug: 'b' }],
    });
    const redraw = part('redraw', { values: [], missing: [{ loinc: 'a' }, { loinc: 'b', slug: 'b' }] });
    expect(combinedValues([initial, redraw])).toEqual(['1 of initial']);
    expect(combineResults([initial, redraw], over).missing_results).toMatchObject([
      { loinc: 'b', source_order_id: 'redraw' },
    ]);
  });

  it('have the worst interpretation of the remaining values, and are partial while an order is in progress', () => {
    const old = part('old', { values: [{ loinc: 'a', interpretation: 'critical' }] });
    const better = part('new', { values: [{ loinc: 'a', interpretation: 'normal' }] });
    expect(combineResults([old, better], over).metadata).toMatchObject({
      interpretation: 'normal',
      status: 'final',
    });
    expect(combineResults([old], { isActive: true }).metadata).toMatchObject({
      interpretation: 'critical',
      status: 'partial',
    });
  });
});
