import {
  BROKERS,
  type Broker,
  type NatsSettings,
  type RabbitMqSettings,
} from '../adapters/event-destination/port.ts';

/** Where events may go. `svix` stands for the webhook endpoints of this service. */
export const DESTINATIONS = ['cloud_pubsub', 'rabbitmq', 'svix', 'azure_amqp', 'nats'] as const;
export type Destination = (typeof DESTINATIONS)[number];

export interface Preferences {
  readonly preferred: Destination;
  readonly enabled: readonly Destination[];
}

/** What a tenant has set, opened. */
export interface Settings extends Preferences {
  readonly pushHistoricalData: boolean;
  readonly providerRawData: boolean;
  readonly eventTypePrefixes: readonly string[] | null;
  readonly rabbitmq: RabbitMqSettings | null;
  readonly nats: NatsSettings | null;
}

/** What holds while a team has set nothing. */
export const WEBHOOKS_ALONE: Preferences = { preferred: 'svix', enabled: ['svix'] };

export type Role = 'main' | 'reserve';

/**
 * What every enabled broker is for. Webhooks and a broker are written side by side, so that a team can go from one
 * to the other without a gap. Of two brokers one is the main one, which gets every event: the preferred one, or the
 * first that is enabled where webhooks are preferred. The other stands in for it.
 */
export function rolesOf({ preferred, enabled }: Preferences): Map<Broker, Role> {
  const brokers = [preferred, ...enabled].filter(isBroker);
  return new Map(
    [...new Set(brokers)].map((broker, index): [Broker, Role] => [broker, index === 0 ? 'main' : 'reserve']),
  );
}

export const isBroker = (destination: Destination): destination is Broker =>
  BROKERS.some((broker) => broker === destination);

/** The rule in words, for the reference page. */
export const RULE =
  'Webhooks (`svix`) that are enabled get every event. An enabled broker gets every event as well; if there are two, ' +
  'the preferred one does, and the other one stands in: once the first has been failing for 10 minutes, what waits ' +
  'for it and what comes goes to the other as well, until it recovers. Events wait for a broker that is away and ' +
  'are never dropped; what comes twice has the same message id.';
