import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeSites, SITES_FILE } from './make.ts';

// Slow: places seven hundred sites among all ZIP codes.
it('generates the file in packages/server/data/places', { timeout: 60_000 }, () => {
  expect(makeSites()).toBe(readFileSync(SITES_FILE, 'utf8'));
});
