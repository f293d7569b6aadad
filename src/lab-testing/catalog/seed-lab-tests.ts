import type { Work } from '../../platform/work.ts';

/** Gives a new tenant its standard lab tests, one or more for each collection method. */
export async function seedLabTests(work: Work): Promise<void> {
  throw new Error(`Not yet: ${work.tenant.teamId}`);
}
