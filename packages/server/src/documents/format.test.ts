import { expect, it } from 'vitest';
import { formatAddress, formatLocalTime, formatTimestamp, formatUnit } from './format.ts';

// prettier-ignore
it.each([
  ['10*3/uL', '10^3/uL'], ['k[IU]/L', 'kIU/L'], ["[arb'U]/mL", 'arb U/mL'], ['{ratio}', 'ratio'], ['mg/(24.h)', 'mg/24 h'],
  ['mg/g{creat}', 'mg/g creat'], ['ng{FEU}/mL', 'ng FEU/mL'], ['mL/min/{1.73_m2}', 'mL/min/1.73 m2'], ['/[HPF]', '/HPF'], ['%', '%'],
])('prints the unit %s as %s', (unit, printed) => expect(formatUnit(unit)).toBe(printed));

it('prints timestamps in UTC, and given local times as given', () => {
  expect(formatTimestamp(new Date('2026-03-02T15:04:59Z'))).toBe('03/02/2026 15:04 UTC');
  expect(formatLocalTime('2026-03-02T09:30:00-08:00')).toBe('03/02/2026 09:30');
  expect(formatLocalTime('2026-03-02T09:30:00')).toBe('03/02/2026 09:30');
  expect(formatLocalTime('2026-03-02T09:30:00Z')).toBe('03/02/2026 09:30 UTC');
});

it('omits unknown parts of an address', () => {
  const nowhere = { first_line: '', second_line: null, city: '', state: '', zip: '', country: '' };
  expect(formatAddress(nowhere)).toBe('');
  const abroad = { ...nowhere, first_line: '1 High Street', city: 'Leeds', zip: 'LS1 1AA', country: 'GB' };
  expect(formatAddress(abroad)).toBe('1 High Street\nLeeds, LS1 1AA\nUnited Kingdom');
});
