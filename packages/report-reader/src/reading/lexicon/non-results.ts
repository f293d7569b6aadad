import { normalizeWords, parsePhrases } from '../text-normalization.ts';
import { hasAnalyteWord } from './analytes.ts';

const toWordSet = (list: string): ReadonlySet<string> => new Set(parsePhrases(list).map(normalizeWords));

/** Labels of the header and footer of a report: what follows them is not a result. */
const LABELS =
  toWordSet(`patient, patient name, patient information, patient details, patient data, specimen information, client information, sample information, report information, patient id, name, first name, last name, age, sex, gender, dob, date of birth, birth date, born, age sex, sex age, age gender, gender age, phone, tel, telephone, fax, mobile, email, e mail, address, account, account number, account no, acct, mrn, nhs number, nhs no, chart,
  specimen, specimen id, specimen no, sample id, sample no, sample number, accession, accession number, accession no, lab no, lab id, lab number, lab ref no, requisition, req no, order, order number, order no, order id, control id, ref by, ref no, referred by, ref doctor, ref dr, doctor, physician, ordering physician, provider, client, client no, client id, collected, collected on, collection date, date collected, received, received on, reported, reported on, report date, date reported, date, printed, print date, printed on, page, seite, pagina, pag, fasting, report status, status, registered, registered on, registration date, regn no, uhid, bill no, bill date, barcode, barcode no, barkode, visit, visit no, visit id, ward, bed, bed no, ward bed, clia, clia no, npi, copy to, location, loc, report no, report id, room, hospital, hospital no, hospital number, department, dept, facility, sample drawn, approved on, authorised on, authorized, released, validated, version, ipd no, opd no, sid, pid, vid, processed at, passport no, id, client code, batch, centre, center, branch, collected at, age years, ssn, height, weight, time, sample collected, sample received, dr, customer, zip, po box, suite, specimen number, control number, control no, patient last name, patient first, patient first name, patient middle, patient address, additional information, total volume, date entered, physician name, sponsor, sponsor name, spec, coll, recd, entered, subm dr, att dr, requisition number, insurance, route,
  paciente, nombre, apellidos, apellidos y nombres, nombres y apellidos, historia clinica, n historia clinica, medico solicitante, medico tratante, edad, sexo, genero, fecha, fecha de nacimiento, f nacimiento, fecha nacimiento, fec nac, nacimiento, telefono, direccion, medico, dr, dra, doctor, solicitante, muestra, n muestra, no muestra, folio, expediente, no de orden, orden, n de peticion, peticion, n peticion, no peticion, historia, n historia, no historia, hora, fecha de toma, toma de muestra, fecha toma, fecha de registro, fecha extraccion, fecha de extraccion, fecha validacion, fecha de informe, fecha informe, fecha de emision, fecha recepcion, cedula, dni, nif, cip, procedencia, colegiado, convenio, registro,
  name vorname, vorname, geburtsdatum, geb, geb datum, geb am, geburtstag, geschlecht, alter, auftrag, auftragsnr, auftragsnummer, auftragsdatum, auftrags nr, labornummer, labor nr, labornr, entnahme, entnahmedatum, abnahme, abnahmedatum, abnahmezeit, eingang, eingangsdatum, probeneingang, ausgang, befunddatum, befund, druckdatum, arzt, einsender, kostentrager, tagebuchnummer, patientennr, patientennummer, patienten nr, ahv nr, telefon, station, fallnummer, fall nr, strasse, probe nr, probennummer, ausgangsdatum, validiert, berichtsdatum, datum, zeit, uhrzeit, versicherung, kasse,
  nom, prenom, ne le, nee le, date de naissance, age, sexe, medecin, prescripteur, prescrit par, prelevement, preleve le, prelevement du, dossier, dossier n, n dossier, numero de dossier, n de dossier, edite le, enregistre le, date de prelevement, recu le, telephone, valide par, edition, demande, ref, adresse, imprime le, valide le, resultats du, patient ne le, n de demande, n ipp, ipp, nir, reference, code postal, copie a, service, date, heure,
  patiënt, geboortedatum, geslacht, leeftijd, aanvrager, afname, afnamedatum, ontvangst, protocol, rijksregisternummer, insz,
  paziente, cognome, nome, data di nascita, data nascita, nato il, nata il, eta, medico, richiesta, n richiesta, accettazione, n accettazione, data accettazione, data prelievo, data referto, prelievo, referto, codice fiscale, cod fiscale, provenienza, data, stampato il, prelievo del, numero, id campione, campione, indirizzo, telefono, data di refertazione, accettato il, num richiesta, pratica,
  idade, data de nascimento, data nasc, nascimento, nasc, medico, solicitante, convenio, data da coleta, coleta, coletado em, data coleta, emissao, emitido em, data de emissao, liberado em, liberacao, protocolo, os, cadastro, rg, cpf, crm, posto, unidade, atendimento, pedido, entrada, data do cadastro, recebido em, data entrada, impresso em, codigo, prontuario, data de entrada, data de liberacao, unidade de coleta, ficha, responsavel, responsavel tecnico, cnes, assinatura, impressao, exame, horario`);

/** Grades in a legend of value ranges. */
const GRADES =
  toWordSet(`optimal, near optimal, above optimal, desirable, borderline, borderline high, high, very high, low, normal, abnormal, deficient, deficiency, insufficient, insufficiency, sufficient, sufficiency, toxic, toxicity, excess, ideal, acceptable, good, fair, poor, moderate, mild, severe, prediabetes, pre diabetes, diabetes, diabetic, non diabetic, nondiabetic, pre diabetic, good control, fair control, poor control, at risk, low risk, average risk, moderate risk, high risk, intermediate risk, very high risk, negative, positive, equivocal, adult, adults, child, children, newborn, newborns, neonate, infants, infant, male, female, males, females, men, women, pregnant, non pregnant, pregnancy, cord blood, follicular, luteal, ovulation, ovulatory, mid cycle, midcycle, postmenopausal, post menopausal, menopausal, prepubertal, first trimester, second trimester, third trimester, 1st trimester, 2nd trimester, 3rd trimester, stage 1, stage 2, stage 3, stage 4, stage 5, stage, stage 3a, stage 3b, goal, target, therapeutic, critical, upto, grade, kidney failure, remission, years, months, weeks, days, fasting, non fasting, smokers, non smokers, normal range, reference range, increased, decreased, mildly decreased, am, pm, class 0, class 1, class 2, class 3, class, interpretation, hypothyroid, hyperthyroid, euthyroid, impaired glucose tolerance, impaired fasting glucose, excellent, therapeutic range, method, note,
  optimo, deseable, limite, limite alto, alto, muy alto, bajo, deficiencia, insuficiencia, suficiencia, suficiente, hombres, mujeres, hombre, mujer, adultos, ninos, varones, masculino, femenino, embarazadas, fase folicular, fase lutea, folicular, lutea, ovulacion, posmenopausia, postmenopausia, menopausia, riesgo bajo, riesgo moderado, riesgo alto, riesgo, diabetico, toxicidad, riesgo medio, bajo riesgo, alto riesgo, recien nacidos,
  optimal, erwunscht, grenzwertig, hoch, niedrig, mangel, unterversorgung, schwerer mangel, ausreichend, manner, frauen, kinder, erwachsene, follikelphase, lutealphase, ovulation, postmenopause, schwangerschaft, zielwert, zielwerte, risiko, geringes risiko, hohes risiko, normalversorgung, suboptimal, toxisch, mannlich, weiblich,
  souhaitable, limite, eleve, carence, insuffisance, hommes, femmes, homme, femme, enfants, adultes, phase folliculaire, phase luteale, menopause, recommande, risque faible, risque eleve, risque modere, risque, objectif, taux recommande, valeurs,
  ottimale, desiderabile, limite, alto, basso, carenza, insufficienza, sufficienza, uomini, donne, bambini, adulti, maschi, femmine, fase follicolare, fase luteinica, menopausa, rischio basso, rischio moderato, rischio alto, rischio, tossicita, uomo, donna,
  desejavel, limitrofe, alto, muito alto, baixo, otimo, deficiente, homens, mulheres, criancas, fase folicular, fase lutea, menopausa, gestantes, risco, risco baixo, risco intermediario, risco alto, risco muito alto, com jejum, sem jejum, com jejum de 12 horas, baixo risco, normais, masculino, feminino, meses, anos, populacao geral, grupos de risco, pre diabetes, hiperglicemia, normal para, ideal`);

/** Function words of sentences. */
const SENTENCE =
  toWordSet(`the, of, is, are, was, were, be, been, has, have, this, that, these, those, which, should, may, can, with, for, from, by, in, on, at, to, and, or, not, if, when, than, as, it, its, your, you, who, more, less, between, patients, patient, recommended, result, results, values, value, based, according, used, using, use, please, been, will, only, during, test, performed, determined, approved, such, also, any, all, other, must, interpreted, their, there, used, most, both, after, before, each, per, does, do, these,
  el, la, los, las, del, de, que, es, son, con, por, para, una, un, se, no, como, su, en, al, este, esta, o, y, debe, pueden, segun, valores, pacientes, der, die, das, und, ist, sind, mit, fur, bei, von, im, werden, wird, nicht, ein, eine, des, den, dem, zu, auf, sich, oder, nach, bitte, durch, le, les, des, et, est, sont, avec, pour, par, une, dans, sur, au, aux, ou, ne, pas, cette, selon, il, lo, gli, e, sono, con, per, di, nel, nella, della, dei, che, si, non, come, da, do, dos, das, em, os, as, um, uma, com, nao, sao, pelo, pela, no, na, ser, deve, ao`);

/** Generic result names; the heading above gives the actual name. */
const GENERIC = toWordSet(
  `result, results, resultado, ergebnis, resultat, risultato, esito, value, valor, wert, valeur, valore, your result, your value, current result, current value, resultados, patient value, valor encontrado, valor obtenido, test result, final result, measured value, observed value, today, heute, oggi, hoy, hoje, aujourd hui`,
);

/** "Date of birth / sex" has two fields in one label. */
export const isHeaderLabel = (text: string): boolean =>
  LABELS.has(normalizeWords(text)) ||
  (text.includes('/') && text.split('/').every((part) => LABELS.has(normalizeWords(part))));
export const isGenericName = (text: string): boolean => GENERIC.has(normalizeWords(text));

/** Whether a name is only a grade: "Borderline high", "Adults", "Stage 3". */
export function isGrade(text: string): boolean {
  const name = normalizeWords(text.replaceAll(/\([^)]*\)?/g, ' '));
  if (GRADES.has(name)) return true;
  const words = name.split(' ');
  return (
    words.length <= 4 &&
    words.some((word) => GRADES.has(word)) &&
    words.every(
      (word) =>
        GRADES.has(word) || /^\d+$/.test(word) || (SENTENCE.has(word) && word !== 'test') || TIMES.test(word),
    )
  );
}
const TIMES =
  /^(?:ranges?|zones?|zona|levels?|values?|risk|goals?|years?|yrs?|anos|anni|ans|jahre|months?|days?|weeks?|jejum|horas?)$/;

/** The share of function words, 0 to 1. */
export function measureSentenceShare(text: string): number {
  const words = normalizeWords(text)
    .split(' ')
    .filter((word) => /\p{L}/u.test(word));
  return words.length === 0 ? 0 : words.filter((word) => SENTENCE.has(word)).length / words.length;
}

/** The same for a possible name: "HIV 1 e 2 - antígeno e anticorpos" names two things and is not a sentence. */
export const measureNameSentenceShare = (text: string): number =>
  measureSentenceShare(hasAnalyteWord(text) ? text.replaceAll(/ (?:and|e|ed|y|et|und) /giu, ' ') : text);

/** Phrases about ranges in legends and comments, and words that continue a sentence. */
export const RANGE_PHRASE =
  /\b(?:reference (?:range|interval|limit)|intervalos? de refer|rangos? de refer|valor(?:es)? de refer|referenz(?:bereich|wert)|valeurs? de r[ée]f|(?:valori|intervallo) di rif|objectif (?:chez|pour|th[ée]r)|(?:target|goal)s? for\b|zielwerte?\b|objetivo (?:terap|en|para)|obiettivo (?:ter|per))|;$/iu;

/** "Glucose goal", "LDL-Zielwert", "Last dose": an amount that is wanted or given, and not measured. */
export const TARGET_PHRASE =
  /\b(?:target|goal|ziel\w*|objecti\w*|obiettiv\w*|objetiv\w*|meta|alvo|cut-?off|dose|dosis|limit)\b/iu;

/** "Previous result (02/08/2022): 1.01" */
export const EARLIER_RESULT_PHRASE =
  /^(?:(?:resultado|laudo|valor|exame|informe)s? anterior|(?:previous|prior|last) (?:result|value|report)|vor(?:wert|befund|ergebnis)|r[ée]sultats? ant[ée]rieur|(?:risultato|esito|referto|valore) precedente|ant[ée]riorit[ée])/iu;
