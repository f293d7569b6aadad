import { z } from 'zod';

/** How the tour reaches the service: its URL and both kinds of keys. */
export interface TourAccess {
  readonly url: string;
  readonly brand: string;
  readonly teamKey: string;
  readonly managementKey: string;
}

interface TourCall<S extends z.ZodType> {
  readonly path: string;
  readonly body?: unknown;
  readonly answer: S;
}

/** A client of one API (team or management), with its key header. */
export interface TourClient {
  get<S extends z.ZodType>(call: Omit<TourCall<S>, 'body'>): Promise<z.output<S>>;
  post<S extends z.ZodType>(call: TourCall<S>): Promise<z.output<S>>;
  delete(path: string): Promise<void>;
}

/** An expected failure with a message for the user; it ends the tour. */
export class TourError extends Error {}

export const teamClient = (access: TourAccess): TourClient =>
  clientOf(access, { [`x-${access.brand}-api-key`]: access.teamKey });

export const managementClient = (access: TourAccess): TourClient =>
  clientOf(access, { 'x-management-key': access.managementKey });

function clientOf({ url }: TourAccess, key: Record<string, string>): TourClient {
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = body === undefined ? key : { ...key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers, ...payload }).catch(() => {
      throw new TourError(`No service answers at ${url}.\nStart it in another terminal with: npm start`);
    });
    const text = await answer.text();
    if (!answer.ok) throw new TourError(describeFailure(`${method} ${path}`, answer.status, text));
    return text === '' ? undefined : JSON.parse(text);
  };
  const read = <S extends z.ZodType>(path: string, schema: S, body: unknown): z.output<S> => {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new TourError(`${path} returned an unexpected response:\n${z.prettifyError(parsed.error)}`);
  };
  return {
    get: async ({ path, answer }) => read(path, answer, await send('GET', path)),
    post: async ({ path, body, answer }) => read(path, answer, await send('POST', path, body)),
    delete: async (path) => {
      await send('DELETE', path);
    },
  };
}

function describeFailure(what: string, status: number, text: string): string {
  const hint =
    status === 401
      ? '\nThe keys come from credentials.json in DATA_DIR, the header name from BRAND. Set both as for the service.'
      : '';
  return `${what} returned ${status}: ${text}${hint}`;
}
