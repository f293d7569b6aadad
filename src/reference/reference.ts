import { createHash } from 'node:crypto';
import type { Entry } from './curl.ts';
import { Document } from './document.ts';
import { firstAnswers, likenesses } from './families.ts';
import { anchor, html, inline, nothing, prose, verbatim, type Html } from './html.ts';
import { navigation, type Group } from './navigation.ts';
import { kinSection, operationSection, wordsOf } from './operation.ts';
import { schemaSections } from './schema-section.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/**
 * An OpenAPI 3.1 document as one page of HTML that needs nothing else: no script, no font, no network.
 * All text of the document is escaped; the page's own style and script are the only ones its policy lets run.
 */
export function referencePage(given: object): string {
  const document = Document.parse(given);
  const groups = groupsOf(document);
  const first = firstAnswers(groups.flatMap(({ entries }) => entries));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} reference</title>
        <link rel="icon" href="data:," />
        ${verbatim(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <a class="skip" href="#page-text">To the text</a>
        ${navigation(document, groups)}
        <main id="page-text">
          ${opening(document)} ${groups.map((group) => groupSection(document, group, first))}
          <section id="page-schemas" aria-labelledby="page-schemas-title">
            <h2 id="page-schemas-title">Schemas</h2>
            <p>What callers send ends in <code>Input</code> where it differs from what they get.</p>
            ${schemaSections(document)}
          </section>
        </main>
        ${verbatim(`<script>${SCRIPT}</script>`)}
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

const opening = ({ info, components }: Document): Html =>
  html`<header id="page-top">
    <h1>${info.title}</h1>
    <p class="edition">
      Reference of interface ${info.version}${info.license ? ` · ${info.license.name}` : ''} ·
      <a href="/openapi.json">openapi.json</a>
    </p>
    ${prose(info.description)}
    <dl>
      ${Object.entries(components.securitySchemes).map(
        ([name, scheme]) =>
          html`<div>
            <dt>${wordsOf(name)}</dt>
            <dd>
              <code>${scheme.name ?? 'Authorization'}</code> ${
                scheme.description ? inline(scheme.description) : nothing
              }
            </dd>
          </div> `,
      )}
    </dl>
  </header>`;

function groupSection(
  document: Document,
  { id, name, description, entries }: Group,
  first: ReturnType<typeof firstAnswers>,
): Html {
  const like = likenesses(entries);
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${name}</h2>
    ${prose(description)}
    ${entries.map((entry) => {
      const kin = like.get(entry);
      return kin ? kinSection(document, entry, kin) : operationSection(document, entry, first);
    })}
  </section> `;
}

/** Operations by their first tag, in the order in which the document names its tags. */
function groupsOf(document: Document): readonly Group[] {
  const entries = entriesOf(document);
  const tagOf = ({ operation }: Entry) => operation.tags[0] ?? 'Other';
  const named = new Map(document.tags.map(({ name, description }) => [name, description]));
  const names = [...new Set([...named.keys(), ...entries.map(tagOf)])];
  return names
    .map((name) => ({
      id: anchor(name.toLowerCase(), 'tag-'),
      name,
      description: named.get(name),
      entries: entries.filter((entry) => tagOf(entry) === name),
    }))
    .filter((group) => group.entries.length > 0);
}

const entriesOf = ({ paths }: Document): readonly Entry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const id = anchor(operation.operationId ?? `${method}-${path}`);
      return { method, path, id, title: operation.summary ?? operation.operationId ?? path, operation };
    }),
  );
