import { resultTableChanged } from './continuous-queries/events.ts';
import type { EventType } from './events/events.ts';
import { parsingJobCreated, parsingJobUpdated } from './lab-reports/events.ts';
import { appointmentCreated, appointmentUpdated } from './lab-testing/appointments/events.ts';
import { criticalResult, orderCreated, orderUpdated } from './lab-testing/orders/events.ts';
import { matchReviewCreated } from './lab-testing/results/events.ts';
import { apiKeyCreated, apiKeyExpired, apiKeyExpiring, apiKeyRevoked } from './management/events.ts';
import { wearableEvents } from './wearables/events.ts';
import { endpointDisabled, messageAttemptExhausted } from './webhooks/events.ts';

/** Everything that is said, of all slices. docs/events.md is printed from it; the drift check finds what it lacks. */
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

/** What a filter of an endpoint may name. Whoever asks is given it (`App.eventTypes`): no slice imports the catalogue. */
export const eventTypes: readonly string[] = eventCatalog.map(({ type }) => type);

/** Events that may be about no user: their envelopes have null for one. */
export const aboutNobody: ReadonlySet<string> = new Set(
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
