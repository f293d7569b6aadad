/** An event as a broker message. */
export interface BrokerMessage {
  /** Stable across retries and destinations; consumers deduplicate by it. */
  readonly id: string;
  /** The event type, for example `labtest.order.created`; used for routing keys and subjects. */
  readonly type: string;
  readonly teamId: string;
  readonly userId: string | null;
  /** The same JSON text that webhooks receive. */
  readonly body: string;
}

/** The result of a batch. Messages in neither list were not acknowledged, for the reason in `broken`. */
export interface PublishResult {
  /** Ids of messages that the broker stored. */
  readonly confirmed: readonly string[];
  /** Messages that the broker refused individually. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly broken: string | null;
}

/** A long-lived connection. Publishes one batch at a time; once closed it stays closed. */
export interface BrokerConnection {
  readonly isOpen: boolean;
  publish(messages: readonly BrokerMessage[]): Promise<PublishResult>;
  /** Never throws. */
  close(): Promise<void>;
}

/** The allowed addresses of a host; throws if there are none. Implementations must use no other DNS lookup. */
export type AddressResolver = (host: string) => Promise<readonly string[]>;

/** A message broker. */
export interface EventDestination<Settings> {
  /** Throws within a bounded time. The message is shown to users, so it must hold no secrets. */
  connect(settings: Settings, resolve: AddressResolver): Promise<BrokerConnection>;
}

export interface RabbitMqSettings {
  /** `amqp://` or `amqps://`, with user, password and virtual host. */
  readonly uri: string;
  /** Must exist; it is never declared. */
  readonly exchange: string;
}

export interface NatsSettings {
  /** `nats://` or `tls://`, with user and password or a token; tried in order. */
  readonly servers: readonly string[];
  /** The stream that must store the events; any other stream then refuses them. */
  readonly stream: string | null;
  /** Events go to `subject_prefix.event_type`. */
  readonly subjectPrefix: string;
}

export interface EventDestinations {
  readonly rabbitmq: EventDestination<RabbitMqSettings>;
  readonly nats: EventDestination<NatsSettings>;
}

/** The supported brokers. */
export const BROKERS = ['rabbitmq', 'nats'] as const;
export type Broker = (typeof BROKERS)[number];
