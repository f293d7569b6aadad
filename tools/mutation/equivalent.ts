/** A mutant that no test can tell from the original, with the reason. */
export interface EquivalentMutant {
  /** Its key, as a run prints it; whatever matches, where a whole family has one reason. */
  readonly key: string | RegExp;
  readonly reason: string;
}

/** Only what can be shown: a mutant that nobody has found a test for stays a survivor. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    key: /^src\/platform\/http\/idempotency-store\.ts method: \.where\('(?:team_id|environment)', '=', \S+\) => /,
    reason:
      'Row security shows a transaction of a tenant no other rows (test/tenancy.test.ts); the condition is for the index.',
  },
  {
    key: 'src/platform/http/idempotency.ts literal: 200 => 201',
    reason: 'The status kept with a beginning is never read: only its text is.',
  },
  {
    key: 'src/platform/http/idempotency.ts statement: work.rings.clear(); => ',
    reason: 'Who is woken for nothing looks once and finds nothing.',
  },
];

export const reasonFor = (key: string): string | undefined =>
  equivalentMutants.find((each) => (typeof each.key === 'string' ? each.key === key : each.key.test(key)))
    ?.reason;
