import { shapeOf, type Document, type Operation } from './document.ts';
import { html, type Html } from './html.ts';
import { sampleOf } from './sample.ts';

/** One operation at its path, with what the page calls it. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly operation: Operation;
}

/** Where a service of this document listens when it names no server; the script puts the real place. */
const ORIGIN = 'http://127.0.0.1:3000';

/** A call that can be pasted into a shell once its variables are set. */
export function curl(document: Document, entry: Entry): Html {
  const call = entry.method === 'get' ? 'curl' : `curl -X ${entry.method.toUpperCase()}`;
  const words = [
    ...keyHeaders(document, entry.operation).map((header) => `-H "${header}"`),
    ...bodyWords(document, entry.operation),
  ];
  const rest = [`${target(entry)}"`, ...words.map((word) => `  ${word}`)].join(' \\\n');
  return html`<pre
    tabindex="0"
    aria-label="Example call"
  ><code>${call} "${origin(document)}${rest}</code></pre>`;
}

const origin = ({ servers }: Document): Html =>
  servers[0] ? html`${servers[0].url}` : html`<span data-origin>${ORIGIN}</span>`;

function target({ path, operation }: Entry): string {
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=$${variable(name)}`);
  const place = path.replace(/\{([^}]+)\}/g, (_braces, name: string) => `$${variable(name)}`);
  return query.length > 0 ? `${place}?${query.join('&')}` : place;
}

/** `user_id` and `managementKey` are `USER_ID` and `MANAGEMENT_KEY` in a shell. */
const variable = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toUpperCase();

function keyHeaders(document: Document, operation: Operation): readonly string[] {
  const [choice = {}] = operation.security ?? document.security;
  return Object.keys(choice).flatMap((name) => {
    const scheme = document.components.securitySchemes[name];
    if (scheme?.in === 'header' && scheme.name) return [`${scheme.name}: $${variable(name)}`];
    return scheme?.scheme === 'bearer' ? ['Authorization: Bearer $TOKEN'] : [];
  });
}

function bodyWords(document: Document, { requestBody }: Operation): readonly string[] {
  const shape = shapeOf(requestBody?.content);
  if (!shape) return [];
  const sample = JSON.stringify(sampleOf(document.components.schemas, shape), undefined, 2);
  const indented = sample.replaceAll('\n', '\n  ');
  // A quote in a quoted word of a shell: out, a quote, in again.
  return ['-H "Content-Type: application/json"', `-d '${indented.replaceAll("'", String.raw`'\''`)}'`];
}
