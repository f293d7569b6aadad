import { signedIn } from './members.ts';
import { isJson, type ApiResponse, type TestService } from './service.ts';

let addresses = 0;

interface BrowserOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: object | undefined;
  readonly headers?: Record<string, string>;
}

/** A browser: it keeps cookies, sends the CSRF token of its session, and has an address of its own. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  readonly address: string;
  get(url: string): Promise<ApiResponse>;
  post(url: string, body?: object): Promise<ApiResponse>;
  put(url: string, body?: object): Promise<ApiResponse>;
  patch(url: string, body?: object): Promise<ApiResponse>;
  delete(url: string): Promise<ApiResponse>;
  send(url: string, options: BrowserOptions): Promise<ApiResponse>;
}

export function openBrowser(service: TestService, remoteAddress?: string): TestBrowser {
  addresses += 1;
  const address = remoteAddress ?? `10.9.${addresses >> 8}.${addresses & 255}`;
  const cookies = new Map<string, string>();
  let csrfToken = '';
  const send = async (url: string, { method = 'GET', body, headers = {} }: BrowserOptions) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await service.http.server.inject({
      method,
      url,
      remoteAddress: address,
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(csrfToken !== '' && { 'x-csrf-token': csrfToken }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { payload: JSON.stringify(body) }),
    });
    for (const { name, value } of answer.cookies) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const json = isJson(answer.headers) && answer.body !== '' ? JSON.parse(answer.body) : undefined;
    csrfToken = json?.csrf_token ?? json?.session?.csrf_token ?? csrfToken;
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, json };
  };
  return {
    cookies,
    address,
    send,
    get: (url) => send(url, {}),
    post: (url, body) => send(url, { method: 'POST', body }),
    put: (url, body) => send(url, { method: 'PUT', body }),
    patch: (url, body) => send(url, { method: 'PATCH', body }),
    delete: (url) => send(url, { method: 'DELETE' }),
  };
}

/** Sets the password of a member, who may have had none. */
export async function givePassword(service: TestService, memberId: string, password: string): Promise<void> {
  const client = await signedIn(service, memberId);
  const answer = await client.put('/v1/account/password', { password });
  if (answer.status !== 200) throw new Error(`No password: ${answer.text}`);
}
