/** What a wrapped key is for. A wrapped key that is moved to another place does not unwrap there. */
export interface WrappingContext {
  readonly purpose: 'data-key' | 'index-key' | 'deployment-key' | 'backup' | 'check';
  /** Only for the keys of a tenant. */
  readonly tenant?: {
    readonly team_id: string;
    readonly environment: string;
    readonly generation: number;
  };
}

/**
 * Port to the system that holds the master key. It wraps (encrypts) and unwraps keys of 32 bytes; the master key
 * itself never leaves a key management service. Every method rejects with a KeyProviderError.
 */
export interface KeyProvider {
  readonly name: 'environment' | 'file' | 'aws-kms' | 'vault-transit';
  /** Identifies the master key and is stored with what it wrapped. Reveals nothing about the key. */
  readonly fingerprint: string;
  /** Where an operator finds the key, such as a path or an ARN. No secret. */
  readonly location: string;
  wrap(key: Buffer, context: WrappingContext): Promise<Buffer>;
  unwrap(wrapped: Buffer, context: WrappingContext): Promise<Buffer>;
  /** Wraps with the newest version of the master key; undefined if that is the one which wrapped it. */
  rewrap?(wrapped: Buffer): Promise<Buffer | undefined>;
  /** Wraps and unwraps a key for a check. */
  check(): Promise<void>;
  /** The master key, where this process knows it: keys outside tenants are derived from it. */
  readonly masterKey?: Buffer;
}

/**
 * `unavailable`: no answer, try again later. `refused`: the provider answers and does not let us use the key, for
 * example because it is disabled. `wrong_key`: this key did not wrap these bytes, or they were changed.
 */
type KeyProviderFailure = 'unavailable' | 'refused' | 'wrong_key';

export class KeyProviderError extends Error {
  readonly reason: KeyProviderFailure;
  readonly provider: KeyProvider['name'];

  /** The message is for operators: it goes into logs and never contains a key. */
  constructor(provider: KeyProvider['name'], reason: KeyProviderFailure, message: string) {
    super(message);
    this.name = 'KeyProviderError';
    this.provider = provider;
    this.reason = reason;
  }
}

/** The context as one text. Generation 1 of a data key has no number, because generations were added later. */
export function toAssociatedText({ purpose, tenant }: WrappingContext): string {
  if (!tenant) return purpose;
  const { team_id, environment, generation } = tenant;
  const row = `tenant_key/${team_id}/${environment}${generation === 1 ? '' : `/${generation}`}`;
  return purpose === 'index-key' ? `${row}/index` : row;
}
