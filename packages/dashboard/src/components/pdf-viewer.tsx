import { Button, Group, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fetchFile } from '../api/client.ts';
import { IconDownload } from '../base/icons.ts';
import { Loaded } from './states.tsx';

/** A document that the viewer asked for: where it is in the API, and its name when it is saved. */
export interface OpenedDocument {
  readonly title: string;
  readonly path: string;
  readonly fileName: string;
}

interface DocumentViewerProps {
  readonly document: OpenedDocument | undefined;
  readonly onClose: () => void;
}

/** A document over the page. It is fetched with the session and shown from memory; nothing of it has an address. */
export const DocumentViewer = ({ document, onClose }: DocumentViewerProps) => (
  <Modal opened={document !== undefined} onClose={onClose} title={document?.title} size="xl" padding="sm">
    {document && <DocumentFrame document={document} />}
  </Modal>
);

function DocumentFrame({ document }: { readonly document: OpenedDocument }) {
  const file = useQuery({
    queryKey: ['document', document.path],
    queryFn: () => fetchFile(document.path),
    // Documents of patients are not kept after they were closed.
    gcTime: 0,
  });
  const url = useObjectUrl(file.data);
  return (
    <Loaded query={file} lines={12}>
      {(blob) => (
        <>
          <Group justify="flex-end" mb="xs">
            {url !== undefined && (
              <Button
                component="a"
                href={url}
                download={document.fileName}
                size="xs"
                variant="default"
                leftSection={<IconDownload size={14} />}
              >
                Download
              </Button>
            )}
          </Group>
          {url !== undefined && <Preview blob={blob} url={url} title={document.title} />}
        </>
      )}
    </Loaded>
  );
}

function Preview({
  blob,
  url,
  title,
}: {
  readonly blob: Blob;
  readonly url: string;
  readonly title: string;
}) {
  if (blob.type.startsWith('image/')) return <img src={url} alt={title} style={{ maxWidth: '100%' }} />;
  if (blob.type === 'application/pdf' && navigator.pdfViewerEnabled)
    return <iframe src={url} title={title} style={{ width: '100%', height: '72vh', border: 0 }} />;
  return <Text size="sm">This browser cannot show the file here. Download it instead.</Text>;
}

/** The address of a blob while the component is there. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return undefined;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
