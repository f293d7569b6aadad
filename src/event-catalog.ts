import type { EventType } from './events/events.ts';
import { criticalResult, orderCreated, orderUpdated } from './lab-testing/orders/events.ts';
import { endpointDisabled, messageAttemptExhausted } from './webhooks/events.ts';

/** Everything that is said, of all slices. docs/events.md is printed from it; the drift check finds what it lacks. */
export const eventCatalog: readonly EventType[] = [
  orderCreated,
  orderUpdated,
  criticalResult,
  messageAttemptExhausted,
  endpointDisabled,
];
