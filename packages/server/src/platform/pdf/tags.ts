import type { StructureElement } from './marks.ts';

type TaggingPen = PDFKit.PDFDocument;
type StructureNode = ReturnType<TaggingPen['struct']>;

/** Builds the structure tree of a document while its pages are drawn. */
export interface StructureTags {
  /** Content drawn from now on belongs to this element, or is decoration. */
  begin(element: StructureElement | undefined): void;
  end(): void;
  /** After the last page. */
  close(): void;
}

/** Elements are added to the tree in the order in which they are first drawn. */
export function openTags(pen: TaggingPen): StructureTags {
  const root = pen.struct('Document');
  pen.addStructure(root);
  const nodes = new Map<StructureElement, StructureNode>();
  const nodeOf = (element: StructureElement): StructureNode => {
    const known = nodes.get(element);
    if (known) return known;
    const node = pen.struct(element.role, {
      ...(element.alt === undefined ? {} : { alt: element.alt }),
      ...(element.role === 'TH' ? { scope: 'Column' } : {}),
    });
    (element.within ? nodeOf(element.within) : root).add(node);
    nodes.set(element, node);
    return node;
  };
  return {
    begin: (element) => {
      if (element) nodeOf(element).add(pen.markStructureContent(element.role));
      else pen.markContent('Artifact', { type: 'Layout' });
    },
    end: () => void pen.endMarkedContent(),
    close: () => root.end(),
  };
}
