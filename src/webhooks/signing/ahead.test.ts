import { expect, it } from 'vitest';
import { openWithin } from './ahead.ts';

it('opens bodies before their turn only as far as there is room for them', () => {
  const mayOpen = openWithin(1000);
  const [small, large, other] = [{ bytes: 600 }, { bytes: 500 }, { bytes: 400 }];
  const asked = [small, large, small, other, large, other, { bytes: 1 }];
  expect(asked.map(mayOpen)).toEqual([true, false, true, true, false, true, false]);
});
