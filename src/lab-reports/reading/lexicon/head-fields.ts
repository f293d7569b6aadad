import { bare, phrases } from '../plain.ts';

/** What the head of a report says about. */
export type HeadField =
  | 'fullName'
  | 'firstName'
  | 'lastName'
  | 'dob'
  | 'age'
  | 'sex'
  | 'ageSex'
  | 'collected'
  | 'reported'
  | 'specimen'
  | 'lab'
  | 'other';

const LABELS: Readonly<Record<HeadField, string>> = {
  fullName: `name, patient name, patient, patient s name, name of patient, full name, pt name, client name, patient information, patient details, paciente, nombre del paciente, nombre y apellidos, nombre paciente, apellidos y nombre, nombre completo, nom du patient, nom prenom, nom et prenom, identite, nom prenoms, name vorname, name des patienten, patientenname, patient in, nachname vorname, paziente, nome e cognome, cognome e nome, assistito, nome do paciente, nome completo, cliente, sig, resultats de, nome paciente, nombre apellidos`,
  firstName: `first name, forename, forenames, given name, given names, nombre, nombres, prenom, prenoms, vorname, nome`,
  lastName: `last name, surname, family name, apellido, apellidos, nom, nom de famille, nom usuel, nom de naissance, nachname, familienname, cognome, sobrenome`,
  dob: `dob, d o b, date of birth, birth date, birthdate, born, dob age, date birth, fecha de nacimiento, fecha nacimiento, f nacimiento, f nac, fec nac, fecha nac, nacimiento, f de nacimiento, nacido el, date de naissance, ne le, nee le, ne e le, naissance, date naiss, geburtsdatum, geb, geb datum, geb am, geboren, geboren am, geburtstag, gebdatum, data di nascita, data nascita, nato il, nata il, nato a il, nato a, data de nascimento, data nasc, data nascimento, dt nasc, dt nascimento, nascimento, nasc`,
  age: `age, age years, edad, alter, eta, idade`,
  sex: `sex, gender, sexo, genero, sexe, geschlecht, sesso, genere, sex assigned at birth, legal sex`,
  ageSex: `age sex, sex age, age gender, gender age, age and sex, edad sexo, sexo edad, idade sexo, dob age sex, sex dob, sesso eta, eta sesso, age sexe`,
  collected: `collected, date collected, collection date, collected on, collected at, sample collected, sample collected on, sample collected at, collection, collection time, collection date time, date of collection, date time collected, specimen collected, drawn, date drawn, draw date, sample drawn on, sample date, date of sample, collected date, sample collection date, collection date and time, date and time collected, date specimen collected, registered on, fecha de toma, fecha toma, toma de muestra, fecha de toma de muestra, fecha y hora de toma, fecha extraccion, fecha de extraccion, extraccion, fecha de recoleccion, recoleccion, fecha muestra, fecha de muestra, toma, fecha de la toma, preleve le, prelevement du, date de prelevement, date du prelevement, prelevement, prelevement le, preleve, entnahme, entnahmedatum, abnahme, abnahmedatum, abnahmezeit, entnahme am, abnahme am, probenentnahme, blutentnahme, entnommen am, entnahmezeit, data prelievo, data di prelievo, prelievo del, prelievo, prelevato il, data del prelievo, data da coleta, data coleta, coletado em, coleta, data de coleta, data hora da coleta, dt coleta, data hora coleta`,
  reported: `reported, date reported, report date, reported on, reported at, date of report, report date time, reported date, date time reported, final report date, report printed, report released, released, released on, result date, date of issue, issued, reporting date, report generated, report issued, approved on, authorised, authorised on, date and time reported, completed, fecha de informe, fecha informe, fecha de emision, fecha de reporte, fecha reporte, fecha resultado, fecha de resultado, fecha de validacion, fecha validacion, fecha entrega, fecha de liberacion, emitido, informe, fecha de impresion, edite le, date edition, date d edition, edition du, valide le, date de validation, compte rendu du, imprime le, edition, rendu le, befunddatum, berichtsdatum, ausgang, ausgangsdatum, befund vom, endbefund, endbefund vom, druckdatum, gedruckt am, erstellt am, befunddruck, freigabe, berichtet, ausgedruckt am, bericht vom, data referto, data di refertazione, data refertazione, referto del, refertato il, stampato il, data stampa, data del referto, data validazione, emesso il, data de emissao, emissao, emitido em, liberado em, data de liberacao, liberacao, data do resultado, data liberacao, data do laudo, impresso em, data emissao`,
  specimen: `specimen, specimen id, specimen no, specimen number, specimen nr, sample id, sample no, sample number, accession, accession no, accession number, accession id, acc, acc no, lab no, lab number, lab id, lab ref no, lab ref, requisition, requisition no, requisition number, req no, barcode, barcode no, sid, sample ref, order id, report no, report id, folio, no de muestra, n muestra, numero de muestra, muestra, n peticion, no peticion, peticion, numero de peticion, n de peticion, no de orden, orden, numero de orden, n orden, no orden, dossier n, n dossier, dossier, numero de dossier, n de dossier, n demande, n de demande, numero de demande, auftragsnr, auftragsnummer, auftrag, auftrags nr, auftrag nr, labornummer, labor nr, labornr, probennummer, proben nr, probennr, tagebuchnummer, tagesnummer, barcode nr, accettazione n, accettazione, n accettazione, numero accettazione, richiesta, richiesta n, n richiesta, numero richiesta, id campione, campione, codice a barre, protocolo, numero do protocolo, atendimento, n do atendimento, pedido, n do pedido, os, ordem de servico, amostra, codigo da amostra, id da amostra, requisicao, no protocolo, n peticion, nº peticion`,
  lab: `lab name, laboratory, laboratory name, performing laboratory, laboratorio, laboratoire, labor`,
  other: `account, account number, acct, mrn, patient id, patient no, nhs no, nhs number, chart, received, date received, received on, sample received, ref by, ref dr, ref doctor, referred by, ordering physician, ordering provider, physician, doctor, provider, md, dr, client, client information, specimen information, phone, tel, telephone, fax, fasting, report status, status, loc, location, hospital no, uhid, ward, address, printed, page, medico, medecin, prescripteur, arzt, einsender, eingang, probeneingang, eingangsdatum, convenio, direccion, telefono, recibido, fecha de recepcion, fecha recepcion, recu le, recepcion, data accettazione, data de entrada, recebido em, hora, heure, time, npi, id, passport no, versicherung, kostentrager, email, barkode, processed at, print date, n secu, ipp, origen, procedencia, diagnostico, diagnosis, n historia, historia, dni, nif, cpf, rg, crm, codice fiscale, medico richiedente, provenienza, unidade, posto, solicitante, reparto`,
};

const FIELDS = new Map<string, HeadField>();
for (const [field, list] of Object.entries(LABELS)) {
  for (const phrase of phrases(list))
    if (!FIELDS.has(bare(phrase))) FIELDS.set(bare(phrase), field as HeadField);
}

/** The longest label of the head that begins at this word. */
export function headFieldAt(
  words: readonly string[],
  start: number,
): { field: HeadField; count: number } | undefined {
  for (let count = Math.min(6, words.length - start); count > 0; count -= 1) {
    const some = words.slice(start, start + count);
    if (some.slice(0, -1).some((word) => word.endsWith(':'))) continue;
    const field = FIELDS.get(bare(some.join(' ').replaceAll(/n[º°]/giu, 'n ')));
    if (field) return { field, count };
  }
  return undefined;
}
