/** A part of the service that is mutated to check its tests. */
export interface MutatedModule {
  readonly name: string;
  /** Source files, relative to the root. */
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
        `concurrent-changes.test order-timestamps.test ordering-rules.test place-order.test recreate-order.test
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
      `addenda attach-report message-report-store decide-match draws legacy-reports merge-reports observation-key
      steps store receive-report reassign-panels`,
    ),
    tests: [RESULTS, 'src/lab-testing/results', 'src/lab-testing/unmatched-results'],
  },
  {
    name: 'idempotency',
    sources: within('src/platform/http', 'idempotency idempotency-store idempotency-cleaner'),
    tests: [
      'src/platform/http/idempotency.test.ts',
      'src/platform/http/stored-responses.test.ts',
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
      `access-tokens audited-change authenticate key-lifecycle key-store keys management-keys
      failed-authentication-limiter team-keys`,
    ),
    tests: within(
      'src/management',
      `bootstrap.test authenticate.test key-lifecycle.test keys.test management-keys.test key-cache.test
      rotate-management-key.test scope.test failed-authentication-limiter.test team-keys.test teams.test
      delete-team.test`,
    ),
  },
  {
    name: 'webhook-queue',
    sources: within(
      WEBHOOKS,
      `block-store block bundle-store bundle claim-bundles-store claim-store claim deliver delivery-store failing
      failure-store filter in-flight concurrency-limiter attempt-blocks lanes lease-store outcome event-handler
      record-store record recorder parked-messages schedule sender signal store`,
    ),
    tests: [WEBHOOKS],
  },
  {
    name: 'sample-storage',
    sources: within(
      SAMPLES,
      `chunk-store chunk columns compare devices schedule-compaction compact varints origin-store origins
      put-store put read stream-cache row-store sample samples sealed-chunk segment-store stream-reader
      stream-store view`,
    ),
    tests: [SAMPLES, 'src/readings/samples.test.ts', 'src/wearables/push', 'src/wearables/reads'],
  },
];
