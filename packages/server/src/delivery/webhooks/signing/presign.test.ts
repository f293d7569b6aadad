import { expect, it } from 'vitest';
import { createByteBudget } from './presign.ts';

it('decrypts bodies in advance only up to the byte budget', () => {
  const mayOpen = createByteBudget(1000);
  const [small, large, other] = [{ bytes: 600 }, { bytes: 500 }, { bytes: 400 }];
  const asked = [small, large, small, other, large, other, { bytes: 1 }];
  expect(asked.map(mayOpen)).toEqual([true, false, true, true, false, true, false]);
});
