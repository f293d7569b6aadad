import {
  BROKERS,
  type Broker,
  type NatsSettings,
  type RabbitMqSettings,
} from '../../adapters/event-destination/port.ts';

/** Kinds of event destinations. `svix` means the webhook endpoints of this service. */
export const DESTINATIONS = ['cloud_pubsub', 'rabbitmq', 'svix', 'azure_amqp', 'nats'] as const;
export type DestinationKind = (typeof DESTINATIONS)[number];

export interface PipelinePreferences {
  readonly preferred: DestinationKind;
  readonly enabled: readonly DestinationKind[];
}

/** The settings of a tenant, decrypted. */
export interface PipelineSettings extends PipelinePreferences {
  readonly pushHistoricalData: boolean;
  readonly providerRawData: boolean;
  readonly eventTypePrefixes: readonly string[] | null;
  readonly rabbitmq: RabbitMqSettings | null;
  readonly nats: NatsSettings | null;
}

/** The default of a team without settings. */
export const WEBHOOKS_ONLY: PipelinePreferences = { preferred: 'svix', enabled: ['svix'] };

export type BrokerRole = 'main' | 'reserve';

/**
 * The role of each enabled broker. Webhooks and a broker both receive every event, so that a team can migrate without a
 * gap. Of two brokers, the main one receives every event: the preferred one, or the first enabled one if webhooks are
 * preferred. The other one is the reserve.
 */
export function rolesOf({ preferred, enabled }: PipelinePreferences): Map<Broker, BrokerRole> {
  const brokers = [preferred, ...enabled].filter(isBroker);
  return new Map(
    [...new Set(brokers)].map((broker, index): [Broker, BrokerRole] => [
      broker,
      index === 0 ? 'main' : 'reserve',
    ]),
  );
}

export const isBroker = (destination: DestinationKind): destination is Broker =>
  BROKERS.some((broker) => broker === destination);

/** The delivery rule, for the API reference. */
export const DELIVERY_RULE =
  'Enabled webhooks (`svix`) receive every event. An enabled broker also receives every event. Of two brokers, the ' +
  'preferred one receives them and the other is the reserve: after the first has failed for 10 minutes, its backlog ' +
  'and new events also go to the reserve until it recovers. Events wait for an unreachable broker and are never ' +
  'dropped; duplicates have the same message id.';
