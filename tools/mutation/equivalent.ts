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
  {
    key: 'src/management/gate.ts default: row?.team_ids.filter((id): id is string => id !== null) ?? [] => row?.team_ids.filter((id): id is string => id !== null)',
    reason: 'Without a row nobody looks at the teams.',
  },
  {
    key: 'src/management/key-life.ts entry: after: undefined => ',
    reason: 'What is undefined and what is not there are the same to the reader.',
  },
  {
    key: /^src\/lab-testing\/orders\/status\.ts entry: top: 'received' => /,
    reason: 'A row without a level is received.',
  },
  {
    key: 'src/lab-testing/appointments/status.ts entry: from => ',
    reason: 'Walked from once more, the first status leads nowhere sooner.',
  },
  {
    key: 'src/lab-testing/appointments/status.ts unary: -1 => 1',
    reason: 'No two statuses are more than two steps apart.',
  },
  {
    key: 'src/lab-testing/incoming-results/merge-reports.ts default: sorted.at(-1) ?? report => sorted.at(-1)',
    reason: 'There is one report at least.',
  },
  {
    key: 'src/lab-testing/incoming-results/merge-reports.ts condition: one.subId === undefined => false',
    reason: 'Nothing is found by a sub-id that is not there.',
  },
  {
    key: "src/lab-testing/incoming-results/merge-reports.ts default: one.subId ?? '' => one.subId",
    reason: 'It is only asked for where the sub-id is there.',
  },
  {
    key: 'src/lab-testing/incoming-results/merge-reports.ts condition: one.subId !== undefined => true',
    reason: 'Nobody looks for an observation without a sub-id by it.',
  },
];

export const reasonFor = (key: string): string | undefined =>
  equivalentMutants.find((each) => (typeof each.key === 'string' ? each.key === key : each.key.test(key)))
    ?.reason;
