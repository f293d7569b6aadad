import type { NatsSettings, RabbitMqSettings } from '../adapters/event-destination/port.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { invalidField } from '../platform/errors.ts';
import { unmasked } from './mask.ts';
import { openSettings } from './sealed.ts';
import { isBroker, WEBHOOKS_ALONE, type Settings } from './preferences.ts';
import type { UpsertPipelines } from './schema.ts';
import type { PipelineRow } from './store.ts';

const NOTHING_SET: Settings = {
  pushHistoricalData: false,
  providerRawData: false,
  ...WEBHOOKS_ALONE,
  eventTypePrefixes: null,
  rabbitmq: null,
  nats: null,
};

export const settingsOf = (row: PipelineRow, cipher: TenantCipher): Settings => ({
  pushHistoricalData: row.push_historical_data,
  providerRawData: row.provider_raw_data,
  preferred: row.preferred,
  enabled: row.enabled,
  eventTypePrefixes: row.event_type_prefixes,
  rabbitmq: row.rabbitmq && openSettings.rabbitmq(cipher, row.rabbitmq),
  nats: row.nats && openSettings.nats(cipher, row.nats),
});

/** The settings with what is given in the place of what was; 422 when what comes of it does not hold together. */
export function changed(before: Settings = NOTHING_SET, change: UpsertPipelines): Settings {
  const { preferred, enabled } = change.preferences ?? before;
  const prefixes = change.event_type_prefixes;
  const after: Settings = {
    pushHistoricalData: change.push_historical_data ?? before.pushHistoricalData,
    providerRawData: change.provider_raw_data ?? before.providerRawData,
    preferred,
    enabled: [...new Set(enabled)],
    eventTypePrefixes: prefixes
      ? prefixes.length > 0
        ? [...new Set(prefixes)]
        : null
      : before.eventTypePrefixes,
    rabbitmq: change.rabbitmq ? withSecret(change.rabbitmq, before) : before.rabbitmq,
    nats: change.nats ? withSecrets(change.nats, before) : before.nats,
  };
  check(after);
  return after;
}

function withSecret({ uri, exchange }: RabbitMqSettings, { rabbitmq }: Settings): RabbitMqSettings {
  const whole = unmasked(uri, rabbitmq ? [rabbitmq.uri] : []);
  if (whole === undefined) throw maskAlone('rabbitmq', 'uri');
  return { uri: whole, exchange };
}

function withSecrets(given: NonNullable<UpsertPipelines['nats']>, { nats }: Settings): NatsSettings {
  const servers = given.servers.map((server, index) => {
    const whole = unmasked(server, nats?.servers ?? []);
    if (whole === undefined) throw maskAlone('nats', 'servers', index);
    return whole;
  });
  return { servers, stream: given.stream ?? null, subjectPrefix: given.subject_prefix };
}

const maskAlone = (...place: (string | number)[]) =>
  invalidField(['body', ...place], 'the password is masked, and none is kept for this user and host');

function check({ preferred, enabled, ...settings }: Settings): void {
  if (!enabled.includes(preferred)) {
    throw invalidField(['body', 'preferences', 'preferred'], 'expected one of those that are enabled');
  }
  for (const broker of enabled.filter(isBroker)) {
    if (settings[broker] === null) {
      throw invalidField(['body', broker], `expected the settings of ${broker}, which is enabled`);
    }
  }
}

const MISSING = ['cloud_pubsub', 'azure_amqp'] as const;

/**
 * Google Cloud Pub/Sub and Azure (AMQP, Event Hubs) are in the interface, but nothing here speaks with them.
 * Whoever would enable or set them is told so at the place, before anything is kept.
 */
export function refuseMissing(change: UpsertPipelines): void {
  const { preferred, enabled = [] } = change.preferences ?? {};
  for (const missing of MISSING) {
    const refused = (...place: (string | number)[]) =>
      invalidField(
        ['body', ...place],
        `this service has no destination ${missing}; there are rabbitmq, nats and svix`,
      );
    const index = enabled.indexOf(missing);
    if (index >= 0) throw refused('preferences', 'enabled', index);
    if (preferred === missing) throw refused('preferences', 'preferred');
    if (change[missing]) throw refused(missing);
  }
}
