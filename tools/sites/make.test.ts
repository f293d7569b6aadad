import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeSites, SITES_FILE } from './make.ts';

// Seven hundred sites, each placed among all ZIP codes.
it('makes the file that is in data/places', { timeout: 60_000 }, () => {
  expect(makeSites()).toBe(readFileSync(SITES_FILE, 'utf8'));
});
