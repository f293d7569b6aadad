import type { Element } from './marks.ts';

type Pen = PDFKit.PDFDocument;
type Node = ReturnType<Pen['struct']>;

/** The tree of elements that a document is read by, while its pages are drawn. */
export interface Tags {
  /** What is drawn from here on is part of this element, or decoration. */
  begin(element: Element | undefined): void;
  end(): void;
  /** After the last page. */
  close(): void;
}

/** Elements stand in the tree in the order in which they are first drawn. */
export function openTags(pen: Pen): Tags {
  const root = pen.struct('Document');
  pen.addStructure(root);
  const nodes = new Map<Element, Node>();
  const nodeOf = (element: Element): Node => {
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
