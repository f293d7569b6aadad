/** An event as a broker is told of it. */
export interface Message {
  /** The same at every try and to every destination; a consumer knows by it what it has seen. */
  readonly id: string;
  /** The event type, as `labtest.order.created`; routing keys and subjects are made of it. */
  readonly type: string;
  readonly teamId: string;
  readonly userId: string | null;
  /** The JSON text that webhooks are sent, too. */
  readonly body: string;
}

/** What came of a batch. A message that stands in neither list was not answered, for the reason in `broken`. */
export interface Published {
  /** The broker has confirmed that it keeps them. */
  readonly confirmed: readonly string[];
  /** The broker has said no to these alone. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly broken: string | null;
}

/** A connection that is kept. One batch at a time; once it is not open any more it stays so. */
export interface Line {
  readonly isOpen: boolean;
  publish(messages: readonly Message[]): Promise<Published>;
  /** Never fails. */
  close(): Promise<void>;
}

/** The addresses of a host that may be connected to. Throws when there are none. A body asks nobody else. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** What we ask of a message broker. */
export interface EventDestination<Settings> {
  /** Fails, within a time that is limited, with a reason that a stranger may read. */
  connect(settings: Settings, resolve: Resolve): Promise<Line>;
}

export interface RabbitMqSettings {
  /** `amqp://` or `amqps://`, with user, password and virtual host. */
  readonly uri: string;
  /** Must be there; nobody declares it. */
  readonly exchange: string;
}

export interface NatsSettings {
  /** `nats://` or `tls://`, with user and password or a token; tried in their order. */
  readonly servers: readonly string[];
  /** The stream that is expected to keep the events; any other one then refuses them. */
  readonly stream: string | null;
  /** Events go to `subject_prefix.event_type`. */
  readonly subjectPrefix: string;
}

export interface EventDestinations {
  readonly rabbitmq: EventDestination<RabbitMqSettings>;
  readonly nats: EventDestination<NatsSettings>;
}

/** The brokers that there are bodies for. */
export const BROKERS = ['rabbitmq', 'nats'] as const;
export type Broker = (typeof BROKERS)[number];
