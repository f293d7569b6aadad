import { z } from 'zod';
import type { NatsSettings, RabbitMqSettings } from '../adapters/event-destination/port.ts';
import { isoMoment } from '../platform/clock.ts';
import { ENVIRONMENTS, REGIONS } from '../platform/tenant.ts';
import { masked } from './mask.ts';
import { DESTINATIONS, type Settings } from './preferences.ts';
import type { HealthRow } from './store.ts';

export const TEAMS_MAX = 100;
const URI_LENGTH_MAX = 2048;
const SERVERS_MAX = 5;
const PREFIXES_MAX = 200;

export const PipelinesPath = z.object({
  org_id: z.guid(),
  env: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});
export const TenantPath = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

export const ListQuery = z.object({
  team_id: z.guid().nullish(),
  next_cursor: z.string().max(200).nullish(),
});
export const DeleteQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional().describe('Needed for an Org Management Key.'),
});

/** An address whose parts can be read: a host, and a user and password that decode. */
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
      'amqps, or amqp in sandbox. Answered with the password masked; the mask put back keeps the password. ' +
        'Private addresses are refused unless they are allowed, as for webhooks.',
    ),
    exchange: z.string().min(1).max(255).describe('Must be there; it is not declared.'),
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
        'tls, or nats in sandbox; a user without a password is a token. Tried in their order. Answered masked.',
      ),
    stream: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\s.*>/\\]+$/, 'expected the name of a stream')
      .nullish()
      .describe('The stream that is expected to keep the events. Without it: whichever has the subject.'),
    subject_prefix: z
      .string()
      .max(200)
      .regex(SUBJECT, 'expected tokens of letters, digits, _ and -, joined by dots')
      .describe('Events go to `subject_prefix.event_type`.'),
  })
  .meta({ id: 'EventDestinationNatsAttributes' });

const Svix = z
  .object({ regional: z.literal(true).default(true).meta({ deprecated: true }) })
  .meta({ id: 'EventDestinationSvixAttributes' });

const CloudPubSub = z
  .object({ project: z.string(), topic: z.string(), message_ordering: z.boolean() })
  .meta({ id: 'EventDestinationCloudPubSubAttributes' });

const BlobStorage = z
  .object({ connection_string: z.string(), container_name: z.string() })
  .meta({ id: 'EventDestinationAzureBlobStorage' });

const HubMatcher = z
  .object({
    event_type_prefix: z.string().nullish(),
    event_type_regex: z.string().nullish(),
    event_hub: z.string().nullish(),
    blob_storage: BlobStorage.nullish(),
  })
  .meta({ id: 'EventDestinationEventHubMatcher' });

const AzureAmqp = z
  .object({
    connection_string: z.string(),
    default_event_hub: z.string(),
    event_hub_matchers: z.array(HubMatcher).optional(),
    compression: z.enum(['always', 'auto']).default('auto'),
  })
  .meta({ id: 'EventDestinationAzureAMQPAttributes' });

const PreferencesSchema = z
  .object({
    preferred: z.enum(DESTINATIONS).describe('One of those that are enabled.'),
    enabled: z.array(z.enum(DESTINATIONS)).min(1).max(20),
  })
  .meta({ id: 'EventDestinationPreferences' });

const Prefix = z
  .string()
  .max(128)
  .regex(/^[a-z][a-z0-9_.]*$/, 'expected the beginning of event types, as labtest.order');

/** What is left out or null stays as it is. */
export const UpsertPipelines = z
  .object({
    team_ids: z.array(z.guid()).max(TEAMS_MAX).optional().describe('Needed for an Org Management Key.'),
    push_historical_data: z.boolean().nullish().describe('Kept; nothing depends on it so far.'),
    provider_raw_data: z.boolean().nullish().describe('Kept; nothing depends on it so far.'),
    preferences: PreferencesSchema.nullish(),
    cloud_pubsub: CloudPubSub.nullish().describe('Refused: there is no such destination here.'),
    rabbitmq: RabbitMq.nullish(),
    svix: Svix.nullish(),
    azure_amqp: AzureAmqp.nullish().describe('Refused: there is no such destination here.'),
    nats: Nats.nullish().describe('Ours: a NATS JetStream.'),
    event_type_prefixes: z
      .array(Prefix)
      .max(PREFIXES_MAX)
      .optional()
      .describe(
        'Brokers get the events whose type begins with one of these; an empty list: every event. ' +
          'Webhook endpoints have filters of their own.',
      ),
  })
  .meta({ id: 'UpsertTeamETLPipelinesBody' });
export type UpsertPipelines = z.output<typeof UpsertPipelines>;

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

export const viewPipeline = (teamId: string, settings: Settings): z.input<typeof PipelineView> => ({
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

const viewRabbitMq = ({ uri, exchange }: RabbitMqSettings) => ({ uri: masked(uri), exchange });

const viewNats = ({ servers, stream, subjectPrefix }: NatsSettings) => ({
  servers: servers.map(masked),
  stream,
  subject_prefix: subjectPrefix,
});

const Moment = z.iso.datetime({ offset: true });

const DestinationHealth = z
  .object({
    destination: z.enum(['rabbitmq', 'nats']),
    role: z.enum(['main', 'reserve']),
    waiting: z.int().describe('Events that it is owed.'),
    oldest_waiting_at: Moment.nullable().describe('When the first of them happened.'),
    failing_since: Moment.nullable().describe('Null while it does well.'),
    last_success_at: Moment.nullable(),
    last_failure_at: Moment.nullable(),
    last_error: z.string().nullable().describe('Of the last failure; it stays after a success.'),
    next_try_at: Moment.nullable().describe('While nobody speaks with it because it failed.'),
  })
  .meta({ id: 'PipelineDestination' });

export const HealthView = z
  .object({
    preferences: PreferencesSchema,
    destinations: z.array(DestinationHealth).describe('Brokers. What came of webhooks stands with each.'),
  })
  .meta({ id: 'PipelineHealth' });

const momentOrNull = (moment: Date | null) => moment && isoMoment(moment);

export const viewHealth = (row: HealthRow): z.input<typeof DestinationHealth> => ({
  destination: row.broker,
  role: row.role,
  waiting: row.waiting,
  oldest_waiting_at: momentOrNull(row.oldest_at),
  failing_since: momentOrNull(row.failing_since),
  last_success_at: momentOrNull(row.last_success_at),
  last_failure_at: momentOrNull(row.last_failure_at),
  last_error: row.last_error,
  next_try_at: momentOrNull(row.retry_at),
});
