import { renderCurlExample, type OperationEntry } from './curl.ts';
import type { OpenApiDocument } from './document.ts';
import { EMPTY_HTML, html, renderInline, type Html } from './html.ts';

interface Step {
  readonly operation: string;
  readonly text: string;
}

/** From nothing to a result. */
const STEPS: readonly Step[] = [
  {
    operation: 'createUser',
    text: 'Create a user: a person whose tests you order. `client_user_id` is your own id of the person.',
  },
  { operation: 'listLabTests', text: 'Choose a lab test. `method` says how its sample is collected.' },
  { operation: 'createOrder', text: 'Order it. Events tell your webhooks of every step that follows.' },
  {
    operation: 'simulateOrder',
    text: 'In sandbox, let the simulated courier and laboratory do their work.',
  },
  { operation: 'getResult', text: 'Read the result.' },
];

/** The first calls of a newcomer, for a document that has them. */
export function renderQuickStart(
  document: OpenApiDocument,
  entries: readonly OperationEntry[],
  prefix: string,
): Html {
  const found = STEPS.map(({ operation, text }) => ({
    text,
    entry: entries.find((entry) => entry.operation.operationId === operation),
  }));
  if (found.some(({ entry }) => entry === undefined)) return EMPTY_HTML;
  return html`<section id="page-quick-start" aria-labelledby="page-quick-start-title">
    <h2 id="page-quick-start-title">Quick start</h2>
    <p>
      The first start of the service makes a team and stores its keys in <code>credentials.json</code> in its
      data folder. Set <code>TEAM_KEY</code> to the sandbox key of the team. The
      <a href="${prefix}/dashboard">dashboard</a> does the same by clicking, and tries every operation with a
      form.
    </p>
    <ol>
      ${found.map(({ text, entry }) =>
        entry === undefined
          ? EMPTY_HTML
          : html`<li>
              <p>${renderInline(text)} <a href="#${entry.id}">${entry.title}</a></p>
              ${renderCurlExample(document, entry)}
            </li> `,
      )}
    </ol>
  </section>`;
}
