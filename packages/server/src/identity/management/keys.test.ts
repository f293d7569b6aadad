import { digestToken } from '../../platform/crypto/secret-token.ts';
import { describe, expect, it } from 'vitest';
import {
  isManagementKey,
  isTeamKey,
  maskKey,
  newManagementKey,
  newTeamKey,
  visiblePrefixOf,
} from './keys.ts';

describe('a key', () => {
  it('consists of its kind, its region and 32 random bytes in base62', () => {
    expect(newTeamKey('sandbox', 'us')).toMatch(/^sk_us_[0-9A-Za-z]{43}$/);
    expect(newTeamKey('production', 'eu')).toMatch(/^pk_eu_[0-9A-Za-z]{43}$/);
    expect(newManagementKey()).toMatch(/^mg_[0-9A-Za-z]{43}$/);
    expect(newManagementKey()).not.toBe(newManagementKey());
  });

  it('is distinguished from the other kind without a lookup', () => {
    const [team, management] = [newTeamKey('production', 'eu'), newManagementKey()];
    expect([isTeamKey(team), isTeamKey(management)]).toEqual([true, false]);
    expect([isManagementKey(team), isManagementKey(management)]).toEqual([false, true]);
  });

  it('shows only four characters of its secret', () => {
    expect(maskKey(visiblePrefixOf('sk_us_abcdefghijkl'))).toBe('sk_us_abcd********');
    expect(maskKey(visiblePrefixOf('mg_abcdefghijkl'))).toBe('mg_abcd********');
    expect(maskKey(visiblePrefixOf('sk_us_a_given_key_0123456789'))).toBe('sk_us_a_gi********');
    expect(maskKey(visiblePrefixOf('mg_a_given_key_0123456789'))).toBe('mg_a_gi********');
    expect(digestToken('mg_a').toString('hex')).toHaveLength(64);
  });
});
