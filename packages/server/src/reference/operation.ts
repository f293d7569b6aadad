import { renderCurlExample, type OperationEntry } from './curl.ts';
import {
  findContentSchema,
  type OpenApiResponse,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type JsonSchema,
} from './document.ts';
import { describeType } from './describe-schema.ts';
import { responseSchemaName } from './similar-operations.ts';
import { html, renderInline, EMPTY_HTML, withoutBackticks, renderProse, type Html } from './html.ts';
import { renderSchemaSummary, renderSchemaTree, type SchemaTreeContext } from './schema-tree.ts';

/** Named schemas are expanded to this depth in a body and in a response. */
const DEPTH = 1;

/** One operation: description, parameters, body, example, responses. `first`: see `findFirstResponses`. */
export function renderOperation(
  document: OpenApiDocument,
  entry: OperationEntry,
  first: ReadonlyMap<string, OperationEntry>,
): Html {
  const { operation, id, title } = entry;
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
    ${renderHeading(id, title)}
    <p class="call">${renderMethodBadge(entry)} ${renderPath(entry)}</p>
    ${operation.deprecated ? html`<p class="deprecated">Deprecated.</p>` : EMPTY_HTML}
    ${renderProse(operation.description)} ${renderKeyLine(document, operation)}
    ${renderParameterTable(document, operation.parameters)} ${renderBody(document, operation)}
    <h4>Example</h4>
    ${renderCurlExample(document, entry)}
    <h4>Responses</h4>
    ${Object.entries(operation.responses).map(([status, answer]) => {
      const name = responseSchemaName(answer);
      const isOpen = name === undefined || first.get(name) === entry;
      return renderResponsePart(document, { status, answer, isOpen });
    })}
  </article> `;
}

/** An operation that is similar to `first`: a link to that one, and the response. */
export function renderSimilarOperation(
  document: OpenApiDocument,
  entry: OperationEntry,
  first: OperationEntry,
): Html {
  const { operation, id, title } = entry;
  const [answer] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const shape = answer && findContentSchema(answer[1].content);
  const answers = shape ? html` It returns ${describeType(document.components.schemas, shape)}.` : EMPTY_HTML;
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
    ${renderHeading(id, title)}
    <p class="call">${renderMethodBadge(entry)} ${renderPath(entry)}</p>
    <p>Called like <a href="#${first.id}">${renderInline(first.title)}</a>.${answers}</p>
  </article> `;
}

const renderHeading = (id: string, title: string): Html =>
  html`<h3 id="${id}-title">
    ${renderInline(title)}<a class="here" href="#${id}" aria-label="Link to ${withoutBackticks(title)}">#</a>
  </h3>`;

export const renderMethodBadge = ({ method }: OperationEntry): Html =>
  html`<b class="method ${method}">${method.toUpperCase()}</b>`;

/** A path that wraps at slashes, with its parameters highlighted. */
function renderPath({ path }: OperationEntry): Html {
  const parts = path
    .split(/(?=\/)/)
    .map((part) => html`<wbr />${part.includes('{') ? html`/<var>${part.slice(1)}</var>` : part}`);
  return html`<code class="path">${parts}</code>`;
}

function renderKeyLine(document: OpenApiDocument, operation: OpenApiOperation): Html {
  const choices = operation.security ?? document.security;
  if (choices.length === 0) return html`<p class="key">No key is required.</p>`;
  const keys = choices.map((choice) => Object.keys(choice).map((name) => keyOf(document, name)));
  return html`<p class="key">Requires ${keys.map((all, at) => html`${at > 0 ? ' or ' : ''}${all}`)}.</p>`;
}

/** `teamKey` in a header is shown as "a team key in `x-brand-api-key`". */
function keyOf(document: OpenApiDocument, name: string): Html {
  const scheme = document.components.securitySchemes[name];
  return html`a ${splitCamelCase(name)} in <code>${scheme?.name ?? 'Authorization'}</code>`;
}

export const splitCamelCase = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

function renderParameterTable(
  { components: { schemas } }: OpenApiDocument,
  parameters: readonly OpenApiParameter[],
): Html {
  if (parameters.length === 0) return EMPTY_HTML;
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr>
        <th scope="row"><code class="name">${name}</code></th>
        <td class="in">${place}</td>
        <td>
          ${renderSchemaSummary(schemas, schema, required ? html` <b class="required">required</b>` : EMPTY_HTML)}${
            description ? html`<span class="meaning">${renderInline(description)}</span>` : EMPTY_HTML
          }
        </td>
      </tr> `,
  );
  return html`<h4>Parameters</h4>
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">In</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}

function renderBody(document: OpenApiDocument, { requestBody }: OpenApiOperation): Html {
  const shape = findContentSchema(requestBody?.content);
  if (!requestBody || !shape) return EMPTY_HTML;
  const place = toTreeContext(document, 'required');
  return html`<h4>
      Body <span class="kind">${describeType(place.schemas, shape)}</span>${
        requestBody.required ? EMPTY_HTML : html` <span class="fact">· optional</span>`
      }
    </h4>
    ${renderSchemaTree(place, shape)}`;
}

interface ResponsePart {
  readonly status: string;
  readonly answer: OpenApiResponse;
  /** Whether its schema is expanded here, or only linked. */
  readonly isOpen: boolean;
}

function renderResponsePart(document: OpenApiDocument, { status, answer, isOpen }: ResponsePart): Html {
  const shape = findContentSchema(answer.content);
  const line = html`<b class="status s${status.slice(0, 1)}">${status}</b> ${answer.description}`;
  if (!shape) return html`<p class="answer">${line}</p> `;
  return renderResponse({ ...toTreeContext(document, 'optional'), depth: isOpen ? DEPTH : 0 }, shape, line);
}

function renderResponse(place: SchemaTreeContext, shape: JsonSchema, line: Html): Html {
  const inside = renderSchemaTree(place, shape);
  const full = html`${line} <span class="kind">${describeType(place.schemas, shape)}</span>`;
  if (inside === EMPTY_HTML) return html`<p class="answer">${full}</p> `;
  return html`<details class="answer">
    <summary>${full}</summary>
    ${inside}
  </details> `;
}

const toTreeContext = (document: OpenApiDocument, marks: SchemaTreeContext['marks']): SchemaTreeContext => ({
  schemas: document.components.schemas,
  trail: [],
  depth: DEPTH,
  marks,
});
