import type { OpenApiDocument, ComponentSchemas, JsonSchema } from './document.ts';
import { toAnchorId, html, EMPTY_HTML, renderProse, type Html } from './html.ts';
import { referenceName } from './resolve.ts';
import { renderSchemaSummary, renderSchemaTree } from './schema-tree.ts';

/** Every named schema once, one level deep. Deeper and recursive trees link here. */
export function renderSchemas(document: OpenApiDocument): Html {
  const { schemas } = document.components;
  const answered = findResponseSchemas(document);
  return html`${Object.entries(schemas).map(([name, shape]) =>
    renderSchema(schemas, name, { shape, marks: answered.has(name) ? 'optional' : 'required' }),
  )}`;
}

interface SchemaSection {
  readonly shape: JsonSchema;
  readonly marks: 'required' | 'optional';
}

function renderSchema(schemas: ComponentSchemas, name: string, { shape, marks }: SchemaSection): Html {
  const id = toAnchorId(name, 'schema-');
  const inside = renderSchemaTree({ schemas, trail: [name], depth: 1, marks }, shape);
  const { description, ...rest } = shape;
  return html`<article class="schema" id="${id}" aria-labelledby="${id}-title">
    <h3 id="${id}-title">
      <code>${name}</code><a class="here" href="#${id}" aria-label="Link to ${name}">#</a>
    </h3>
    ${renderProse(description)}
    ${inside === EMPTY_HTML || shape.properties === undefined ? html`<div class="whole">${renderSchemaSummary(schemas, rest)}</div>` : EMPTY_HTML}
    ${inside}
  </article> `;
}

/** The schemas that a response references, directly or indirectly. */
function findResponseSchemas({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const found = new Set<string>();
  const open = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) => listReferences(responses)),
  );
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...listReferences(components.schemas[name]));
  }
  return found;
}

function listReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [referenceName(inner)] : listReferences(inner),
  );
}
