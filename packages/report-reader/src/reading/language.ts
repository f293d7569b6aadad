import { normalizeWords } from './text-normalization.ts';
import type { Language } from './report-model.ts';

const WORDS: Readonly<Record<Language, string>> = {
  en: 'the of and result results reference range test patient date name blood units collected reported specimen female male with for report laboratory serum count interval',
  es: 'el de los las y resultado resultados valores referencia paciente fecha nombre sangre unidades edad sexo muestra informe laboratorio del con hematies glucosa determinacion suero mujer hombre para',
  fr: 'le les des et resultats valeurs reference patient date nom sang unites ne prelevement compte rendu laboratoire du avec hematies biologie medecin usuelles homme femme sur serum',
  de: 'der die das und ergebnis einheit referenzbereich patient datum name blut geboren labor auftrag befund mit parameter leukozyten probe arzt eingang entnahme normbereich mannlich weiblich wert serum',
  it: 'il lo gli e esame esito risultato valori riferimento paziente data nome sangue unita nato referto laboratorio con prelievo emocromo siero medico della di maschio femmina',
  pt: 'o os as e resultado resultados valores referencia paciente data nome sangue unidade idade exame laboratorio com coleta material metodo soro medico da do para nao masculino feminino',
};

const LANGUAGES = Object.entries(WORDS).map(([language, list]) => ({
  language: language as Language,
  words: new Set(list.split(' ')),
}));

/** The language with the most characteristic words; null if too few are found. */
export function detectLanguage(texts: readonly string[]): Language | null {
  const words = texts.map(normalizeWords).filter((word) => word !== '');
  const scores = LANGUAGES.map(({ language, words: own }) => ({
    language,
    score: words.filter((word) => own.has(word)).length,
  })).toSorted((a, b) => b.score - a.score);
  const [best] = scores;
  return best && best.score >= 2 ? best.language : null;
}

/** Whether most letters belong to a supported alphabet; a text without letters counts as supported. */
export function isAlphabetSupported(texts: readonly string[]): boolean {
  const all = texts.join('');
  const letters = all.match(/\p{L}/gu)?.length ?? 0;
  const known = all.match(/\p{Script=Latin}|[μµαβγδκλωΩ]/gu)?.length ?? 0;
  return letters < 20 || known > letters * 0.5;
}
