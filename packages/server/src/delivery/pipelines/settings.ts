import type { NatsSettings, RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { invalidField } from '../../platform/errors.ts';
import { restoreAddress } from './mask.ts';
import { openSettings } from './sealed-settings.ts';
import { isBroker, WEBHOOKS_ONLY, type PipelineSettings } from './preferences.ts';
import type { UpsertPipelinesBody } from './schema.ts';
import type { EventPipelineRow } from './store.ts';

const DEFAULT_SETTINGS: PipelineSettings = {
  pushHistoricalData: false,
  providerRawData: false,
  ...WEBHOOKS_ONLY,
  eventTypePrefixes: null,
  rabbitmq: null,
  nats: null,
};

export const openPipelineSettings = (row: EventPipelineRow, cipher: TenantCipher): PipelineSettings => ({
  pushHistoricalData: row.push_historical_data,
  providerRawData: row.provider_raw_data,
  preferred: row.preferred,
  enabled: row.enabled,
  eventTypePrefixes: row.event_type_prefixes,
  rabbitmq: row.rabbitmq && openSettings.rabbitmq(cipher, row.rabbitmq),
  nats: row.nats && openSettings.nats(cipher, row.nats),
});

/** Applies a change to the settings; 422 if the result is inconsistent. */
export function applyChange(
  before: PipelineSettings = DEFAULT_SETTINGS,
  change: UpsertPipelinesBody,
): PipelineSettings {
  const { preferred, enabled } = change.preferences ?? before;
  const prefixes = change.event_type_prefixes;
  const after: PipelineSettings = {
    pushHistoricalData: change.push_historical_data ?? before.pushHistoricalData,
    providerRawData: change.provider_raw_data ?? before.providerRawData,
    preferred,
    enabled: [...new Set(enabled)],
    eventTypePrefixes: prefixes
      ? prefixes.length > 0
        ? [...new Set(prefixes)]
        : null
      : before.eventTypePrefixes,
    rabbitmq: change.rabbitmq ? restoreUriSecret(change.rabbitmq, before) : before.rabbitmq,
    nats: change.nats ? restoreServerSecrets(change.nats, before) : before.nats,
  };
  requireConsistent(after);
  return after;
}

function restoreUriSecret(
  { uri, exchange }: RabbitMqSettings,
  { rabbitmq }: PipelineSettings,
): RabbitMqSettings {
  const whole = restoreAddress(uri, rabbitmq ? [rabbitmq.uri] : []);
  if (whole === undefined) throw missingSecretError('rabbitmq', 'uri');
  return { uri: whole, exchange };
}

function restoreServerSecrets(
  given: NonNullable<UpsertPipelinesBody['nats']>,
  { nats }: PipelineSettings,
): NatsSettings {
  const servers = given.servers.map((server, index) => {
    const whole = restoreAddress(server, nats?.servers ?? []);
    if (whole === undefined) throw missingSecretError('nats', 'servers', index);
    return whole;
  });
  return { servers, stream: given.stream ?? null, subjectPrefix: given.subject_prefix };
}

const missingSecretError = (...place: (string | number)[]) =>
  invalidField(
    ['body', ...place],
    'the password is masked, and none is stored for this user and host; send the password',
  );

function requireConsistent({ preferred, enabled, ...settings }: PipelineSettings): void {
  if (!enabled.includes(preferred)) {
    throw invalidField(['body', 'preferences', 'preferred'], 'expected one of the enabled destinations');
  }
  for (const broker of enabled.filter(isBroker)) {
    if (settings[broker] === null) {
      throw invalidField(['body', broker], `${broker} is enabled: expected the settings of ${broker}`);
    }
  }
}

const UNSUPPORTED = ['cloud_pubsub', 'azure_amqp'] as const;

/**
 * Rejects Google Cloud Pub/Sub and Azure Event Hubs, which are in the interface but not supported here, with an error
 * at the field, before anything is stored.
 */
export function refuseUnsupported(change: UpsertPipelinesBody): void {
  const { preferred, enabled = [] } = change.preferences ?? {};
  for (const missing of UNSUPPORTED) {
    const refused = (...place: (string | number)[]) =>
      invalidField(
        ['body', ...place],
        `this service has no destination ${missing}: expected rabbitmq, nats or svix`,
      );
    const index = enabled.indexOf(missing);
    if (index >= 0) throw refused('preferences', 'enabled', index);
    if (preferred === missing) throw refused('preferences', 'preferred');
    if (change[missing]) throw refused(missing);
  }
}
