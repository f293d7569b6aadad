import { Agent, request, type Dispatcher } from 'undici';
import { PrivateAddressError, scopedConnector } from '../../platform/network/connector.ts';
import type { ResolveHostname } from '../../platform/network/resolve.ts';
import type { TargetScope } from '../../platform/public-address.ts';
import { LOGO_BYTES_MAX } from './logo-image.ts';

const TIMEOUT_MS = 15_000;
const REDIRECTS_MAX = 3;

/** The image cannot be fetched. The message names neither an address nor anything of the response. */
export class ImageFetchError extends Error {
  /** Whether another attempt can succeed without a change of the setting. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

interface ImageFetchRules {
  readonly scope: TargetScope;
  readonly requiresHttps: boolean;
  /** Of the whole exchange, with redirects. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHostname;
}

/**
 * Fetches at most `LOGO_BYTES_MAX` bytes. Each address is checked when it is connected to, also that of a redirect; nothing
 * of the caller's credentials or of a patient is sent.
 */
export async function fetchImage(url: string, rules: ImageFetchRules): Promise<Buffer> {
  const timeoutMs = rules.timeoutMs ?? TIMEOUT_MS;
  const dispatcher = new Agent({ connect: scopedConnector(rules.scope, timeoutMs, rules.resolve) });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await followRedirects(url, rules, { dispatcher, signal });
  } catch (error) {
    if (error instanceof ImageFetchError) throw error;
    if (error instanceof PrivateAddressError)
      throw new ImageFetchError('The URL leads to a private address', false);
    const text = signal.aborted
      ? `The server did not send the image within ${timeoutMs / 1000} s`
      : 'The server cannot be reached';
    throw new ImageFetchError(text, true);
  } finally {
    await dispatcher.destroy();
  }
}

interface ImageConnection {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

async function followRedirects(
  from: string,
  rules: ImageFetchRules,
  connection: ImageConnection,
): Promise<Buffer> {
  let url = requireAllowedUrl(from, rules);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const headers = { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'aliquot' };
    const answer = await request(url, { ...connection, headers });
    const { statusCode: status } = answer;
    if (status === 200) return readImage(answer);
    const { location } = answer.headers;
    if (status < 300 || status >= 400 || typeof location !== 'string') throw toStatusError(status);
    if (!URL.canParse(location, url.href)) throw new ImageFetchError('The redirect is invalid', false);
    url = requireAllowedUrl(new URL(location, url).href, rules);
  }
  throw new ImageFetchError(`The server redirects more than ${REDIRECTS_MAX} times`, false);
}

function requireAllowedUrl(text: string, { requiresHttps }: ImageFetchRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && !requiresHttps);
  if (!url || !isAllowed) {
    throw new ImageFetchError(`Expected an ${requiresHttps ? 'https' : 'http or https'} URL`, false);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ImageFetchError('Expected a URL without user name and password', false);
  }
  return url;
}

/** A server that is overloaded or being deployed answers later; a missing file may still be uploaded. */
const toStatusError = (status: number) =>
  new ImageFetchError(`The server answered with the status ${status}`, status >= 400);

async function readImage({ body, headers }: Dispatcher.ResponseData): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > LOGO_BYTES_MAX) throw tooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > LOGO_BYTES_MAX) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

const tooLarge = () => new ImageFetchError(`The image is larger than ${LOGO_BYTES_MAX / 1024} KB`, false);
