import { createHash } from 'node:crypto';
import { OpenApiDocument, PRODUCT_VERSION } from './document.ts';
import { groupOperations } from './groups.ts';
import { findFirstResponses, groupSimilarOperations } from './similar-operations.ts';
import { html, renderInline, EMPTY_HTML, renderProse, rawHtml, type Html } from './html.ts';
import { renderNavigation, type OperationGroup } from './navigation.ts';
import { renderSimilarOperation, renderOperation, splitCamelCase } from './operation.ts';
import { renderQuickStart } from './quick-start.ts';
import { renderSchemas } from './schema-section.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export { renderStartPage, startDocument, startPagePolicy } from './start-page.ts';

/**
 * Renders an OpenAPI 3.1 document as one self-contained HTML page: no external script, font or request. All text of the
 * document is escaped, and the content security policy allows only the page's own style and script. `prefix` is the path
 * below which browsers reach the service.
 */
export function referencePage(given: object, prefix = ''): string {
  const document = OpenApiDocument.parse(given);
  const groups = groupOperations(document);
  const entries = groups.flatMap((group) => group.entries);
  const first = findFirstResponses(entries);
  const [introduction, ...notices] = (document.info.description ?? '').split('\n\n');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} reference</title>
        <link rel="icon" href="data:," />
        ${rawHtml(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <a class="skip" href="#page-text">Skip to content</a>
        ${renderNavigation(document, groups)}
        <main id="page-text">
          ${renderHeader(document, introduction, prefix)} ${renderQuickStart(document, entries, prefix)}
          ${groups.map((group) => renderGroup(document, group, first))}
          <section id="page-schemas" aria-labelledby="page-schemas-title">
            <h2 id="page-schemas-title">Schemas</h2>
            <p>Request schemas end in <code>Input</code> where they differ from the response schema.</p>
            ${renderSchemas(document)}
          </section>
          <footer>${renderProse(notices.join('\n\n'))}</footer>
        </main>
        ${rawHtml(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `.markup;
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = [
  `default-src 'none'`,
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

/** Two numbers that are easily confused: that of the program, and that of the interface which it serves. */
const describeVersions = ({ title, version, [PRODUCT_VERSION]: product }: OpenApiDocument['info']): string =>
  product === undefined ? `Interface ${version}` : `${title} ${product}, interface ${version}`;

/** What a reader needs first; notices of licenses stand at the end of the page. */
const renderHeader = (
  { info, components }: OpenApiDocument,
  introduction: string | undefined,
  prefix: string,
): Html =>
  html`<header id="page-top">
    <h1>${info.title}</h1>
    <p class="edition">
      ${describeVersions(info)}${info.license ? ` · ${info.license.name}` : ''} ·
      <a href="${prefix}/openapi.json">openapi.json</a>
    </p>
    ${renderProse(introduction)}
    <dl>
      ${Object.entries(components.securitySchemes).map(
        ([name, scheme]) =>
          html`<div>
            <dt>${splitCamelCase(name)}</dt>
            <dd>
              <code>${scheme.name ?? 'Authorization'}</code> ${
                scheme.description ? renderInline(scheme.description) : EMPTY_HTML
              }
            </dd>
          </div> `,
      )}
    </dl>
  </header>`;

function renderGroup(
  document: OpenApiDocument,
  { id, name, description, entries }: OperationGroup,
  first: ReturnType<typeof findFirstResponses>,
): Html {
  const like = groupSimilarOperations(entries);
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${name}</h2>
    ${renderProse(description)}
    ${entries.map((entry) => {
      const kin = like.get(entry);
      return kin ? renderSimilarOperation(document, entry, kin) : renderOperation(document, entry, first);
    })}
  </section> `;
}
