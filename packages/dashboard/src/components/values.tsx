import { Anchor, Badge, Code, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { IconCheck, IconCopy } from '../base/icons.ts';
import { useTenantPath } from '../base/tenant.ts';
import { shortId } from '../base/short-id.ts';

/**
 * An id in full on hover, with a button that copies it; with `path`, a link to the page of its object. Tables show dozens
 * of them, so they are plain elements.
 */
export function CopyId({ id, path }: { readonly id: string; readonly path?: string }) {
  const pathOf = useTenantPath();
  return (
    <span className="copy-id">
      {path === undefined ? (
        <code title={id}>{shortId(id)}</code>
      ) : (
        <Anchor component={Link} to={pathOf(path)} ff="monospace" fz="xs" title={id}>
          {shortId(id)}
        </Anchor>
      )}
      <CopyTextButton text={id} />
    </span>
  );
}

/**
 * An e-mail address with a button that copies it. It breaks before the @ alone; a part that is wider than its place is cut
 * off, and in full on hover.
 */
export function EmailText({ email }: { readonly email: string | null | undefined }) {
  if (email === null || email === undefined || email === '') return <Text span>–</Text>;
  const at = Math.max(email.lastIndexOf('@'), 0);
  return (
    <span className="email-text">
      <span title={email}>
        {email.slice(0, at)}
        <wbr />
        {email.slice(at)}
      </span>
      <CopyTextButton text={email} />
    </span>
  );
}

function CopyTextButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={isCopied ? 'Copied' : `Copy ${text}`}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
    >
      {isCopied ? <IconCheck size={13} /> : <IconCopy size={13} />}
    </button>
  );
}

const COPIED_MS = 1500;

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = {
  long: new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }),
  narrow: new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' }),
};
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** A time in the zone of the viewer; the exact UTC on hover. Null is a dash. */
export function TimeText({
  value,
  relative = false,
}: {
  readonly value: string | null | undefined;
  /** How long ago it is; `narrow` where there is little room. */
  readonly relative?: boolean | 'narrow';
}) {
  if (value === null || value === undefined) return <Text span>–</Text>;
  const time = new Date(value);
  return (
    <time className="numbers" dateTime={time.toISOString()} title={time.toISOString()}>
      {relative === false ? SHORT.format(time) : relativeTo(time, relative === 'narrow' ? 'narrow' : 'long')}
    </time>
  );
}

function relativeTo(time: Date, style: keyof typeof RELATIVE): string {
  const seconds = (time.getTime() - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return RELATIVE[style].format(Math.round(seconds / size), unit);
}

/** Colors by what a state means for the reader, not by its name. */
const TONES: readonly (readonly [RegExp, string])[] = [
  [/fail|cancel|error|rejected|lost|dead|revoked|problem|critical|expired|disabled|missed/i, 'red'],
  [/completed|delivered|connected|success|active|ready|verified|accepted|final/i, 'teal'],
  [/abnormal|review|pending|awaiting|requires|paused|partial|doubt|unmatched|hold|stuck/i, 'yellow'],
  [/transit|shipped|process|scheduled|confirmed|received|registered|ordered|collect/i, 'blue'],
];

/** The color of the theme for a state. */
export const toneOf = (status: string): string =>
  TONES.find(([pattern]) => pattern.test(status))?.[1] ?? 'gray';

/** A state in words: `transit_customer` is "transit customer". The word tells it; the color only helps. */
export function StatusBadge({ status }: { readonly status: string | null | undefined }) {
  if (status === null || status === undefined) return <Text span>–</Text>;
  const words = (status.split('.').at(-1) ?? status).replaceAll('_', ' ');
  return (
    <Badge
      variant="light"
      color={toneOf(status)}
      tt="none"
      fw={500}
      radius="sm"
      miw="max-content"
      title={status}
    >
      {words}
    </Badge>
  );
}

/** Names and values of one object, in two columns. Values that are not there are a dash. */
export const KeyValues = ({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) => (
  <div className="key-values">
    <Table withRowBorders={false} verticalSpacing={4} layout="fixed">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th fw={500} c="dimmed">
              {name}
            </Table.Th>
            <Table.Td>{value ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
);

export const JsonView = ({ value }: { readonly value: unknown }) => (
  <Code block mah={480} style={{ overflow: 'auto' }} tabIndex={0}>
    {JSON.stringify(value, null, 2)}
  </Code>
);
