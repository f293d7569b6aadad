import { z } from 'zod';
import { REGIONS, type Region } from './tenant.ts';

const keySetting = (prefixes: RegExp, example: string) =>
  z.string().regex(prefixes, `expected a key like ${example} with at least 16 characters after the prefix`);

/** The region of a deployment, and the keys that its first start creates. */
export const firstStartSettings = {
  REGION: z
    .enum(REGIONS)
    .default('us')
    .describe('Region that this deployment serves; it is part of key prefixes.'),
  BOOTSTRAP_TEAM_API_KEY: keySetting(/^sk_(us|eu)_\w{16,}$/, 'sk_us_...')
    .optional()
    .describe(
      'Sandbox key of the first team, used instead of a random one on first start. Its prefix must match REGION.',
    ),
  BOOTSTRAP_MANAGEMENT_KEY: keySetting(/^mg_\w{16,}$/, 'mg_...')
    .optional()
    .describe('First organization management key, used instead of a random one on first start.'),
};

interface FirstStartSettings {
  readonly REGION: Region;
  readonly BOOTSTRAP_TEAM_API_KEY?: string | undefined;
}

/** The prefix of a key names its region. A key of another region would not be accepted by this deployment. */
export function findRegionErrors({
  REGION: region,
  BOOTSTRAP_TEAM_API_KEY: given,
}: FirstStartSettings): string[] {
  const prefix = `sk_${region}_`;
  return given === undefined || given.startsWith(prefix)
    ? []
    : [`BOOTSTRAP_TEAM_API_KEY: expected a key that begins with ${prefix}, because REGION is ${region}`];
}
