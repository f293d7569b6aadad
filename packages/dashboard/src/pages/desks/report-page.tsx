import { ActionIcon, Box, Group, ScrollArea, Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { fetchFile } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconChevronLeft, IconChevronRight, IconZoomIn, IconZoomOut } from '../../base/icons.ts';
import { useObjectUrl } from '../../components/pdf-viewer.tsx';
import { ErrorNotice } from '../../components/states.tsx';

export type PageBoxes = components['schemas']['LabReportPage'];
type LineBoxes = PageBoxes['lines'][number]['boxes'];
type LineBox = NonNullable<LineBoxes['value']>;

interface ReportPageProps {
  readonly jobId: string;
  /** The boxes of the page that is shown. */
  readonly boxes: PageBoxes;
  readonly active: number | undefined;
  readonly doubts: ReadonlySet<number>;
  readonly zoom: number;
  readonly nameOf: (line: number) => string;
  readonly onZoom: (zoom: number) => void;
  readonly onPage: (page: number) => void;
  readonly onLine: (line: number) => void;
}

/** In percent of the width of its frame. */
export const ZOOM_STEPS = [100, 130, 170, 220, 300] as const;

export const zoomBy = (zoom: number, direction: 1 | -1): number => {
  const index = ZOOM_STEPS.findIndex((step) => step === zoom) + direction;
  return ZOOM_STEPS[index] ?? zoom;
};

/** A page of the report as an image, with a box over every value that was read from it. */
export function ReportPage(props: ReportPageProps) {
  const { jobId, boxes, zoom, active } = props;
  const image = useQuery({
    queryKey: ['report-page', jobId, boxes.page],
    queryFn: () => fetchFile(`/lab_report/v1/parser/job/${jobId}/pages/${boxes.page}.png`),
    staleTime: Infinity,
    // Pages of patients leave the memory soon after they are left.
    gcTime: 60_000,
  });
  const url = useObjectUrl(image.data);
  return (
    <Box>
      <Toolbar {...props} />
      <ScrollArea h="72vh" type="auto" bd="1px solid var(--mantine-color-default-border)">
        <div className="report-page" style={{ width: `${zoom}%` }}>
          {image.error ? (
            <ErrorNotice error={image.error} onRetry={() => void image.refetch()} />
          ) : url === undefined ? (
            <Skeleton h="70vh" radius={0} />
          ) : (
            <img src={url} alt={`Page ${boxes.page} of the report`} />
          )}
          {url !== undefined && <Boxes key={`${active}-${zoom}`} {...props} />}
        </div>
      </ScrollArea>
    </Box>
  );
}

function Toolbar({ boxes, zoom, onZoom, onPage }: ReportPageProps) {
  const tool = (
    [label, Icon, isDisabled]: readonly [string, typeof IconZoomIn, boolean],
    onClick: () => void,
  ) => (
    <Tooltip label={label}>
      <ActionIcon variant="default" aria-label={label} onClick={onClick} disabled={isDisabled}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <Group gap="xs" mb="xs">
      {tool(['Zoom out (−)', IconZoomOut, zoom === ZOOM_STEPS[0]], () => onZoom(zoomBy(zoom, -1)))}
      {tool(['Zoom in (+)', IconZoomIn, zoom === ZOOM_STEPS.at(-1)], () => onZoom(zoomBy(zoom, 1)))}
      <Text size="sm" className="numbers" w={48}>
        {zoom} %
      </Text>
      {boxes.pages > 1 && (
        <>
          {tool(['Previous page', IconChevronLeft, boxes.page <= 1], () => onPage(boxes.page - 1))}
          {tool(['Next page', IconChevronRight, boxes.page >= boxes.pages], () => onPage(boxes.page + 1))}
        </>
      )}
      <Text size="sm" c="dimmed" className="numbers">
        Page {boxes.page} of {boxes.pages}
      </Text>
    </Group>
  );
}

const PARTS = ['name', 'value', 'unit', 'range', 'flag'] as const;

/** The boxes of a line as one: the reviewer looks at the line, and at its value first. */
function around(boxes: LineBoxes): LineBox | undefined {
  const parts = PARTS.flatMap((part) => boxes[part] ?? []);
  if (parts.length === 0) return undefined;
  return {
    x0: Math.min(...parts.map(({ x0 }) => x0)),
    y0: Math.min(...parts.map(({ y0 }) => y0)),
    x1: Math.max(...parts.map(({ x1 }) => x1)),
    y1: Math.max(...parts.map(({ y1 }) => y1)),
  };
}

function Boxes({ boxes, active, doubts, nameOf, onLine }: ReportPageProps) {
  const current = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }, []);
  const { width, height } = boxes;
  if (width === null || height === null) return null;
  return boxes.lines.map(({ line, boxes: parts }) => {
    const isActive = line === active;
    // The line in question is framed as a whole; of the others the value, so that the page stays readable.
    const box = isActive ? around(parts) : (parts.value ?? around(parts));
    if (!box) return null;
    return (
      <button
        key={line}
        ref={isActive ? current : null}
        type="button"
        className="report-box"
        tabIndex={-1}
        aria-label={`${nameOf(line)} on the page`}
        data-active={isActive || undefined}
        data-doubt={doubts.has(line) || undefined}
        onClick={() => onLine(line)}
        style={{
          left: `calc(${(box.x0 / width) * 100}% - 3px)`,
          top: `calc(${(box.y0 / height) * 100}% - 2px)`,
          width: `calc(${((box.x1 - box.x0) / width) * 100}% + 6px)`,
          height: `calc(${((box.y1 - box.y0) / height) * 100}% + 4px)`,
        }}
      />
    );
  });
}
