import { findContentSchema, type OpenApiDocument, type OpenApiOperation } from './document.ts';
import { html, type Html } from './html.ts';
import { createSample } from './sample.ts';

/** One operation with its path, and its anchor and title on the page. */
export interface OperationEntry {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly title: string;
  readonly operation: OpenApiOperation;
}

/** The origin for a document without servers; the page's script replaces it with the real one. */
const ORIGIN = 'http://127.0.0.1:3000';

/** A curl command that runs in a shell once its variables are set. */
export function renderCurlExample(document: OpenApiDocument, entry: OperationEntry): Html {
  const { call, rest } = curlAround(document, entry);
  return html`<pre
    tabindex="0"
    aria-label="Example call"
  ><code>${call}${origin(document)}${rest}</code></pre>`;
}

/** The same as text, for the given origin such as `https://aliquot.example.com`. */
export function curlExample(document: OpenApiDocument, entry: OperationEntry, at: string): string {
  const { call, rest } = curlAround(document, entry);
  return `${call}${at}${rest}`;
}

/** What stands before and behind the origin. */
function curlAround(document: OpenApiDocument, entry: OperationEntry): { call: string; rest: string } {
  const call = entry.method === 'get' ? 'curl' : `curl -X ${entry.method.toUpperCase()}`;
  const words = [
    ...keyHeaders(document, entry.operation).map((header) => `-H "${header}"`),
    ...bodyArguments(document, entry.operation),
  ];
  return {
    call: `${call} "`,
    rest: [`${requestTarget(entry)}"`, ...words.map((word) => `  ${word}`)].join(' \\\n'),
  };
}

const origin = ({ servers }: OpenApiDocument): Html =>
  servers[0] ? html`${servers[0].url}` : html`<span data-origin>${ORIGIN}</span>`;

function requestTarget({ path, operation }: OperationEntry): string {
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=$${toShellVariable(name)}`);
  const place = path.replace(/\{([^}]+)\}/g, (_braces, name: string) => `$${toShellVariable(name)}`);
  return query.length > 0 ? `${place}?${query.join('&')}` : place;
}

/** `user_id` becomes `USER_ID`, `managementKey` becomes `MANAGEMENT_KEY`. */
const toShellVariable = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toUpperCase();

function keyHeaders(document: OpenApiDocument, operation: OpenApiOperation): readonly string[] {
  const [choice = {}] = operation.security ?? document.security;
  return Object.keys(choice).flatMap((name) => {
    const scheme = document.components.securitySchemes[name];
    if (scheme?.in === 'header' && scheme.name) return [`${scheme.name}: $${toShellVariable(name)}`];
    return scheme?.scheme === 'bearer' ? ['Authorization: Bearer $TOKEN'] : [];
  });
}

function bodyArguments(document: OpenApiDocument, { requestBody }: OpenApiOperation): readonly string[] {
  const shape = findContentSchema(requestBody?.content);
  if (!shape) return [];
  const sample = JSON.stringify(createSample(document.components.schemas, shape), undefined, 2);
  const indented = sample.replaceAll('\n', '\n  ');
  // Escapes a quote within a single-quoted shell word: close, escaped quote, reopen.
  return ['-H "Content-Type: application/json"', `-d '${indented.replaceAll("'", String.raw`'\''`)}'`];
}
