import { resultTableChanged } from './analytics/continuous-queries/events.ts';
import type { EventType } from './events/events.ts';
import { parsingJobCreated, parsingJobUpdated } from './lab-reports/events.ts';
import { appointmentCreated, appointmentUpdated } from './scheduling/appointments/events.ts';
import { criticalResult, orderCreated, orderUpdated } from './ordering/orders/events.ts';
import { matchReviewCreated } from './results/results/events.ts';
import { apiKeyCreated, apiKeyExpired, apiKeyExpiring, apiKeyRevoked } from './identity/management/events.ts';
import { wearableEvents } from './wearables/events.ts';
import { endpointDisabled, messageAttemptExhausted } from './delivery/webhooks/events.ts';

/** All event types of all modules. docs/reference/events.md is generated from it, and the drift check finds missing entries. */
export const eventCatalog: readonly EventType[] = [
  orderCreated,
  orderUpdated,
  criticalResult,
  appointmentCreated,
  appointmentUpdated,
  matchReviewCreated,
  parsingJobCreated,
  parsingJobUpdated,
  ...wearableEvents,
  resultTableChanged,
  messageAttemptExhausted,
  endpointDisabled,
  apiKeyCreated,
  apiKeyExpiring,
  apiKeyExpired,
  apiKeyRevoked,
];

/** The event types that an endpoint can filter by. Modules read it from `App.eventTypes`: none imports the catalog. */
export const eventTypes: readonly string[] = eventCatalog.map(({ type }) => type);

/** Events that may have no user: their envelopes then have null user ids. */
export const userlessEventTypes: ReadonlySet<string> = new Set(
  [
    matchReviewCreated,
    messageAttemptExhausted,
    endpointDisabled,
    apiKeyCreated,
    apiKeyExpiring,
    apiKeyExpired,
    apiKeyRevoked,
  ].map(({ type }) => type),
);
