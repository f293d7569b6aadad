import { z } from 'zod';
import type { NatsSettings, RabbitMqSettings } from '../adapters/event-destination/port.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';

const RabbitMq = z.object({ uri: z.string(), exchange: z.string() });
const Nats = z.object({
  servers: z.array(z.string()),
  stream: z.string().nullable(),
  subjectPrefix: z.string(),
});

const PLACES = { rabbitmq: 'event_pipeline.rabbitmq', nats: 'event_pipeline.nats' } as const;

/** How the settings of a broker rest in their column. */
export const sealSettings = {
  rabbitmq: (cipher: TenantCipher, settings: RabbitMqSettings | null): Buffer | null =>
    settings && cipher.seal(JSON.stringify(settings), PLACES.rabbitmq),
  nats: (cipher: TenantCipher, settings: NatsSettings | null): Buffer | null =>
    settings && cipher.seal(JSON.stringify(settings), PLACES.nats),
};

export const openSettings = {
  rabbitmq: (cipher: TenantCipher, sealed: Buffer): RabbitMqSettings =>
    RabbitMq.parse(JSON.parse(cipher.open(sealed, PLACES.rabbitmq))),
  nats: (cipher: TenantCipher, sealed: Buffer): NatsSettings =>
    Nats.parse(JSON.parse(cipher.open(sealed, PLACES.nats))),
};
