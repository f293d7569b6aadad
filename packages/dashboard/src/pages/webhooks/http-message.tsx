import { Code } from '@mantine/core';

export const HttpHeaders = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => (
  <Code block style={{ overflowX: 'auto' }} tabIndex={0}>
    {Object.entries(headers)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join('\n') || 'No headers'}
  </Code>
);

export const HttpBody = ({ text }: { readonly text: string }) => (
  <Code block mah={420} style={{ overflow: 'auto' }} tabIndex={0}>
    {text === '' ? 'Empty body' : indent(text)}
  </Code>
);

/** JSON with line breaks; anything else, such as a body that was cut, as it is. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
