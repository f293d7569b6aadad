import { normalizeWords, parsePhrases } from '../text-normalization.ts';

/** The content of a column. */
export type ColumnRole = 'name' | 'value' | 'flag' | 'unit' | 'range' | 'previous' | 'method' | 'other';

const WORDS: Readonly<Record<ColumnRole, string>> = {
  name: `test, tests, test name, test names, name of test, tests requested, test description, test s, analyte, analytes, component, components, parameter, parameters, investigation, investigations, investigation s, observation, examination, assay, determination,
    description, procedure, measurement, marker, biomarker, biomarkers, study, test report, test procedure, laboratory test, lab test, determinacion, determinaciones, determinacao, prueba, pruebas, analisis, analito, examen, examenes, estudio, estudios, parametro, parametros, nombre de la prueba, prueba analisis,
    analyse, analysen, parametres, parametre, examens, examen s, dosage, analyses, bezeichnung, messgrosse, untersuchung, untersuchungen, analyt, laborparameter, laborwert, esame, esami, analisi, prova, prove, descrizione, prestazione, exame, exames, teste, ensaio, test analysis, test item, item, items, tests name, test code name, name, nom, laboratory parameter, test parameter, test parameters, investigation name, component name, libelle, descripcion, denominazione, denominacion, descricao, test name method, observations, condition, conditions, condition gene, disorder, disorders, gene, drug, drugs, drug class, drug name, substance, bepaling, bepalingen, allergen, allergens, pathogen, pathogens, target organism, nutrient, nutrients, hormone, hormones, metabolite, metabolites, element, elements, chromosome, chromosomes`,
  value: `result, results, result s, value, values, your value, your result, your results, current result, in range, out of range, out range, test result, test results, final result, observed value, observed values, obtained value, current result and flag, result and flag, result value, result flag, measured value, current, patient value, patient result, patient s value, result obtained, reported value, measurement result, finding, findings, current value, current results, latest result, latest, latest value, numeric result, abnormal, result abnormal, measured, measured result, resultaat, resultaten, uitslag, uitslagen, waarde, concentration found,
    resultado, resultados, valor, valor obtenido, valor hallado, resultado actual, resultado obtido, valor encontrado, valor obtido, valor actual, ergebnis, ergebnisse, messwert, wert, resultat, resultats, valeur, valeurs, valeur actuelle, resultats si, aktueller wert, aktuell, befund, akt wert, ihr wert, risultato, risultati, valore, esito, valore attuale, valores obtenidos, resultado paciente, wert ihr, dentro de rango, fuera de rango, dentro del rango, fuera del rango, en rango, dans les normes, hors normes, nel range, fuori range, dentro da faixa, fora da faixa, im bereich, ausserhalb, within range, outside range, outside reference range, abnormal results, normal results, estimated value, result in range, result out of range, observation value, screen, screening, screen result, screening result, initial result, initial screen, genotype, genotipo, genotyp, valor observado, resultado atual`,
  flag: `flag, flags, flag s, abn, abnormal flag, status, result status, h l, l h, indicator, interpretation, alert, ind, hinweis, bewertung, kennz, markierung, marca, alarma, alerta, bandera, estado, situacion, indicador, anom, anomalie, segnalazione, segnale, ampel, interpretacion, sign, rating, abn flag, hl, pathol, path, abnormality, evaluation, indicateur, indicazione, indicacao, ab, stato, kz, b w, evaluacion, valoracion, beurteilung, remark, remarks, phenotype, fenotipo, phanotyp`,
  unit: `unit, units, unit s, uom, units of measure, unit of measure, unit of measurement, unidad, unidades, einheit, einheiten, dimension, unite, unites, unita, unita di misura, u m, um, u d m, udm, unidade, un, mass einheit, masseinheit, unid, uds, ud, eh, si units, unita misura, unidad de medida, eenheid, eenheden`,
  range: `reference range, reference ranges, reference interval, reference intervals, reference, ref range, ref ranges, ref interval, ref int, ref, ref value, ref values, range, ranges, normal range, normal ranges, normal value, normal values, normal, normals, reference value, reference values, biological reference interval, biological reference intervals, bio ref interval, bio ref intervals, bio reference interval, bio ref range, biological ref interval, biological ref range, biological reference range, biological reference, reference limits, expected range, expected, expected result, expected values, expected value, ref limits, normal interval, standard range, desired range, optimal range, target range, biological interval, reference range units, ref range units, range units, reference range unit, limits, healthy range, standard value, standard values, usual range, typical range,
    valores de referencia, valor de referencia, valor referencia, valores referencia, valores normales, intervalo de referencia, rango de referencia, rango, rangos, rangos de referencia, intervalo biologico de referencia, intervalos de referencia, intervalo, v referencia, v ref, v de ref, v de referencia, vr, val ref, valores de ref, valor de ref, intervalos biologicos de referencia, referencia, referencias, limites de referencia, limite de referencia, rango normal, rango referencia, intervalo referencia, ref biologica, v r, intervalo biologico, valor de referencia unidad, valor normal, intervalo normal, rango estandar, valor estandar, intervalo estandar, valor esperado, valores esperados, rango esperado, rango habitual, faixa normal, faixa de referencia, faixa de normalidade,
    referenzbereich, referenzbereiche, referenz, referenzwert, referenzwerte, referenzintervall, normbereich, normalbereich, normalwert, normalwerte, normwert, normwerte, norm, ref bereich, refbereich, normwertbereich, zielbereich, referenz bereich, entscheidungsgrenze, sollwert, soll, normaler bereich, normaler wert, standardbereich, ublicher bereich,
    valeurs de reference, valeur de reference, valeurs usuelles, valeur usuelle, valeurs normales, normes, norme, intervalle de reference, intervalles de reference, references, val usuelles, val de reference, intervalle, valeurs de ref, limites, val ref, valeurs physiologiques, valeur normale, plage normale, plage de reference, intervalle normal,
    valori di riferimento, intervallo di riferimento, intervalli di riferimento, valori normali, val riferimento, riferimento, valori rif, range di riferimento, intervallo, intervallo riferimento, limiti di riferimento, v di riferimento, intervallo di rif, int di riferimento, valori riferimento, val di riferimento, rif, intervalli, valore di riferimento, valori di rif, limiti, v n, valori di riferimento unita, reference range and units, ref rng, reference rng, latest ref rng, latest ref rng units, latest reference range, latest reference range units, latest ref range, latest ref range units, ref rng units, rr, ref interv, bioreferenceinterval, bio ref int, ref waarden, ref waarde, referentiewaarden, referentiewaarde, referentiebereik, referentie interval, normaalwaarden, normaalwaarde, target, targets, goal, optimal zone, ideal range, valore normale, intervallo normale, range normale, normaal bereik`,
  previous: `previous, previous result, previous results, previous value, previous values, prior, prior result, prior results, last result, history, historical, previous result and date, previous date, date previous, prev result, prev results, prev, trend, past result, past results, last, last value, previous report, first prior, second prior,
    ant, prev, prec, vorw, vorbef, anterior, anteriores, resultado anterior, resultados anteriores, valor anterior, ultimo resultado, historico, antecedentes, vorwert, vorwerte, vorbefund, letzter wert, verlauf, vorherige, vorheriges ergebnis, vorergebnis, anteriorite, anteriorites, antecedent, resultat anterieur, resultats anterieurs, antérieur, valeurs anterieures, valeur anterieure, precedente, precedenti, risultato precedente, valore precedente, esito precedente, val prec, si value, conventional, resultats anterieurs le, evolution, evolucion, andamento, evolucao, result history, delta, change, vorig, vorige, vorig resultaat, vorige waarde, vorige uitslag`,
  method: `method, methods, methodology, methode, metodo, technique, tecnica, technik, methodik, verfahren, test method, metodologia, instrument, analyzer, analyser, equipo, analizador, machine, principle, automate, appareil, gerat, test methodology, method instrument, material, probe, probenmaterial, specimen, sample, sample type, muestra, amostra, campione, prelevement, echantillon, specimen type, probenart, spez, nature, type of sample, type of specimen, sample material, specimen material, sample source, specimen source, tipo de muestra, tipo muestra, clase de muestra, especimen, tipo de especimen, tipo de material, material biologico, tipo de amostra, tipo amostra, especime, materiale, materiale biologico, tipo campione, tipo di campione, tipo materiale, tipo di materiale, matrice, untersuchungsmaterial, probentyp, materialart, nature du prelevement, nature prelevement, nature de l echantillon, type d echantillon, type de prelevement`,
  other: `lab, site, performing lab, performed by, lab code, status date, date, code, loinc, no, sr no, s no, sno, sl no, sr, nr, n, tarif, points, accreditation, performing site, notes, note, comment, comments, date time, analysed, facility, kommentar, bemerkung, bemerkungen, commentaire, commentaires, observaciones, observacoes, comentarios, fecha, datum, data, tests code, position, graph, range graph, cpt, test code, chart, scale, visual, grafik, graphik, grafico, grafica, b, c, acc, akk, validated by, validation, lab id, id, stat, perf lab, coll date, fda, nabl, commento, firma, completed, result date, department, dept, collected, received, reported, verified, source, ln, charge, order no, cutoff, cut off, cutoffs, cutoff value, cut off value, screening cutoff, screen cutoff, initial cutoff, confirm cutoff, conf cutoff, confirmation cutoff, reporting limit, detection limit, prescribed, vs prescribed, cutoff level, lod, loq, risk, residual risk, confirm, confirmation, confirmed, confirmatory, probability, punto de corte, valor de corte, ponto de corte, seuil de positivite, valore soglia, cutoff wert, cut off wert, class, klasse, classe, clase`,
};

const ROLES = new Map<string, ColumnRole>();
for (const [role, list] of Object.entries(WORDS)) {
  for (const phrase of parsePhrases(list))
    if (!ROLES.has(normalizeWords(phrase))) ROLES.set(normalizeWords(phrase), role as ColumnRole);
}

/** The role of a column heading, ignoring brackets and punctuation; undefined for other text. */
export function matchColumnRole(text: string): ColumnRole | undefined {
  const phrase = normalizeWords(text);
  const known =
    ROLES.get(phrase) ??
    ROLES.get(phrase.replaceAll(/(?<=^| )(?:the|su|sus|ihr|ihre|votre|vos|patient)(?: |$)/g, '').trim());
  if (known) return known;
  // "Risk after test" explains a finding and is not one.
  if (/^risk (?:before|after|of|by|level|assessment|score)\b/.test(phrase)) return 'other';
  const [whole = '', inBrackets] = text.split(/[([/|]/);
  if (inBrackets !== undefined && normalizeWords(whole) !== '') return ROLES.get(normalizeWords(whole));
  return undefined;
}

const BOUNDS: Readonly<Record<'min' | 'max', ReadonlySet<string>>> = {
  min: new Set(
    parsePhrases(
      `low, bajo, baja, baixo, niedrig, bas, basso, min, minimum, lower, lower limit, low limit, lower bound, ref low, low ref, min ref, ref min, range low, range min, from, minimo, min value, inferior, limite inferior, lim inf, li, desde, untergrenze, untere grenze, von, unten, borne inf, borne inferieure, limite inferieure, inf, limite inf, limite inferiore, valor minimo, valeur min, lln`,
    ),
  ),
  max: new Set(
    parsePhrases(
      `high, alto, alta, hoch, haut, max, maximum, upper, upper limit, high limit, upper bound, ref high, high ref, max ref, ref max, range high, range max, to, maximo, max value, superior, limite superior, lim sup, ls, hasta, obergrenze, obere grenze, bis, oben, borne sup, borne superieure, limite superieure, sup, limite sup, limite superiore, massimo, valor maximo, valeur max, uln`,
    ),
  ),
};

/** The bound of a heading, if the two bounds of a range have separate columns. */
export function matchRangeBound(text: string): 'min' | 'max' | undefined {
  const phrase = normalizeWords(text);
  return BOUNDS.min.has(phrase) ? 'min' : BOUNDS.max.has(phrase) ? 'max' : undefined;
}

const LONGEST = 6;

/** How many words from `start` on are one heading, with its role. */
export function matchHeadingAt(
  words: readonly string[],
  start: number,
): { role: ColumnRole; count: number } | undefined {
  for (let count = Math.min(LONGEST, words.length - start); count > 0; count -= 1) {
    if (normalizeWords(words[start + count - 1] ?? '') === '') continue;
    const role = ROLES.get(normalizeWords(words.slice(start, start + count).join(' ')));
    if (role) return { role, count };
  }
  return undefined;
}
