import { curl, type Entry } from './curl.ts';
import {
  shapeOf,
  type Answer,
  type Document,
  type Operation,
  type Parameter,
  type Shape,
} from './document.ts';
import { kind } from './facts.ts';
import { answeredName } from './families.ts';
import { html, inline, nothing, plain, prose, type Html } from './html.ts';
import { about, tree, type Place } from './schema-tree.ts';

/** Named schemas stand open this deep in a body and in an answer. */
const DEPTH = 1;

/** One operation: what it does, what it takes, how it is called, what it answers, which another may have shown first. */
export function operationSection(document: Document, entry: Entry, first: ReadonlyMap<string, Entry>): Html {
  const { operation, id, title } = entry;
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
    ${heading(id, title)}
    <p class="call">${badge(entry)} ${pathOf(entry)}</p>
    ${operation.deprecated ? html`<p class="deprecated">Deprecated.</p>` : nothing}
    ${prose(operation.description)} ${keyLine(document, operation)}
    ${parameterTable(document, operation.parameters)} ${bodyPart(document, operation)}
    <h4>Example</h4>
    ${curl(document, entry)}
    <h4>Answers</h4>
    ${Object.entries(operation.responses).map(([status, answer]) => {
      const name = answeredName(answer);
      const isOpen = name === undefined || first.get(name) === entry;
      return answerPart(document, { status, answer, isOpen });
    })}
  </article> `;
}

/** One operation of a family: where its form is shown, and what it answers. */
export function kinSection(document: Document, entry: Entry, first: Entry): Html {
  const { operation, id, title } = entry;
  const [answer] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const shape = answer && shapeOf(answer[1].content);
  const answers = shape ? html` It answers ${kind(document.components.schemas, shape)}.` : nothing;
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
    ${heading(id, title)}
    <p class="call">${badge(entry)} ${pathOf(entry)}</p>
    <p>Called like <a href="#${first.id}">${inline(first.title)}</a>.${answers}</p>
  </article> `;
}

const heading = (id: string, title: string): Html =>
  html`<h3 id="${id}-title">
    ${inline(title)}<a class="here" href="#${id}" aria-label="Link to ${plain(title)}">#</a>
  </h3>`;

export const badge = ({ method }: Entry): Html =>
  html`<b class="method ${method}">${method.toUpperCase()}</b>`;

/** A path that breaks at its slashes, with what is to be filled in set off. */
function pathOf({ path }: Entry): Html {
  const parts = path
    .split(/(?=\/)/)
    .map((part) => html`<wbr />${part.includes('{') ? html`/<var>${part.slice(1)}</var>` : part}`);
  return html`<code class="path">${parts}</code>`;
}

function keyLine(document: Document, operation: Operation): Html {
  const choices = operation.security ?? document.security;
  if (choices.length === 0) return html`<p class="key">No key is needed.</p>`;
  const keys = choices.map((choice) => Object.keys(choice).map((name) => keyOf(document, name)));
  return html`<p class="key">Needs ${keys.map((all, at) => html`${at > 0 ? ' or ' : ''}${all}`)}.</p>`;
}

/** `teamKey` in a header reads "a team key in `x-brand-api-key`". */
function keyOf(document: Document, name: string): Html {
  const scheme = document.components.securitySchemes[name];
  return html`a ${wordsOf(name)} in <code>${scheme?.name ?? 'Authorization'}</code>`;
}

export const wordsOf = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

function parameterTable({ components: { schemas } }: Document, parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return nothing;
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr>
        <th scope="row"><code class="name">${name}</code></th>
        <td class="in">${place}</td>
        <td>
          ${about(schemas, schema, required ? html` <b class="required">required</b>` : nothing)}${
            description ? html`<span class="meaning">${inline(description)}</span>` : nothing
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

function bodyPart(document: Document, { requestBody }: Operation): Html {
  const shape = shapeOf(requestBody?.content);
  if (!requestBody || !shape) return nothing;
  const place = placeIn(document, 'required');
  return html`<h4>
      Body <span class="kind">${kind(place.schemas, shape)}</span>${
        requestBody.required ? nothing : html` <span class="fact">· may be left out</span>`
      }
    </h4>
    ${tree(place, shape)}`;
}

interface Answered {
  readonly status: string;
  readonly answer: Answer;
  /** Whether its schema is shown here, or only named. */
  readonly isOpen: boolean;
}

function answerPart(document: Document, { status, answer, isOpen }: Answered): Html {
  const shape = shapeOf(answer.content);
  const line = html`<b class="status s${status.slice(0, 1)}">${status}</b> ${answer.description}`;
  if (!shape) return html`<p class="answer">${line}</p> `;
  return answerOf({ ...placeIn(document, 'optional'), depth: isOpen ? DEPTH : 0 }, shape, line);
}

function answerOf(place: Place, shape: Shape, line: Html): Html {
  const inside = tree(place, shape);
  const full = html`${line} <span class="kind">${kind(place.schemas, shape)}</span>`;
  if (inside === nothing) return html`<p class="answer">${full}</p> `;
  return html`<details class="answer">
    <summary>${full}</summary>
    ${inside}
  </details> `;
}

const placeIn = (document: Document, marks: Place['marks']): Place => ({
  schemas: document.components.schemas,
  trail: [],
  depth: DEPTH,
  marks,
});
