import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import type { Clock } from '../src/platform/clock.ts';

/** The person who signs in at the provider. */
interface ProviderAccount {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
  readonly name?: string;
  /** When the person authenticated. Default: now; null: the provider does not tell. */
  readonly authenticatedAt?: Date | null;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: JWK;
}

interface HttpAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly text: string;
}

/** An identity provider on loopback that speaks OpenID Connect as the specification says, with real keys. */
export interface TestIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Signs in whoever comes. */
  account: ProviderAccount;
  /** Requests by path, oldest first; bodies of the token endpoint. */
  readonly requests: { readonly path: string; readonly body: string; readonly authorization: string }[];
  /** What the provider does wrong. */
  faults: ProviderFaults;
  /** Replaces the signing key; the old one is no longer published. */
  rotateKeys(): Promise<void>;
  readonly key: () => SigningKey;
  close(): Promise<void>;
}

export interface ProviderFaults {
  metadata?: (document: Record<string, unknown>) => Record<string, unknown>;
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** The ID token instead of the signed one. */
  idToken?: (claims: Record<string, unknown>) => Promise<string>;
  /** Parameters of the redirect back. */
  callback?: (parameters: URLSearchParams) => void;
  /** The answer at a path instead. */
  answers?: Record<string, () => HttpAnswer | Promise<HttpAnswer>>;
}

interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly account: ProviderAccount;
}

const json = (value: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify(value),
});

const refused = (error: string, status = 400): HttpAnswer => json({ error }, status);

export async function createSigningKey(kid = randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { kid, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' } };
}

export async function openIdentityProvider(clock: Clock): Promise<TestIdentityProvider> {
  const codes = new Map<string, IssuedCode>();
  let key = await createSigningKey();
  const server = createServer((request, response) => {
    void readBody(request)
      .then((body) => answer(new URL(request.url ?? '/', provider.issuer), body, request))
      .then(({ status = 200, headers, text }) => response.writeHead(status, headers).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const answer = async (url: URL, body: string, { headers }: IncomingMessage): Promise<HttpAnswer> => {
    const authorization = headers.authorization ?? '';
    provider.requests.push({ path: url.pathname, body, authorization });
    const instead = provider.faults.answers?.[url.pathname];
    if (instead) return instead();
    if (url.pathname === '/.well-known/openid-configuration') return json(describe());
    if (url.pathname === '/keys') return json({ keys: [key.publicKey] });
    if (url.pathname === '/authorize') return authorize(url.searchParams);
    if (url.pathname === '/token') return exchange(new URLSearchParams(body), authorization);
    return { status: 404, text: 'nothing here' };
  };

  const describe = () => {
    const { issuer, faults } = provider;
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
    return faults.metadata?.(document) ?? document;
  };

  /** Asks nobody: the account of the test agrees at once. */
  const authorize = (query: URLSearchParams): HttpAnswer => {
    const code = randomUUID();
    codes.set(code, {
      clientId: query.get('client_id') ?? '',
      redirectUri: query.get('redirect_uri') ?? '',
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge'),
      account: provider.account,
    });
    const back = new URL(query.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({
      code,
      state: query.get('state') ?? '',
      iss: provider.issuer,
    }).toString();
    provider.faults.callback?.(back.searchParams);
    return { status: 302, headers: { location: back.href }, text: '' };
  };

  const exchange = async (form: URLSearchParams, authorization: string): Promise<HttpAnswer> => {
    const shown = [...readBasic(authorization), form.get('client_secret')];
    const isClient = shown.includes(provider.clientSecret);
    if (!isClient) return refused('invalid_client', 401);
    const issued = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (!issued || form.get('redirect_uri') !== issued.redirectUri) return refused('invalid_grant');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenge !== issued.challenge) return refused('invalid_grant');
    const claims = toClaims(issued);
    const idToken = await (provider.faults.idToken?.(claims) ?? sign(claims));
    return json({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token: idToken });
  };

  const toClaims = ({ account, nonce, clientId }: IssuedCode): Record<string, unknown> => {
    const { authenticatedAt = clock.now(), ...person } = account;
    const now = Math.floor(clock.now().getTime() / 1000);
    const claims = {
      iss: provider.issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      ...(nonce !== null && { nonce }),
      ...(authenticatedAt && { auth_time: Math.floor(authenticatedAt.getTime() / 1000) }),
      ...person,
    };
    return provider.faults.claims?.(claims) ?? claims;
  };

  const sign = (claims: Record<string, unknown>): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey);

  const provider: TestIdentityProvider = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: `client-${randomUUID()}`,
    clientSecret: `secret-${randomUUID()}`,
    account: { sub: 'nobody' },
    requests: [],
    faults: {},
    rotateKeys: async () => {
      key = await createSigningKey();
    },
    key: () => key,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

/** Client id and secret, each encoded as in a form (RFC 6749, section 2.3.1). */
const readBasic = (authorization: string): string[] =>
  Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')
    .map(decodeURIComponent);

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
