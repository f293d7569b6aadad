/** An answer of the API, whose shape other tests check; a call that finds no such field is reported as not prepared. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;

/** Calls the API as a program would. Throws for an answer that is no success. */
export interface Api {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  upload(path: string, form: FormData): Promise<Answer>;
}

/** With the key of a team or of the management of an organization, as its header. */
export const openApi = (url: string, key: Readonly<Record<string, string>>): Api => {
  const send = async (method: string, path: string, body?: unknown) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...key, ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body ?? {}),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
    upload: (path, form) => send('POST', path, form),
  };
};
