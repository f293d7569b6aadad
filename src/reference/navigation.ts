import type { Entry } from './curl.ts';
import type { Document } from './document.ts';
import { schemaLink } from './facts.ts';
import { html, inline, type Html } from './html.ts';
import { badge } from './operation.ts';

/** The operations of one tag, in the order of the document. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly entries: readonly Entry[];
}

/** All that the page holds, as links. Wide screens keep it beside the text, narrow ones fold it away. */
export const navigation = (document: Document, groups: readonly Group[]): Html =>
  html`<nav aria-label="Contents">
    <details id="page-menu">
      <summary>Contents</summary>
      <div class="menu">
        <p class="brand">
          <a href="#page-top">${document.info.title}</a> <span>${document.info.version}</span>
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

const groupLinks = ({ id, name, entries }: Group): Html =>
  html`<section>
    <h2><a href="#${id}">${name}</a></h2>
    <ul>
      ${entries.map(
        (entry) =>
          html`<li>
            <a href="#${entry.id}">${badge(entry)} <span>${linkText(entry, entries)}</span></a>
          </li> `,
      )}
    </ul>
  </section> `;

/** Its title, and its path where another of the group has the same title. */
function linkText({ title, path }: Entry, entries: readonly Entry[]): Html {
  const alone = entries.filter((entry) => entry.title === title).length === 1;
  return alone ? html`${inline(title)}` : html`${inline(title)} <small>${path}</small>`;
}

const schemaLinks = ({ components }: Document): Html =>
  html`<section>
    <h2><a href="#page-schemas">Schemas</a></h2>
    <details class="schemas">
      <summary>${Object.keys(components.schemas).length} schemas</summary>
      <ul>
        ${Object.keys(components.schemas).map((name) => html`<li>${schemaLink(name)}</li> `)}
      </ul>
    </details>
  </section>`;
