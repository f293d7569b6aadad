import type { ComponentSchemas, JsonSchema } from './document.ts';
import { listConstraints, describeType, renderValue, listValues } from './describe-schema.ts';
import { html, renderInline, EMPTY_HTML, type Html } from './html.ts';
import { resolveSchema, mapValueSchema } from './resolve.ts';

/** What rendering a branch needs: the schemas, the path so far, and the depth. */
export interface SchemaTreeContext {
  readonly schemas: ComponentSchemas;
  /** The named schemas that enclose this branch. */
  readonly trail: readonly string[];
  /** Named schemas are expanded to this depth; deeper ones link to their own section. */
  readonly depth: number;
  /** Requests mark required properties; responses mark optional ones. */
  readonly marks: 'required' | 'optional';
}

interface SchemaBranch {
  readonly title: Html;
  readonly mark: Html;
  readonly shape: JsonSchema;
}

/** The properties of a schema as nested lists; empty where it has none or is too deep. */
export function renderSchemaTree(place: SchemaTreeContext, shape: JsonSchema): Html {
  const { inner, branches } = listBranches(place, shape);
  if (branches.length === 0) return EMPTY_HTML;
  return html`<ul class="tree">
    ${branches.map((branch) => renderBranch(inner, branch))}
  </ul>`;
}

function listBranches(
  place: SchemaTreeContext,
  given: JsonSchema,
): { inner: SchemaTreeContext; branches: readonly SchemaBranch[] } {
  const { shape, name, options } = resolveSchema(place.schemas, given);
  const closed = name !== undefined && (place.trail.includes(name) || place.trail.length >= place.depth);
  if (closed) return { inner: place, branches: [] };
  const inner = name === undefined ? place : { ...place, trail: [...place.trail, name] };
  if (options.length > 0) return { inner, branches: alternatives(inner, options) };
  if (shape.properties) return { inner, branches: properties(shape, place.marks) };
  const within = shape.items ?? mapValueSchema(shape);
  return within ? listBranches(inner, within) : { inner, branches: [] };
}

const properties = (shape: JsonSchema, marks: SchemaTreeContext['marks']): readonly SchemaBranch[] => {
  const required = new Set(shape.required);
  const mark = marks === 'required' ? html` <b class="required">required</b>` : html` <i>optional</i>`;
  return Object.entries(shape.properties ?? {}).map(([name, part]) => ({
    title: html`<code class="name">${name}</code>`,
    mark: required.has(name) === (marks === 'required') ? mark : EMPTY_HTML,
    shape: part,
  }));
};

/** The alternatives of a value; none where all are simple types, which the type description lists. */
function alternatives(place: SchemaTreeContext, options: readonly JsonSchema[]): readonly SchemaBranch[] {
  const structured = options.some((option) => listBranches(place, option).branches.length > 0);
  if (!structured) return [];
  return options.map((shape, at) => ({
    title: html`<span class="either">${at === 0 ? 'either' : 'or'}</span>`,
    mark: EMPTY_HTML,
    shape,
  }));
}

function renderBranch(place: SchemaTreeContext, { title, mark, shape }: SchemaBranch): Html {
  const inside = renderSchemaTree(place, shape);
  const line = html`${title} ${renderSchemaSummary(place.schemas, shape, mark)}`;
  if (inside === EMPTY_HTML) return html`<li>${line}</li> `;
  const named = resolveSchema(place.schemas, shape).name === undefined ? '' : 'named';
  return html`<li>
    <details class="${named}">
      <summary>${line}</summary>
      ${inside}
    </details>
  </li> `;
}

/** The type, bounds, description and values of a schema, for one row of a tree or a table. */
export function renderSchemaSummary(
  schemas: ComponentSchemas,
  shape: JsonSchema,
  mark: Html = EMPTY_HTML,
): Html {
  const seen = resolveSchema(schemas, shape).shape;
  const all = listConstraints(schemas, shape);
  return html`<span class="kind">${describeType(schemas, shape)}</span>${mark}${
      seen.deprecated ? html` <i class="deprecated">deprecated</i>` : EMPTY_HTML
    }${all.map((fact) => html` <span class="fact">· ${fact}</span>`)}${
      seen.description ? html`<span class="meaning">${renderInline(seen.description)}</span>` : EMPTY_HTML
    }${valueList(listValues(schemas, shape))}`;
}

const valueList = (all: readonly unknown[]): Html =>
  all.length === 0
    ? EMPTY_HTML
    : html`<span class="values">${all.map((one) => html`${renderValue(one)} `)}</span>`;
