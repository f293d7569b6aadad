import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { HOUR, later, systemClock } from '../../../platform/clock.ts';
import { firstSecrets, newSecret, readSecret, addSecret, signingKeys } from '../secrets.ts';
import { eventOfMessage, messageId } from '../../../events/events.ts';
import { signatureHeaders } from './signature.ts';

const body = JSON.stringify({ event_type: 'labtest.order.created', data: { name: 'Ünïcode ✓' } });
const id = messageId(randomUUID());

describe('a signature', () => {
  it('is verified by the libraries of both families', () => {
    const key = newSecret();
    const headers = signatureHeaders({ id, at: systemClock.now(), body }, [key]);
    expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body));
    expect(new SvixWebhook(key).verify(body, headers)).toEqual(JSON.parse(body));
    const {
      'webhook-id': _id,
      'webhook-signature': _signature,
      'webhook-timestamp': _at,
      ...svixOnly
    } = headers;
    expect(new SvixWebhook(key).verify(body, svixOnly)).toEqual(JSON.parse(body));
  });

  it('does not match another body, id, timestamp or key', () => {
    const key = newSecret();
    const headers = signatureHeaders({ id, at: systemClock.now(), body }, [key]);
    const verify = (change: Record<string, string>, text = body, by = key) =>
      new Webhook(by).verify(text, { ...headers, ...change });
    expect(() => verify({}, `${body} `)).toThrow();
    expect(() => verify({ 'webhook-id': 'msg_other' })).toThrow();
    expect(() => verify({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) })).toThrow();
    expect(() => verify({}, body, newSecret())).toThrow();
  });

  it('is made with the old and the new key while both are valid', () => {
    const at = systemClock.now();
    const [old, fresh] = [newSecret(), newSecret()];
    const secrets = addSecret(firstSecrets(old), fresh, at);
    const during = signatureHeaders({ id, at, body }, signingKeys(secrets, later(at, 24 * HOUR - 1)));
    for (const key of [old, fresh]) expect(() => new Webhook(key).verify(body, during)).not.toThrow();
    const after = signatureHeaders({ id, at, body }, signingKeys(secrets, later(at, 24 * HOUR)));
    expect(() => new Webhook(fresh).verify(body, after)).not.toThrow();
    expect(() => new Webhook(old).verify(body, after)).toThrow();
  });
});

describe('secrets', () => {
  it('keep every key of the last 24 hours, and no key twice', () => {
    const at = systemClock.now();
    const [a, b, c] = [newSecret(), newSecret(), newSecret()];
    const second = addSecret(firstSecrets(a), b, at);
    const third = addSecret(second, c, later(at, HOUR));
    expect(signingKeys(third, later(at, 2 * HOUR))).toEqual([c, b, a]);
    expect(signingKeys(third, later(at, 24 * HOUR))).toEqual([c, b]);
    expect(signingKeys(addSecret(third, c, later(at, 2 * HOUR)), later(at, 3 * HOUR))).toEqual([c, b, a]);
    expect(addSecret(third, newSecret(), later(at, 30 * HOUR)).previous).toHaveLength(1);
  });

  it('may be given, with the prefix and without, of 24 to 75 bytes', () => {
    const text = randomBytes(24).toString('base64');
    expect(readSecret(text)).toBe(`whsec_${text}`);
    expect(readSecret(`whsec_${text}`)).toBe(`whsec_${text}`);
    for (const wrong of ['', 'whsec_', 'whsec_!!!', 'hello world', randomBytes(23).toString('base64')]) {
      expect(readSecret(wrong)).toBeUndefined();
    }
    expect(readSecret(randomBytes(76).toString('base64'))).toBeUndefined();
  });
});

it('derives the event from a message id', () => {
  const eventId = randomUUID();
  expect(eventOfMessage(messageId(eventId))).toBe(eventId);
  expect(eventOfMessage(eventId)).toBeUndefined();
  expect(eventOfMessage('msg_1')).toBeUndefined();
});
