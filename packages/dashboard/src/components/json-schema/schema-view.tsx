import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { describeType, isNull, resolve, variantsOf, type SchemaNode, type Schemas } from './schema-node.ts';

interface SchemaViewProps {
  readonly schema: SchemaNode;
  readonly schemas: Schemas;
  /** How many levels are open at the beginning. */
  readonly open?: number;
}

/** The fields of an object: name, type, whether it is required, what it means. Deeper objects open on demand. */
export function SchemaView({ schema, schemas, open = 1 }: SchemaViewProps) {
  const { properties, required = [] } = objectBehind(schema, schemas) ?? {};
  if (!properties) return <Code>{describeType(schema)}</Code>;
  return (
    <Stack gap={0} component="ul" className="schema-fields">
      {Object.entries(properties).map(([name, node]) => (
        <Field
          key={name}
          name={name}
          node={node}
          schemas={schemas}
          isRequired={required.includes(name)}
          open={open - 1}
        />
      ))}
    </Stack>
  );
}

interface FieldProps {
  readonly name: string;
  readonly node: SchemaNode;
  readonly schemas: Schemas;
  readonly isRequired: boolean;
  readonly open: number;
}

function Field({ name, node, schemas, isRequired, open }: FieldProps) {
  const [isOpen, setOpen] = useState(open > 0);
  const resolved = resolve(node, schemas);
  const inner = objectBehind(node, schemas);
  const values = enumOf(node, schemas);
  const description = node.description ?? resolved.description;
  return (
    <li>
      <Group gap="xs" wrap="wrap" align="baseline">
        <Code>{name}</Code>
        <Text size="xs" c="dimmed">
          {describeType(node)}
        </Text>
        {isRequired && (
          <Badge size="xs" variant="light" color="gray" tt="none">
            required
          </Badge>
        )}
        {inner?.properties && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => setOpen(!isOpen)}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} the fields of ${name}`}
          >
            {isOpen ? 'Hide fields' : 'Show fields'}
          </Button>
        )}
      </Group>
      {description !== undefined && <Text size="xs">{description}</Text>}
      {values && (
        <Text size="xs" c="dimmed" lineClamp={4}>
          {values.map((value) => JSON.stringify(value)).join(', ')}
        </Text>
      )}
      {isOpen && inner && <SchemaView schema={inner} schemas={schemas} open={open} />}
    </li>
  );
}

/** The object that a field holds: itself, one of its variants, or what its list is of. */
function objectBehind(node: SchemaNode, schemas: Schemas): SchemaNode | undefined {
  const resolved = resolve(node, schemas);
  if (resolved.properties) return resolved;
  if (resolved.items) return objectBehind(resolved.items, schemas);
  const variants = variantsOf(resolved)?.filter((variant) => !isNull(variant)) ?? [];
  return variants.map((variant) => objectBehind(variant, schemas)).find((found) => found !== undefined);
}

function enumOf(node: SchemaNode, schemas: Schemas): readonly unknown[] | undefined {
  const resolved = resolve(node, schemas);
  if (resolved.enum) return resolved.enum;
  if (resolved.items) return enumOf(resolved.items, schemas);
  return variantsOf(resolved)
    ?.map((variant) => resolve(variant, schemas).enum)
    .find((found) => found !== undefined);
}
