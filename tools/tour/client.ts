import { z } from 'zod';

/** What the tour needs to speak to the service: where it is, and both kinds of keys. */
export interface Access {
  readonly url: string;
  readonly brand: string;
  readonly teamKey: string;
  readonly managementKey: string;
}

export interface Call<S extends z.ZodType> {
  readonly path: string;
  readonly body?: unknown;
  readonly answer: S;
}

/** One side of the API, with the header of its key. */
export interface Client {
  get<S extends z.ZodType>(call: Omit<Call<S>, 'body'>): Promise<z.output<S>>;
  post<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>>;
  delete(path: string): Promise<void>;
}

/** A failure that is told in a sentence; the tour ends with it. */
export class TourError extends Error {}

export const teamClient = (access: Access): Client =>
  clientOf(access, { [`x-${access.brand}-api-key`]: access.teamKey });

export const managementClient = (access: Access): Client =>
  clientOf(access, { 'x-management-key': access.managementKey });

function clientOf({ url }: Access, key: Record<string, string>): Client {
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = body === undefined ? key : { ...key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers, ...payload }).catch(() => {
      throw new TourError(`No service answers on ${url}.\nStart it in another terminal with: npm start`);
    });
    const text = await answer.text();
    if (!answer.ok) throw new TourError(refused(`${method} ${path}`, answer.status, text));
    return text === '' ? undefined : JSON.parse(text);
  };
  const read = <S extends z.ZodType>(path: string, schema: S, body: unknown): z.output<S> => {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new TourError(`${path} answered in another form than expected:\n${z.prettifyError(parsed.error)}`);
  };
  return {
    get: async ({ path, answer }) => read(path, answer, await send('GET', path)),
    post: async ({ path, body, answer }) => read(path, answer, await send('POST', path, body)),
    delete: async (path) => {
      await send('DELETE', path);
    },
  };
}

function refused(what: string, status: number, text: string): string {
  const hint =
    status === 401
      ? '\nThe keys come from credentials.json in DATA_DIR, the header name from BRAND: both as the service has them?'
      : '';
  return `${what} answered ${status}: ${text}${hint}`;
}
