import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeSites, SITES_FILE } from './make.ts';

it('makes the file that is in data/places', () => {
  expect(makeSites()).toBe(readFileSync(SITES_FILE, 'utf8'));
});
