import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { KeyProviderError } from '../../platform/crypto/key-provider.ts';
import type { VaultTransitSetting } from '../../platform/crypto/key-provider-setting.ts';

/** A response of Vault: its HTTP status and parsed body. */
interface VaultAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface VaultSession {
  /** Calls an operation below `/v1/` with a valid token. Rejects with a KeyProviderError unless it is a 2xx. */
  call(method: 'GET' | 'POST', path: string, body?: Record<string, unknown>): Promise<unknown>;
}

const TIMEOUT_MS = 5_000;
/** A token is replaced when this part of its lease has passed. */
const RENEW_AFTER = 0.7;

const Errors = z.object({ errors: z.array(z.string()) });
const Login = z.object({
  auth: z.object({ client_token: z.string().min(1), lease_duration: z.number().nonnegative() }),
});

interface VaultToken {
  readonly token: string;
  /** On the monotonic clock; infinite for a token that is read from a file, whose lease somebody else renews. */
  readonly replaceAt: number;
}

/**
 * Authenticates with a token from a file, which is read again when Vault refuses it (Vault Agent replaces the file), or
 * by AppRole, whose token is replaced before its lease ends. `now` is a monotonic clock in milliseconds.
 */
export async function openVaultSession(
  setting: VaultTransitSetting,
  now: () => number,
): Promise<VaultSession> {
  const { caFile } = setting;
  const ca = caFile === undefined ? undefined : await readSecretFile(caFile);
  const dispatcher = new Agent({ connect: { ...(ca === undefined ? {} : { ca }), timeout: TIMEOUT_MS } });
  let current: Promise<VaultToken> | undefined;

  const send = (path: string, init: VaultRequest) => sendRequest(setting, { dispatcher, path, ...init });
  const login = async (): Promise<VaultToken> => {
    if ('tokenFile' in setting.login)
      return { token: await readSecretFile(setting.login.tokenFile), replaceAt: Infinity };
    const { roleId, secretIdFile, path } = setting.login;
    const body = { role_id: roleId, secret_id: await readSecretFile(secretIdFile) };
    const answer = await send(`auth/${path}/login`, { method: 'POST', body });
    if (answer.status !== 200) throw toError(setting, 'login', answer);
    const { auth } = Login.parse(answer.body);
    // A lease of 0 does not end.
    const leaseMs = auth.lease_duration === 0 ? Infinity : auth.lease_duration * 1000;
    return { token: auth.client_token, replaceAt: now() + leaseMs * RENEW_AFTER };
  };
  const relogin = (): Promise<VaultToken> => {
    const started = login();
    current = started;
    started.catch(() => {
      if (current === started) current = undefined;
    });
    return started;
  };
  const validToken = async (): Promise<string> => {
    const known = await (current ?? relogin());
    return now() < known.replaceAt ? known.token : (await relogin()).token;
  };

  return {
    call: async (method, path, body) => {
      const init = { method, ...(body ? { body } : {}) };
      let answer = await send(path, { ...init, token: await validToken() });
      // The token was revoked or replaced; a policy that forbids the path refuses the second one, too.
      if (answer.status === 403) answer = await send(path, { ...init, token: (await relogin()).token });
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw toError(setting, path, answer);
    },
  };
}

interface VaultRequest {
  readonly method: 'GET' | 'POST';
  readonly body?: Record<string, unknown>;
  readonly token?: string;
}

async function sendRequest(
  { origin, namespace }: VaultTransitSetting,
  { dispatcher, path, method, body, token }: VaultRequest & { dispatcher: Agent; path: string },
): Promise<VaultAnswer> {
  try {
    const { statusCode, body: received } = await request(`${origin}/v1/${path}`, {
      dispatcher,
      method,
      headers: {
        'x-vault-request': 'true',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(token === undefined ? {} : { 'x-vault-token': token }),
        ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
      },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    return { status: statusCode, body: parseJson(await received.text()) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new KeyProviderError(
      'vault-transit',
      'unavailable',
      `Vault at ${origin} cannot be reached: ${code}`,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readSecretFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    throw new KeyProviderError(
      'vault-transit',
      'refused',
      `Cannot read ${path} (${code}), which is needed for Vault`,
    );
  }
}

/** Messages of Vault for bytes that its key did not encrypt. */
const WRONG_KEY =
  /message authentication failed|invalid ciphertext|unable to decrypt|ciphertext or signature version/i;

function toError(
  { origin }: VaultTransitSetting,
  path: string,
  { status, body }: VaultAnswer,
): KeyProviderError {
  const said = Errors.safeParse(body).data?.errors.join('; ') ?? '';
  const text = `Vault at ${origin}, ${path}: ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 400 && WRONG_KEY.test(said)) return new KeyProviderError('vault-transit', 'wrong_key', text);
  const isUnavailable = status >= 500 || status === 429 || status === 472 || status === 473 || status === 412;
  return new KeyProviderError('vault-transit', isUnavailable ? 'unavailable' : 'refused', text);
}
