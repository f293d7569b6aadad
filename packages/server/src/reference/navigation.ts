import type { OperationEntry } from './curl.ts';
import { schemaLink } from './describe-schema.ts';
import { PRODUCT_VERSION, type OpenApiDocument } from './document.ts';
import { html, renderInline, type Html } from './html.ts';
import { renderMethodBadge } from './operation.ts';

/** The operations of one tag, in the order of the document. */
export interface OperationGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly entries: readonly OperationEntry[];
}

/** The table of contents. Wide screens show it next to the text, narrow ones collapse it. */
export const renderNavigation = (document: OpenApiDocument, groups: readonly OperationGroup[]): Html =>
  html`<nav aria-label="Contents">
    <details id="page-menu">
      <summary>Contents</summary>
      <div class="menu">
        <p class="brand">
          <a href="#page-top">${document.info.title}</a> <span>${document.info[PRODUCT_VERSION]}</span>
        </p>
        <label id="page-filter" hidden
          ><span>Find an operation</span>
          <input type="search" placeholder="Find an operation" autocomplete="off" spellcheck="false"
        /></label>
        <p id="page-found" role="status"></p>
        ${groups.map(groupLinks)} ${schemaLinks(document)}
      </div>
    </details>
  </nav>`;

const groupLinks = ({ id, name, entries }: OperationGroup): Html =>
  html`<section>
    <h2><a href="#${id}">${name}</a></h2>
    <ul>
      ${entries.map(
        (entry) =>
          html`<li>
            <a href="#${entry.id}">${renderMethodBadge(entry)} <span>${linkText(entry, entries)}</span></a>
          </li> `,
      )}
    </ul>
  </section> `;

/** The title, and the path where another operation of the group has the same title. */
function linkText({ title, path }: OperationEntry, entries: readonly OperationEntry[]): Html {
  const alone = entries.filter((entry) => entry.title === title).length === 1;
  return alone ? html`${renderInline(title)}` : html`${renderInline(title)} <small>${path}</small>`;
}

const schemaLinks = ({ components }: OpenApiDocument): Html =>
  html`<section>
    <h2><a href="#page-schemas">Schemas</a></h2>
    <details class="schemas">
      <summary>${Object.keys(components.schemas).length} schemas</summary>
      <ul>
        ${Object.keys(components.schemas).map((name) => html`<li>${schemaLink(name)}</li> `)}
      </ul>
    </details>
  </section>`;
