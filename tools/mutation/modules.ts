/** A part of the service whose tests are tested. */
export interface MutatedModule {
  readonly name: string;
  /** Files, or folders of which all files count that can be wrong; relative to the root. */
  readonly sources: readonly string[];
  /** The tests that run for its mutants. */
  readonly tests: readonly string[];
}

const ORDERS = 'src/lab-testing/orders';
const RESULTS = 'src/lab-testing/incoming-results';
const WEBHOOKS = 'src/webhooks';
const SAMPLES = 'src/wearables/samples';

const within = (folder: string, names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${folder}/${name}.ts`);

export const modules: readonly MutatedModule[] = [
  {
    name: 'order-status',
    sources: [
      `${ORDERS}/status.ts`,
      'src/lab-testing/appointments/status.ts',
      'src/lab-testing/shipments/status.ts',
    ],
    tests: [
      ...within(ORDERS, 'agreed-status.test status.test status-text.test ordering-rules.test'),
      ...within('src/lab-testing/appointments', 'agreed-status.test status.test'),
      ...within('src/lab-testing/shipments', 'agreed-status.test status.test'),
    ],
  },
  {
    name: 'order-moves',
    sources: within(ORDERS, 'orders store row-store register-testkit recreate-order'),
    tests: [
      ...within(
        ORDERS,
        `at-once.test order-moments.test ordering-rules.test place-order.test recreate-order.test
        register-testkit.test request-requisition.test status-text.test`,
      ),
      'src/lab-testing/shipments/shipments.test.ts',
      'src/lab-testing/simulation/simulation.test.ts',
    ],
  },
  {
    name: 'result-merging',
    sources: within(
      RESULTS,
      `addenda attach-report brought-store decide draws kept-before merge-reports same-thing steps store
      take-report under-known-panels`,
    ),
    tests: [RESULTS, 'src/lab-testing/results', 'src/lab-testing/unmatched-results'],
  },
  {
    name: 'idempotency',
    sources: within('src/platform/http', 'idempotency idempotency-store idempotency-cleaner'),
    tests: [
      'src/platform/http/idempotency.test.ts',
      'src/platform/http/kept-answers.test.ts',
      'test/idempotency.test.ts',
      'src/users/users.test.ts',
      'src/insurance/insurance.test.ts',
      'src/lab-testing/catalog/order-set.test.ts',
      'src/lab-testing/appointments/booking.test.ts',
    ],
  },
  {
    name: 'authentication',
    sources: within(
      'src/management',
      'access-tokens acting gate key-life key-store keys management-keys strangers team-keys',
    ),
    tests: within(
      'src/management',
      `bootstrap.test gate.test key-life.test keys.test management-keys.test remembered-keys.test rotate-management-key.test scope.test
      strangers.test team-keys.test teams.test delete-team.test`,
    ),
  },
  {
    name: 'webhook-queue',
    sources: within(
      WEBHOOKS,
      `block-store block bundle-store bundle claim-bundles-store claim-store claim deliver delivery-store failing
      failure-store filter flight gate in-blocks lanes lease-store outcome reaction record-store record recorder
      resting schedule sender signal store`,
    ),
    tests: [WEBHOOKS],
  },
  {
    name: 'sample-storage',
    sources: within(
      SAMPLES,
      `chunk-store chunk columns compare devices fold-later fold integers origin-store origins put-store put read
      remembered-streams row-store sample samples sealed-chunk segment-store stream-reader stream-store view`,
    ),
    tests: [SAMPLES, 'src/wearables/samples.test.ts', 'src/wearables/push', 'src/wearables/reads'],
  },
];
