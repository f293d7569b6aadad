import type { App } from '../../app.ts';
import {
  languageField,
  markup,
  pagePath,
  renderPage,
  type Markup,
  type PageView,
} from '../../hosted/hosted.ts';
import type { BrowserRequest, BrowserResponse } from '../../platform/http/serve-open.ts';
import { describeProvider } from '../../readings/readings.ts';
import type { ProviderConnection } from '../connections/connection.ts';
import { getErrorText } from './pages.ts';

/** For a token that was revoked or has expired. */
export const expiredPage = (view: PageView) =>
  renderPage({
    view,
    title: view.t('expired.title'),
    status: 400,
    body: markup`<p role="alert">${view.t('expired.text')}</p>`,
  });

/** The outcome of a link attempt from which the user returns to the portal. */
export function resultNote(
  view: PageView,
  { state, provider, error_type: errorType }: BrowserRequest['query'],
  connections: readonly ProviderConnection[],
): Markup | undefined {
  if (state === 'error') return markup`<p role="alert">${getErrorText(view, errorType)}</p>`;
  const made = connections.find((one) => state === 'success' && one.provider === provider);
  if (!made) return undefined;
  const { name } = describeProvider(made.provider);
  return markup`<p role="status">${view.t('link.done.text', { provider: name })}</p>`;
}

interface PortalPageInput {
  readonly app: App;
  readonly view: PageView;
  readonly word: string;
  readonly connections: readonly ProviderConnection[];
  readonly note: Markup | undefined;
}

/** The connections of a user, each with a button to end it. */
export const portalPage = ({ app, view, word, connections, note }: PortalPageInput): BrowserResponse => {
  const { t } = view;
  const action = pagePath(app.config, '/portal');
  const fields = markup`<input type="hidden" name="token" value="${word}" />
    ${languageField(view)}`;
  return renderPage({
    view,
    title: t('portal.title'),
    body: markup`${note}
      ${connections.length === 0 ? markup`<p class="note">${t('portal.empty')}</p>` : undefined}
      ${connections.map((one) => connectionRow(view, one, markup`<form method="post" action="${action}" class="choice">${fields}`))}
      <form method="post" action="${action}">
        ${fields}
        <button>${t('portal.connect')}</button>
      </form>`,
  });
};

const STATES = {
  connected: 'portal.state.connected',
  paused: 'portal.state.paused',
  error: 'portal.state.error',
} as const;

function connectionRow({ t }: PageView, { provider, status }: ProviderConnection, formStart: Markup): Markup {
  const { name, logo } = describeProvider(provider);
  return markup`${formStart}
    <img src="${logo}" alt="" /><span>${name}<small>${t(STATES[status])}</small></span>
    <button class="quiet small" name="disconnect" value="${provider}" aria-label="${t('portal.disconnect.label', { provider: name })}">
      ${t('portal.disconnect')}
    </button>
  </form> `;
}
