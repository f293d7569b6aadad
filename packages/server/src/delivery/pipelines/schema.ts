import { z } from 'zod';
import type { NatsSettings, RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import { isoTimestampOrNull } from '../../platform/clock.ts';
import { ENVIRONMENTS, REGIONS } from '../../platform/tenant.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { maskAddress } from './mask.ts';
import { DESTINATIONS, type PipelineSettings } from './preferences.ts';
import type { DestinationHealthRow } from './store.ts';

const TEAMS_MAX = 100;
const URI_LENGTH_MAX = 2048;
const SERVERS_MAX = 5;
const PREFIXES_MAX = 200;

export const PipelinesPath = z.object({
  org_id: z.guid(),
  env: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});
export const PipelineTenantPath = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

export const PipelineListQuery = z.object({
  team_id: z.guid().nullish(),
  next_cursor: PageCursor,
});
export const PipelineDeleteQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional().describe('Required for an Org Management Key.'),
});

/** Whether the address has a host, and a user and password that can be decoded. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    return hostname !== '' && decodeURIComponent(`${username}${password}`) !== undefined;
  } catch {
    return false;
  }
}

const addressOf = (schemes: RegExp, expected: string) =>
  z
    .string()
    .trim()
    .max(URI_LENGTH_MAX)
    .refine((text) => schemes.test(text) && isAddress(text), expected);

const RabbitMq = z
  .object({
    uri: addressOf(/^amqps?:\/\//, 'expected amqps://user:password@host:port/vhost').describe(
      'The AMQP URI: amqps, or amqp in sandbox. Returned with the password masked; sending the mask back keeps the ' +
        'password. Private addresses are rejected unless the operator allows them, as for webhooks.',
    ),
    exchange: z.string().min(1).max(255).describe('Name of an existing exchange; it is not declared.'),
  })
  .meta({ id: 'EventDestinationRabbitMQAttributes' });

const SUBJECT = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

const Nats = z
  .object({
    servers: z
      .array(addressOf(/^(nats|tls):\/\//, 'expected tls://user:password@host:port'))
      .min(1)
      .max(SERVERS_MAX)
      .describe(
        'Server URLs, tried in order: tls, or nats in sandbox. A user without a password is a token. Returned masked.',
      ),
    stream: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\s.*>/\\]+$/, 'expected a stream name without spaces or any of . * > / \\')
      .nullish()
      .describe(
        'The JetStream stream that must store the events; by default, the stream that has the subject.',
      ),
    subject_prefix: z
      .string()
      .max(200)
      .regex(SUBJECT, 'expected tokens of letters, digits, _ and -, joined by dots')
      .describe('Events are published to the subject `{subject_prefix}.{event_type}`.'),
  })
  .meta({ id: 'EventDestinationNatsAttributes' });

const Svix = z
  .object({ regional: z.literal(true).default(true).meta({ deprecated: true, description: 'Always true.' }) })
  .meta({ id: 'EventDestinationSvixAttributes' });

const CloudPubSub = z
  .object({
    project: z.string().describe('Google Cloud project id.'),
    topic: z.string().describe('Pub/Sub topic id.'),
    message_ordering: z.boolean().describe('Whether messages have an ordering key.'),
  })
  .meta({ id: 'EventDestinationCloudPubSubAttributes' });

const BlobStorage = z
  .object({
    connection_string: z.string().describe('Azure Storage connection string.'),
    container_name: z.string().describe('Blob container name.'),
  })
  .meta({ id: 'EventDestinationAzureBlobStorage' });

const HubMatcher = z
  .object({
    event_type_prefix: z.string().nullish().describe('Matches event types with this prefix.'),
    event_type_regex: z.string().nullish().describe('Matches event types by a regular expression.'),
    event_hub: z.string().nullish().describe('Event Hub for matching events.'),
    blob_storage: BlobStorage.nullish().describe('Where large events are stored.'),
  })
  .meta({ id: 'EventDestinationEventHubMatcher' });

const AzureAmqp = z
  .object({
    connection_string: z.string().describe('Azure Event Hubs connection string.'),
    default_event_hub: z.string().describe('Event Hub for events that no matcher selects.'),
    event_hub_matchers: z
      .array(HubMatcher)
      .optional()
      .describe('Rules that select an Event Hub by event type.'),
    compression: z.enum(['always', 'auto']).default('auto').describe('Payload compression; auto by default.'),
  })
  .meta({ id: 'EventDestinationAzureAMQPAttributes' });

const PreferencesSchema = z
  .object({
    preferred: z.enum(DESTINATIONS).describe('One of the enabled destinations.'),
    enabled: z.array(z.enum(DESTINATIONS)).min(1).max(20).describe('Destinations that receive events.'),
  })
  .meta({ id: 'EventDestinationPreferences' });

const Prefix = z
  .string()
  .max(128)
  .regex(/^[a-z][a-z0-9_.]*$/, 'expected the beginning of an event type, such as labtest.order');

/** Omitted fields and null keep the current settings. */
export const UpsertPipelinesBody = z
  .object({
    team_ids: z
      .array(z.guid())
      .max(TEAMS_MAX)
      .optional()
      .describe('Teams to change; required for an Org Management Key.'),
    push_historical_data: z
      .boolean()
      .nullish()
      .describe(
        'Whether historical data of a new connection or an imported file is sent as daily.data events, too. ' +
          'By default it is only announced, by historical.data events.',
      ),
    provider_raw_data: z.boolean().nullish().describe('Stored, but has no effect yet.'),
    preferences: PreferencesSchema.nullish().describe(
      'Which destinations receive events, and which of them is preferred.',
    ),
    cloud_pubsub: CloudPubSub.nullish().describe(
      'Rejected: this service does not support Google Cloud Pub/Sub.',
    ),
    rabbitmq: RabbitMq.nullish().describe('A RabbitMQ broker.'),
    svix: Svix.nullish().describe('Webhook endpoints of the team.'),
    azure_amqp: AzureAmqp.nullish().describe('Rejected: this service does not support Azure Event Hubs.'),
    nats: Nats.nullish().describe('Extension. A NATS JetStream.'),
    event_type_prefixes: z
      .array(Prefix)
      .max(PREFIXES_MAX)
      .optional()
      .describe(
        'Brokers receive events whose type begins with one of these; an empty list means every event. ' +
          'Webhook endpoints have their own filters.',
      ),
  })
  .meta({ id: 'UpsertTeamETLPipelinesBody' });
export type UpsertPipelinesBody = z.output<typeof UpsertPipelinesBody>;

export const PipelineView = z
  .object({
    team_id: z.uuid(),
    push_historical_data: z.boolean(),
    provider_raw_data: z.boolean(),
    preferences: PreferencesSchema,
    cloud_pubsub: CloudPubSub.nullable(),
    rabbitmq: RabbitMq.nullable(),
    svix: Svix.nullable(),
    azure_amqp: AzureAmqp.nullable(),
    nats: Nats.nullable(),
    event_type_prefixes: z.array(z.string()).nullable(),
  })
  .meta({ id: 'ClientFacingETLPipeline' });

export const PipelineList = z
  .object({ pipelines: z.array(PipelineView), next_cursor: z.string().nullable() })
  .meta({ id: 'TeamETLPipelinesResponse' });

export const viewPipeline = (teamId: string, settings: PipelineSettings): z.input<typeof PipelineView> => ({
  team_id: teamId,
  push_historical_data: settings.pushHistoricalData,
  provider_raw_data: settings.providerRawData,
  preferences: { preferred: settings.preferred, enabled: [...settings.enabled] },
  cloud_pubsub: null,
  rabbitmq: settings.rabbitmq && viewRabbitMq(settings.rabbitmq),
  svix: settings.enabled.includes('svix') ? { regional: true } : null,
  azure_amqp: null,
  nats: settings.nats && viewNats(settings.nats),
  event_type_prefixes: settings.eventTypePrefixes && [...settings.eventTypePrefixes],
});

const viewRabbitMq = ({ uri, exchange }: RabbitMqSettings) => ({ uri: maskAddress(uri), exchange });

const viewNats = ({ servers, stream, subjectPrefix }: NatsSettings) => ({
  servers: servers.map(maskAddress),
  stream,
  subject_prefix: subjectPrefix,
});

const DestinationHealthView = z
  .object({
    destination: z.enum(['rabbitmq', 'nats']),
    role: z.enum(['main', 'reserve']),
    waiting: z.int().describe('Events waiting to be sent.'),
    oldest_waiting_at: Timestamp.nullable().describe('When the oldest of them occurred.'),
    failing_since: Timestamp.nullable().describe('Null while it is healthy.'),
    last_success_at: Timestamp.nullable(),
    last_failure_at: Timestamp.nullable(),
    last_error: z.string().nullable().describe('The error of the last failure; kept after a success.'),
    next_try_at: Timestamp.nullable().describe('When the connection is tried again after a failure.'),
  })
  .meta({ id: 'PipelineDestination' });

export const PipelineHealthView = z
  .object({
    preferences: PreferencesSchema,
    destinations: z
      .array(DestinationHealthView)
      .describe('The brokers. Webhook deliveries are listed per endpoint.'),
  })
  .meta({ id: 'PipelineHealth' });

export const viewHealth = (row: DestinationHealthRow): z.input<typeof DestinationHealthView> => ({
  destination: row.broker,
  role: row.role,
  waiting: row.waiting,
  oldest_waiting_at: isoTimestampOrNull(row.oldest_at),
  failing_since: isoTimestampOrNull(row.failing_since),
  last_success_at: isoTimestampOrNull(row.last_success_at),
  last_failure_at: isoTimestampOrNull(row.last_failure_at),
  last_error: row.last_error,
  next_try_at: isoTimestampOrNull(row.retry_at),
});
