/** A mutant that behaves like the original, with the reason. */
interface EquivalentMutant {
  /** Its key, as a run prints it; a pattern if a family of mutants has one reason. */
  readonly key: string | RegExp;
  readonly reason: string;
}

/** Only provable equivalence: a mutant without a known test is a survivor. */
const equivalentMutants: readonly EquivalentMutant[] = [
  {
    key: /^packages\/server\/src\/platform\/http\/idempotency-store\.ts method: \.where\('(?:team_id|environment)', '=', \S+\) => /,
    reason:
      'Row-level security hides rows of other tenants (packages/server/test/tenancy.test.ts); the condition only helps the index.',
  },
  {
    key: 'packages/server/src/platform/http/idempotency.ts literal: 200 => 201',
    reason: 'Only the text of a started request is read, never its status.',
  },
  {
    key: 'packages/server/src/platform/http/idempotency.ts statement: work.wakeups.clear(); => ',
    reason: 'A spurious wakeup only causes one query that finds nothing.',
  },
  {
    key: 'packages/server/src/identity/management/authenticate.ts default: row?.team_ids.filter((id): id is string => id !== null) ?? [] => row?.team_ids.filter((id): id is string => id !== null)',
    reason: 'Without a row the teams are not read.',
  },
  {
    key: 'packages/server/src/identity/management/key-lifecycle.ts entry: after: undefined => ',
    reason: 'The reader treats undefined like a missing property.',
  },
  {
    key: /^packages\/server\/src\/ordering\/orders\/status\.ts entry: top: 'received' => /,
    reason: 'A row without a level defaults to received.',
  },
  {
    key: 'packages/server/src/scheduling/appointments/status.ts entry: from => ',
    reason: 'Visiting the first status again finds no shorter path.',
  },
  {
    key: 'packages/server/src/scheduling/appointments/status.ts unary: -1 => 1',
    reason: 'No two statuses are more than two steps apart.',
  },
  {
    key: 'packages/server/src/laboratories/incoming-results/merge-reports.ts default: sorted.at(-1) ?? report => sorted.at(-1)',
    reason: 'There is always at least one report.',
  },
  {
    key: 'packages/server/src/laboratories/incoming-results/merge-reports.ts condition: one.subId === undefined => false',
    reason: 'A missing sub-id matches nothing.',
  },
  {
    key: "packages/server/src/laboratories/incoming-results/merge-reports.ts default: one.subId ?? '' => one.subId",
    reason: 'It is only read if the sub-id exists.',
  },
  {
    key: 'packages/server/src/laboratories/incoming-results/merge-reports.ts condition: one.subId !== undefined => true',
    reason: 'An observation without a sub-id is never looked up by sub-id.',
  },
];

export const reasonFor = (key: string): string | undefined =>
  equivalentMutants.find((each) => (typeof each.key === 'string' ? each.key === key : each.key.test(key)))
    ?.reason;
