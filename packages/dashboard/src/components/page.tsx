import { Anchor, Breadcrumbs, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { useTenantPath } from '../base/tenant.ts';
import type { ApiCall } from './code-samples.ts';
import { PageTerms } from './hint.tsx';
import { ShowApiCall } from './show-api-call.tsx';

interface PageProps {
  readonly title: string;
  /** The title of the document, where the heading names a person: it gets into the history of the browser. */
  readonly documentTitle?: string;
  /** What stands above the title: the page that lists such objects. Paths are below the tenant. */
  readonly parents?: readonly { readonly title: string; readonly path: string }[];
  readonly description?: ReactNode;
  /** Beside the title: a status, an id. */
  readonly beside?: ReactNode;
  /** Buttons at the right. */
  readonly actions?: ReactNode;
  /** The requests by which a program gets what is shown here. */
  readonly calls?: readonly ApiCall[];
  readonly children: ReactNode;
}

/** The frame of every page: the title of the document, the heading, the actions, "Show API call". */
export function PageFrame(props: PageProps) {
  const { title, documentTitle = title, parents, description, beside, actions, calls, children } = props;
  const pathOf = useTenantPath();
  useEffect(() => {
    document.title = `${documentTitle} · Aliquot`;
  }, [documentTitle]);
  return (
    <Stack gap="lg" maw={1280}>
      <Stack gap={4}>
        {parents && (
          <Breadcrumbs fz="xs">
            {parents.map((parent) => (
              <Anchor key={parent.path} component={Link} to={pathOf(parent.path)} size="xs">
                {parent.title}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start">
          <Stack gap={4} className="page-title">
            <Group gap="sm">
              <div>
                <Title order={1} display="inline">
                  {title}
                </Title>{' '}
                <PageTerms />
              </div>
              {beside}
            </Group>
            {description !== undefined && (
              <Text c="dimmed" size="sm">
                {description}
              </Text>
            )}
          </Stack>
          <Group gap="xs">
            {calls && calls.length > 0 && <ShowApiCall calls={calls} />}
            {actions}
          </Group>
        </Group>
      </Stack>
      {children}
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Over all columns of a grid. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export const Section = ({ title, actions, isWide = false, children }: SectionProps) => (
  <Paper component="section" aria-label={title} miw={0} className={isWide ? 'wide-section' : undefined}>
    <Group justify="space-between" mb="sm">
      <Title order={2}>{title}</Title>
      {actions}
    </Group>
    {children}
  </Paper>
);
