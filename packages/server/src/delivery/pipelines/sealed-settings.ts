import { z } from 'zod';
import type { NatsSettings, RabbitMqSettings } from '../../adapters/event-destination/port.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';

const RabbitMq = z.object({ uri: z.string(), exchange: z.string() });
const Nats = z.object({
  servers: z.array(z.string()),
  stream: z.string().nullable(),
  subjectPrefix: z.string(),
});

const CIPHER_CONTEXTS = { rabbitmq: 'event_pipeline.rabbitmq', nats: 'event_pipeline.nats' } as const;

/** Encrypts the settings of a broker for their database column. */
export const sealSettings = {
  rabbitmq: (cipher: TenantCipher, settings: RabbitMqSettings | null): Buffer | null =>
    settings && cipher.seal(JSON.stringify(settings), CIPHER_CONTEXTS.rabbitmq),
  nats: (cipher: TenantCipher, settings: NatsSettings | null): Buffer | null =>
    settings && cipher.seal(JSON.stringify(settings), CIPHER_CONTEXTS.nats),
};

export const openSettings = {
  rabbitmq: (cipher: TenantCipher, sealed: Buffer): RabbitMqSettings =>
    RabbitMq.parse(JSON.parse(cipher.open(sealed, CIPHER_CONTEXTS.rabbitmq))),
  nats: (cipher: TenantCipher, sealed: Buffer): NatsSettings =>
    Nats.parse(JSON.parse(cipher.open(sealed, CIPHER_CONTEXTS.nats))),
};
