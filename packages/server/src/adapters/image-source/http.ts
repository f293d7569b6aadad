import { Agent, request, type Dispatcher } from 'undici';
import { PrivateAddressError, scopedConnector } from '../../platform/network/connector.ts';
import type { ResolveHostname } from '../../platform/network/resolve.ts';
import { ImageFetchError, type ImageFetchRules, type ImageSource } from './port.ts';

const TIMEOUT_MS = 15_000;
const REDIRECTS_MAX = 3;

interface HttpImageSourceOptions {
  /** Of the whole exchange, with redirects. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHostname;
}

/**
 * Images from servers of others. No more bytes than allowed are read. Each address is checked when it is connected to,
 * also that of a redirect; nothing of the caller's credentials or of a patient is sent.
 */
export function createHttpImageSource({
  timeoutMs = TIMEOUT_MS,
  resolve,
}: HttpImageSourceOptions = {}): ImageSource {
  return {
    fetch: async (url, rules) => {
      const dispatcher = new Agent({ connect: scopedConnector(rules.scope, timeoutMs, resolve) });
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
    },
  };
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
    if (status === 200) return readImage(answer, rules.bytesMax);
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

async function readImage({ body, headers }: Dispatcher.ResponseData, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new ImageFetchError(`The image is larger than ${bytesMax / 1024} KB`, false);
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > bytesMax) throw tooLarge();
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
