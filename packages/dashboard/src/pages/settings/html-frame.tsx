import { useEffect, useRef } from 'react';

interface HtmlFrameProps {
  readonly html: string;
  readonly title: string;
}

/**
 * Shows a document of the service in a frame in which no script runs. The frame has the policy of this page, which
 * refuses styles in the text of a document, also where it is only parsed; so they are set as objects, which it allows.
 */
export function HtmlFrame({ html, title }: HtmlFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const show = () => {
    const target = frame.current?.contentDocument;
    if (target) showDocument(target, html);
  };
  useEffect(show, [html]);
  return (
    <iframe
      ref={frame}
      title={title}
      // Some browsers replace the empty document once it has loaded.
      onLoad={show}
      sandbox="allow-same-origin"
      style={{
        width: '100%',
        height: '60vh',
        border: '1px solid #8885',
        borderRadius: 8,
        background: '#ffffff',
      }}
    />
  );
}

const SHEET = /<style\b[^>]*>([^<]*)<\/style>/gi;
const STYLE_ATTRIBUTE = /(<[a-z][^<>]*?\s)style="/gi;

function showDocument(target: Document, html: string): void {
  const sheet = [...html.matchAll(SHEET)].map(([, text]) => text).join('\n');
  // The parser itself applies the policy to styles, and reports each of them; so it must not see them as styles.
  const plain = html.replace(SHEET, '').replace(STYLE_ATTRIBUTE, '$1data-style="');
  const source = new DOMParser().parseFromString(plain, 'text/html');
  const styled = [source.body, ...source.body.querySelectorAll<HTMLElement>('[data-style]')];
  const styles = styled.map((element) => element.dataset['style'] ?? '');
  for (const element of source.querySelectorAll('script')) element.remove();
  target.body.replaceWith(target.adoptNode(source.body));
  target.documentElement.lang = source.documentElement.lang;
  styled.forEach((element, index) => (element.style.cssText = styles[index] ?? ''));
  const view = target.defaultView;
  if (!view) return;
  // The constructor of the frame: a style sheet belongs to the document that made it.
  const Sheet = (view as Window & typeof globalThis).CSSStyleSheet;
  const adopted = new Sheet();
  adopted.replaceSync(sheet);
  target.adoptedStyleSheets = [adopted];
}
