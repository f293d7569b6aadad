import { readTenant, type App } from '../app.ts';
import {
  markup,
  pagePath,
  parseForm,
  recordWrongToken,
  renderPage,
  viewOf,
  withBrand,
  type PageView,
  type StringKey,
} from '../hosted/hosted.ts';
import { DomainError } from '../platform/errors.ts';
import type { AccessLogger, Access } from '../platform/http/access-logger.ts';
import type { BrowserRequest, BrowserResponse } from '../platform/http/serve-open.ts';
import type { Work } from '../platform/work.ts';
import { findOrderToken, verifyOrderToken, type OrderPageKind, type OrderToken } from './order-token.ts';

/** A visit of a patient with a token that works. */
export interface PatientVisit {
  readonly app: App;
  readonly view: PageView;
  readonly token: OrderToken;
  readonly word: string;
  readonly method: string;
  readonly query: BrowserRequest['query'];
  readonly fields: Readonly<Record<string, string>>;
  /** Records what the patient did, in the transaction that does it. */
  readonly logDone: (work: Work, operation: string) => void;
}

interface PatientPageOptions {
  readonly app: App;
  readonly accessLogger: AccessLogger;
  readonly kind: OrderPageKind;
  /** The name of a visit in the access log. */
  readonly operation: string;
  readonly show: (visit: PatientVisit) => Promise<BrowserResponse>;
}

/** Shows a page of one order to the holder of its token. Every visit is in the access log, by the id of the token. */
export const patientPage =
  ({ app, accessLogger, kind, operation, show }: PatientPageOptions) =>
  async (request: BrowserRequest): Promise<BrowserResponse> => {
    const { method, address, query } = request;
    const fields = method === 'POST' ? parseForm(request.body) : {};
    const word = (method === 'POST' ? fields['token'] : query['token']) ?? '';
    const plain = viewOf(request, fields['lang']);
    const signed = verifyOrderToken(app, kind, word);
    if (!signed) {
      recordWrongToken(app, address);
      return messagePage(plain, { status: 400, title: 'invalid.title', text: 'invalid.text' });
    }
    const view = {
      ...(await withBrand(app, plain, signed.tenant)),
      path: pagePath(app.config, `/${kind}`, { token: word }),
    };
    const token = await findOrderToken(app, kind, signed);
    if (!token) return messagePage(view, { status: 400, title: 'expired.title', text: 'expired.text' });
    const access = toAccess(token, request);
    const logDone = (work: Work, done: string) =>
      accessLogger.logInTransaction(work, { ...access, operation: done }, 200);
    const shown = await show({ app, view, token, word, method, query, fields, logDone }).catch((error) => {
      if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error;
      return messagePage(view, { status: 404, title: 'gone.title', text: 'gone.text' });
    });
    accessLogger.logLater({ ...access, operation }, shown.status);
    return shown;
  };

const toAccess = (
  token: OrderToken,
  { address, requestId, method }: BrowserRequest,
): Omit<Access, 'operation'> => ({
  principal: { tenant: token.tenant, keyId: token.id, kind: 'patient_link' },
  method: method === 'POST' ? 'POST' : 'GET',
  input: { params: { user_id: token.userId, order_id: token.orderId }, query: {}, body: {} },
  address,
  requestId,
});

interface PageMessage {
  readonly title: StringKeyWithoutValues;
  readonly text: StringKeyWithoutValues;
  readonly status?: number;
}

/** The keys of whole sentences. */
export type StringKeyWithoutValues = Extract<
  StringKey,
  | `${'expired' | 'invalid' | 'gone'}.${string}`
  | `booking.${'busy' | 'early' | 'phone' | 'closed' | 'error'}.${string}`
  | `results.${'none' | 'off'}.${string}`
>;

/** A page that only says something. */
export const messagePage = (view: PageView, { title, text, status = 200 }: PageMessage): BrowserResponse =>
  renderPage({ view, title: view.t(title), status, body: markup`<p class="note">${view.t(text)}</p>` });

export const readVisit = <T>({ app, token }: PatientVisit, read: (work: Work) => Promise<T>): Promise<T> =>
  readTenant(app, token.tenant, read);
