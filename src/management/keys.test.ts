import { describe, expect, it } from 'vitest';
import {
  digestOf,
  isManagementKey,
  isTeamKey,
  masked,
  newManagementKey,
  newTeamKey,
  prefixOf,
} from './keys.ts';

describe('a key', () => {
  it('says its kind, its region and 32 random bytes in base62', () => {
    expect(newTeamKey('sandbox', 'us')).toMatch(/^sk_us_[0-9A-Za-z]{43}$/);
    expect(newTeamKey('production', 'eu')).toMatch(/^pk_eu_[0-9A-Za-z]{43}$/);
    expect(newManagementKey()).toMatch(/^mg_[0-9A-Za-z]{43}$/);
    expect(newManagementKey()).not.toBe(newManagementKey());
  });

  it('is told from the other kind before it is looked up', () => {
    const [team, management] = [newTeamKey('production', 'eu'), newManagementKey()];
    expect([isTeamKey(team), isTeamKey(management)]).toEqual([true, false]);
    expect([isManagementKey(team), isManagementKey(management)]).toEqual([false, true]);
  });

  it('shows four characters of its secret part and no more', () => {
    expect(masked(prefixOf('sk_us_abcdefghijkl'))).toBe('sk_us_abcd********');
    expect(masked(prefixOf('mg_abcdefghijkl'))).toBe('mg_abcd********');
    expect(masked(prefixOf('sk_us_a_given_key_0123456789'))).toBe('sk_us_a_gi********');
    expect(masked(prefixOf('mg_a_given_key_0123456789'))).toBe('mg_a_gi********');
    expect(digestOf('mg_a').toString('hex')).toHaveLength(64);
  });
});
