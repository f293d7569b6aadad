import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { countLookup } from '../cache-lookups.ts';
import {
  KeyProviderError,
  toAssociatedText,
  type KeyProvider,
  type WrappingContext,
} from './key-provider.ts';

interface KeyCacheOptions {
  /** The most keys that are held; those used least recently are dropped first. */
  readonly keysMax: number;
  /** No key is used for longer than this without asking its provider again. */
  readonly lifetimeMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

interface UnwrappedKeyCache {
  unwrap(provider: KeyProvider, wrapped: Buffer, context: WrappingContext): Promise<Buffer>;
  /** The failure of the last call; undefined if it succeeded. */
  failure(): KeyProviderError | undefined;
}

/** Past this part of its lifetime, a key in use is unwrapped again in the background, and its lifetime restarts. */
const REFRESH_AFTER = 0.5;
/** After a provider gave no answer, it is left alone for this time: callers fail at once instead of waiting. */
const PAUSE_MS = 1_000;

interface CachedKey {
  readonly key: Buffer;
  readonly unwrappedAt: number;
}

interface UnwrapCall {
  readonly provider: KeyProvider;
  readonly wrapped: Buffer;
  readonly context: WrappingContext;
}

/**
 * Unwrapped keys in memory. A key in use is refreshed in the background, so that no request waits for its provider;
 * while the provider fails, cached keys work until their lifetime ends. Concurrent callers share one call.
 */
export function openKeyCache({ keysMax, lifetimeMs, now }: KeyCacheOptions): UnwrappedKeyCache {
  const cached = new LRUCache<string, CachedKey>({ max: keysMax });
  const running = new Map<string, Promise<Buffer>>();
  let failed: { readonly error: KeyProviderError; readonly at: number } | undefined;

  const isPaused = ({ name }: KeyProvider): boolean =>
    failed?.error.reason === 'unavailable' && failed.error.provider === name && now() - failed.at < PAUSE_MS;

  async function call(id: string, { provider, wrapped, context }: UnwrapCall): Promise<Buffer> {
    const unwrappedAt = now();
    try {
      const key = await provider.unwrap(wrapped, context);
      cached.set(id, { key, unwrappedAt });
      if (failed?.error.provider === provider.name) failed = undefined;
      return key;
    } catch (error) {
      if (error instanceof KeyProviderError) failed = { error, at: now() };
      throw error;
    } finally {
      running.delete(id);
    }
  }

  function unwrapShared(id: string, unwrap: UnwrapCall): Promise<Buffer> {
    const shared = running.get(id);
    if (shared) return shared;
    if (failed && isPaused(unwrap.provider)) return Promise.reject(failed.error);
    const started = call(id, unwrap);
    running.set(id, started);
    return started;
  }

  return {
    unwrap: async (provider, wrapped, context) => {
      const id = idOf(provider, wrapped, context);
      const hit = cached.get(id);
      const age = hit ? now() - hit.unwrappedAt : Infinity;
      const isUsable = age < lifetimeMs;
      countLookup('unwrapped_key', isUsable);
      if (!hit || !isUsable) return unwrapShared(id, { provider, wrapped, context });
      // The failure is recorded, and the cached key still works.
      if (age >= lifetimeMs * REFRESH_AFTER) unwrapShared(id, { provider, wrapped, context }).catch(() => {});
      return hit.key;
    },
    failure: () => failed?.error,
  };
}

const idOf = ({ fingerprint }: KeyProvider, wrapped: Buffer, context: WrappingContext): string =>
  createHash('sha256')
    .update(`${fingerprint}\n${toAssociatedText(context)}\n`)
    .update(wrapped)
    .digest('base64');
