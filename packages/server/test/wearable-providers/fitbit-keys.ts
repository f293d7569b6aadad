import { generateKeyPairSync, sign } from 'node:crypto';

/** A keyset as Google publishes it, and signatures by its key. */
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY_ID = 4_052_876_161;
export const KEYSET_PATH = '/googlehealthapi/webhooks/webhooks_public_keyset.json';

const bytesField = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);

/** Coordinates have a leading zero, so that they are not negative. */
const coordinate = (text: string | undefined): Buffer =>
  Buffer.concat([Buffer.alloc(1), Buffer.from(text ?? '', 'base64url')]);

const { x, y } = publicKey.export({ format: 'jwk' });
const message = Buffer.concat([
  bytesField(2, Buffer.from([8, 3, 16, 2, 24, 2])),
  bytesField(3, coordinate(x)),
  bytesField(4, coordinate(y)),
]);

export const KEYSET = {
  primaryKeyId: KEY_ID,
  key: [
    {
      keyData: {
        typeUrl: 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey',
        value: message.toString('base64'),
        keyMaterialType: 'ASYMMETRIC_PUBLIC',
      },
      status: 'ENABLED',
      keyId: KEY_ID,
      outputPrefixType: 'TINK',
    },
  ],
};

export function signNotification(body: string, keyId = KEY_ID): string {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(1, 0);
  prefix.writeUInt32BE(keyId, 1);
  return Buffer.concat([prefix, sign('sha256', Buffer.from(body), privateKey)]).toString('base64');
}
