import { describe, expect, it } from 'vitest';
import { DomainError } from '../../platform/errors.ts';
import { createKeyLookup } from './key-lookup.ts';

type Found = { readonly name: string } | 'stranger';

const NETWORKS = { flood: '198.51.100.7', other: '203.0.113.9' };
const POOL = 4;

/** Lookups whose queries end when the test says so. */
function openLookup() {
  const cache = new Map<string, Found>();
  const lookUp = createKeyLookup(POOL);
  const asked: string[] = [];
  const running: (() => void)[] = [];
  const ask = (key: string, address: string, found: Found = 'stranger') =>
    lookUp<Found>(cache, { key, address }, async () => {
      asked.push(key);
      await new Promise<void>((resolve) => running.push(resolve));
      cache.set(key, found);
      return found;
    });
  const endAll = async () => {
    for (let end = running.shift(); end; end = running.shift()) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { cache, ask, asked, running, endAll };
}

describe('lookups of keys', () => {
  it('leave a connection to the keys of other networks, however many one invents', async () => {
    const { ask, asked, endAll } = openLookup();
    const flood = Array.from({ length: 50 }, (_, n) => ask(`invented ${n}`, NETWORKS.flood));
    const other = ask('of another', NETWORKS.other);
    expect(asked).toEqual(['invented 0', 'of another']);
    await endAll();
    await Promise.all([...flood, other]);
    expect(asked).toHaveLength(51);
  });

  it('leave a connection to keys that were valid before, also for the same network', async () => {
    const { cache, ask, asked, endAll } = openLookup();
    const first = ask('valid', NETWORKS.flood, { name: 'Ada' });
    await endAll();
    await first;
    cache.delete('valid');
    const flood = Array.from({ length: 50 }, (_, n) => ask(`invented ${n}`, NETWORKS.flood));
    const again = ask('valid', NETWORKS.flood, 'stranger');
    expect(asked.slice(1)).toEqual(['invented 0', 'valid']);
    await endAll();
    await Promise.all(flood);
    // It was revoked meanwhile: having been valid gives a turn, not access.
    expect(await again).toBe('stranger');
  });

  it('ask once for a key that many requests have', async () => {
    const { ask, asked, endAll } = openLookup();
    const all = Array.from({ length: 20 }, () => ask('same', NETWORKS.flood, { name: 'Ada' }));
    await endAll();
    expect(await Promise.all(all)).toEqual(all.map(() => ({ name: 'Ada' })));
    expect(asked).toEqual(['same']);
  });

  it('refuse a network that has a thousand waiting, and no other', async () => {
    const { ask, asked, endAll } = openLookup();
    const flood = Array.from({ length: 1001 }, (_, n) => ask(`invented ${n}`, NETWORKS.flood));
    await expect(ask('one more', NETWORKS.flood)).rejects.toThrow(DomainError);
    const other = ask('of another', NETWORKS.other);
    expect(asked).toContain('of another');
    await endAll();
    await Promise.all([...flood, other]);
  });
});
