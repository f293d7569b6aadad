import { describe, expect, it } from 'vitest';
import { bandsOf, referenceOf } from './bands.ts';
import { CATALOG_FOLDER, makeFiles, staleFiles } from './files.ts';
import { slugOf } from './slug.ts';

describe('the catalog generator', () => {
  it('generates the files in packages/server/data/catalog', async () => {
    expect(staleFiles(await makeFiles(new URL('loinc.tsv', CATALOG_FOLDER)))).toEqual([]);
  });

  it.each([
    ['70-99', { min: 70, max: 99, min_inclusive: true, max_inclusive: true }],
    ['<5.7', { min: null, max: 5.7, max_inclusive: false }],
    ['<=149', { min: null, max: 149, max_inclusive: true }],
    ['>=60', { min: 60, max: null, min_inclusive: true }],
    ['>39', { min: 39, max: null, min_inclusive: false }],
  ])('reads the reference range %s', (text, reference) => {
    expect(referenceOf(text)).toMatchObject(reference);
  });

  it('has no gaps between bands and no overlaps', () => {
    const sodium = {
      decimals: 0,
      reference: '134-144',
      normal: '',
      low: 124,
      high: 154,
      critical_low: 120,
      critical_high: 160,
    };
    expect(bandsOf(sodium)).toEqual({
      normal: [135, 143],
      abnormal_low: [124, 133],
      abnormal_high: [145, 154],
      critical_low: [116, 120],
      critical_high: [160, 165],
    });
  });

  it('makes slugs of names', () => {
    expect(slugOf("Cow's Milk IgE")).toBe('cows-milk-ige');
    expect(slugOf('Complete Blood Count (CBC) with Differential')).toBe(
      'complete-blood-count-cbc-with-differential',
    );
  });
});
