import { z } from 'zod';
import { REGIONS, type Region } from './tenant.ts';

const key = (prefixes: RegExp, example: string) =>
  z.string().regex(prefixes, `expected a key like ${example} with at least 16 characters after the prefix`);

/** Where a deployment is, and the keys that its first start is given. */
export const firstStartKeys = {
  REGION: z
    .enum(REGIONS)
    .default('us')
    .describe('Region that this deployment serves; it is part of key prefixes.'),
  BOOTSTRAP_TEAM_API_KEY: key(/^sk_(us|eu)_\w{16,}$/, 'sk_us_...')
    .optional()
    .describe(
      'Sandbox key of the first team, used instead of a random one on first start. Its prefix is that of REGION.',
    ),
  BOOTSTRAP_MANAGEMENT_KEY: key(/^mg_\w{16,}$/, 'mg_...')
    .optional()
    .describe('First organization management key, used instead of a random one on first start.'),
};

interface Given {
  readonly REGION: Region;
  readonly BOOTSTRAP_TEAM_API_KEY?: string | undefined;
}

/** A key says by its prefix where it is good: one of elsewhere would be believed by callers and by nobody else. */
export function wrongWithRegion({ REGION: region, BOOTSTRAP_TEAM_API_KEY: given }: Given): string[] {
  const prefix = `sk_${region}_`;
  return given === undefined || given.startsWith(prefix)
    ? []
    : [`BOOTSTRAP_TEAM_API_KEY: expected a key that begins with ${prefix}, because REGION is ${region}`];
}
