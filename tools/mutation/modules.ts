/** A part of the service that is mutated to check its tests. */
export interface MutatedModule {
  readonly name: string;
  /** Source files, relative to the root. */
  readonly sources: readonly string[];
  /** The tests that run for its mutants. */
  readonly tests: readonly string[];
}

const ORDERS = 'packages/server/src/ordering/orders';
const RESULTS = 'packages/server/src/laboratories/incoming-results';
const WEBHOOKS = 'packages/server/src/delivery/webhooks';
const SAMPLES = 'packages/server/src/wearables/samples';

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
      'packages/server/src/scheduling/appointments/status.ts',
      'packages/server/src/ordering/shipments/status.ts',
    ],
    tests: [
      ...within(ORDERS, 'agreed-status.test status.test status-text.test ordering-rules.test'),
      ...within('packages/server/src/scheduling/appointments', 'agreed-status.test status.test'),
      ...within('packages/server/src/ordering/shipments', 'agreed-status.test status.test'),
    ],
  },
  {
    name: 'order-moves',
    sources: within(ORDERS, 'orders store row-store register-testkit recreate-order'),
    tests: [
      ...within(
        ORDERS,
        `concurrent-changes.test move-orders.test order-timestamps.test ordering-rules.test place-order.test
      placed-orders.test recreate-order.test register-testkit.test request-requisition.test row-store.test
      status-text.test`,
      ),
      'packages/server/src/ordering/shipments/shipments.test.ts',
      'packages/server/src/simulation/simulation.test.ts',
    ],
  },
  {
    name: 'result-merging',
    sources: within(
      RESULTS,
      `addenda attach-report message-report-store decide-match draws legacy-reports merge-reports observation-key
      steps store receive-report reassign-panels`,
    ),
    tests: [
      RESULTS,
      'packages/server/src/results/results',
      'packages/server/src/laboratories/unmatched-results',
    ],
  },
  {
    name: 'idempotency',
    sources: within('packages/server/src/platform/http', 'idempotency idempotency-store idempotency-cleaner'),
    tests: [
      'packages/server/src/platform/http/idempotency.test.ts',
      'packages/server/src/platform/http/stored-responses.test.ts',
      'packages/server/test/idempotency.test.ts',
      'packages/server/src/users/users/users.test.ts',
      'packages/server/src/users/insurance/insurance.test.ts',
      'packages/server/src/ordering/catalog/order-set.test.ts',
      'packages/server/src/scheduling/appointments/booking.test.ts',
    ],
  },
  {
    name: 'authentication',
    sources: within(
      'packages/server/src/identity/management',
      `access-tokens audited-change authenticate key-lifecycle key-store keys management-keys
      failed-authentication-limiter team-keys`,
    ),
    tests: within(
      'packages/server/src/identity/management',
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
    tests: [
      SAMPLES,
      'packages/server/src/readings/samples.test.ts',
      'packages/server/src/wearables/push',
      'packages/server/src/wearables/reads',
    ],
  },
];
