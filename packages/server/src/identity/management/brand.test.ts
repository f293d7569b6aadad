import { expect, test } from 'vitest';
import { contrast, toHexColor } from './brand.ts';

test.each([
  ['#1F3A5F', '#1f3a5f'],
  [' #abc ', '#aabbcc'],
  ['red', undefined],
  ['#12345', undefined],
  ['#fff;}', undefined],
  ['', undefined],
])('the color %j is %j', (given, expected) => {
  expect(toHexColor(given)).toBe(expected);
});

test('contrast is that of WCAG 2', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  expect(contrast('#ffffff', '#ffffff')).toBe(1);
});
