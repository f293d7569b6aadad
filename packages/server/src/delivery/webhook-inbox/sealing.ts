import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { RequestHead } from './schema.ts';

const HEAD_PLACE = 'webhook_inbox_request.head';
const BODY_PLACE = 'webhook_inbox_request.body';

export const sealHead = (cipher: TenantCipher, head: RequestHead): Buffer =>
  cipher.seal(JSON.stringify(head), HEAD_PLACE);

export const openHead = (cipher: TenantCipher, sealed: Buffer): RequestHead =>
  RequestHead.parse(JSON.parse(cipher.open(sealed, HEAD_PLACE)));

export const sealBody = (cipher: TenantCipher, body: Buffer): Buffer =>
  cipher.seal(body.toString(), BODY_PLACE);

export const openBody = (cipher: TenantCipher, sealed: Buffer): string => cipher.open(sealed, BODY_PLACE);
