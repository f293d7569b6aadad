import { normalizeWords, parsePhrases } from '../text-normalization.ts';
import { type HeaderDateKind, canBeginDateLabel, matchDateLabel } from './date-labels.ts';

/** The fields of the report header. */
export type HeaderField =
  | HeaderDateKind
  /** Explicitly the patient: "Patient name". */
  | 'fullName'
  /** Any person: "Name". */
  | 'name'
  | 'firstName'
  | 'lastName'
  | 'middleName'
  | 'birthName'
  | 'age'
  | 'sex'
  | 'specimen'
  | 'lab'
  /** Begins data of a physician, a sender or a payer. */
  | 'somebodyElse'
  | 'other';

interface HeaderFieldLabels {
  readonly field: HeaderField;
  /** The language of sex letters next to such a label; null for several. */
  readonly language: string | null;
  readonly labels: string;
}

// prettier-ignore
const TABLE: readonly HeaderFieldLabels[] = [
  { field: 'fullName', language: 'en', labels: 'patient name, patient, patient s name, name of patient, name of the patient, full name, pt name, pt, patient full name, patient information, patient details, patient data, patient demographics, patient info, patient detail, patient name id, re, regarding, subject, donor name, member name, member, resident name, test subject, patient name and address, patient name last first, patient name last first middle, name last first, name last first middle, name last first mi, patient last first, name surname given, name surname first name, patient surname given names, legal name, donor, results for, report for, test results for, lab results for, laboratory results for, laboratory report for, lab report for, test report for, results of, prepared for, sample of, specimen of, patient details name, patient name dob, patient name address, patients name, pat name, name patient' },
  { field: 'fullName', language: 'es', labels: 'paciente, nombre del paciente, nombre paciente, apellidos y nombre, apellidos y nombres, apellido y nombre, nombre y apellidos, nombre y apellido, nombres y apellidos, nombre completo, nombre apellidos, apellidos nombre, apellidos nombres, nombre del usuario, datos del paciente, nombres y apellidos del paciente, apellidos y nombres del paciente, nombre y apellidos del paciente, apellidos y nombre del paciente, paciente nombre, informacion del paciente, beneficiario, afiliado, niño, niña, menor, recien nacido' },
  { field: 'fullName', language: 'fr', labels: 'nom du patient, nom prenom, nom et prenom, nom prenoms, nom et prenoms, nom prenom du patient, nom et prenom du patient, identite, identite du patient, patient e, resultats de, examens de, concerne, concernant, nom de la patiente, patiente, analyses de, dossier de, bilan de, usager, usagere, nom de l usager, beneficiaire, nom usuel prenom, nom complet' },
  { field: 'fullName', language: 'de', labels: 'name vorname, name des patienten, patientenname, patient in, patientin, nachname vorname, pat, betrifft, betr, befund fur, patientendaten, patientenangaben, name patient, vorname name, vor und nachname, familienname vorname, zuname vorname, vor und zuname, patient patientin, versicherter, name vorname des versicherten, name vorname des patienten, patientenname vorname, patient name, laborbefund fur, ergebnisse fur, angaben zum patienten, klient, klientin' },
  { field: 'fullName', language: 'it', labels: 'paziente, nome e cognome, cognome e nome, cognome nome, nome cognome, assistito, sig, sig ra, sigra, sig sig ra, egr sig, gent sig ra, gentile sig ra, gent le sig, intestatario, nominativo, nome paziente, nome del paziente, cognome e nome del paziente, dati paziente, dati del paziente, utente' },
  { field: 'fullName', language: 'pt', labels: 'nome do paciente, nome paciente, nome completo, nome do utente, utente, nome do cliente, nome utente, sr a, sr, sra, dados do paciente, beneficiario' },
  { field: 'fullName', language: 'nl', labels: 'naam patient, patientnaam, naam patiënt, patientgegevens, betreft' },
  { field: 'fullName', language: 'sv', labels: 'pasient, patientens namn, patientnamn, pasientnavn, patientnavn' },
  { field: 'fullName', language: 'pl', labels: 'pacjent, imie i nazwisko, nazwisko i imie, nazwisko imie, imię i nazwisko, nazwisko i imię, pacjentka, dane pacjenta' },
  { field: 'fullName', language: 'tr', labels: 'hasta adı, hasta adi, adı soyadı, adi soyadi, hasta adi soyadi, hasta adı soyadı, hasta' },
  { field: 'fullName', language: 'cs', labels: 'pacient, jmeno, jmeno a prijmeni, prijmeni a jmeno, jmeno pacienta' },
  { field: 'fullName', language: 'ro', labels: 'nume pacient, nume si prenume, nume prenume, nume prenume pacient, numele pacientului' },

  { field: 'name', language: null, labels: 'name, client name, cliente, nome, nombre, naam, navn, namn, customer name, nume' },
  { field: 'firstName', language: null, labels: 'first name, forename, forenames, forename s, given name, given names, given name s, first names, patient first name, nombres, nombre s, prenom, prenoms, prenom s, prenom du patient, prenom utilise, premier prenom, prenom de naissance, vorname, vornamen, rufname, voornaam, voornamen, förnamn, fornamn, fornavn, imie, imię, prenume, etunimi, ad, adı' },
  { field: 'lastName', language: null, labels: 'last name, surname, family name, patient last name, apellido, apellidos, primer apellido, apellido s, nom, nom de famille, nom usuel, nom d usage, nom utilise, nom marital, nom d epouse, nachname, familienname, zuname, cognome, sobrenome, apelido, achternaam, efternamn, etternavn, efternavn, nazwisko, prijmeni, soyadı, soyadi, sukunimi' },
  { field: 'middleName', language: null, labels: 'middle name, middle initial, mi, segundo apellido, 2 apellido, middle names' },
  { field: 'birthName', language: null, labels: 'nom de naissance, nom de jeune fille, geburtsname, birth name, maiden name, nom naissance, previous name, former name, alias, preferred name, also known as, apellido de soltera, meisjesnaam' },
  { field: 'dob', language: null, labels: 'd o b, d b, ddn, d d n, geb datum, d n, dn, d nascimento, d nasc, d nac, d nacimiento, d naissance' },

  { field: 'printed', language: 'en', labels: 'last updated, last update, last modified' },
  { field: 'age', language: null, labels: 'age, age years, age at collection, age at draw, patient age, age yrs, edad, edad años, edad anos, alter, eta, idade, leeftijd, alder, ålder, wiek, yas, yaş, varsta, vek, age y m d, lebensalter, age on collection' },
  { field: 'sex', language: null, labels: 'sex, gender, sex assigned at birth, legal sex, sex at birth, birth sex, patient sex, patient gender, administrative sex, sx, biological sex, gender at birth, gend' },
  { field: 'sex', language: 'es', labels: 'sexo, genero, sexo biologico, sexo del paciente' },
  { field: 'sex', language: 'fr', labels: 'sexe, genre' },
  { field: 'sex', language: 'de', labels: 'geschlecht, geschl, geschl ' },
  { field: 'sex', language: 'it', labels: 'sesso, genere' },
  { field: 'sex', language: 'nl', labels: 'geslacht' },
  { field: 'sex', language: 'sv', labels: 'kön, kon, kjønn, køn' },
  { field: 'sex', language: 'pl', labels: 'plec, płeć, płec' },
  { field: 'sex', language: 'cs', labels: 'pohlavi' },
  { field: 'sex', language: 'tr', labels: 'cinsiyet, cinsiyeti' },

  { field: 'specimen', language: null, labels: 'specimen, specimen id, specimen no, specimen number, specimen nr, sample id, sample no, sample number, accession, accession no, accession number, accession id, acc, acc no, lab no, lab number, lab id, lab ref no, lab ref, requisition, requisition no, requisition number, req no, barcode, barcode no, sid, sample ref, order id, report no, report id, folio, no de muestra, n muestra, numero de muestra, muestra, n peticion, no peticion, peticion, numero de peticion, n de peticion, no de orden, orden, numero de orden, n orden, no orden, dossier n, n dossier, dossier, numero de dossier, n de dossier, n demande, n de demande, numero de demande, auftragsnr, auftragsnummer, auftrag, auftrags nr, auftrag nr, labornummer, labor nr, labornr, probennummer, proben nr, probennr, tagebuchnummer, tagesnummer, tagesnr, tgb nr, barcode nr, accettazione n, accettazione, n accettazione, numero accettazione, richiesta, richiesta n, n richiesta, numero richiesta, id campione, campione, codice a barre, protocolo, numero do protocolo, atendimento, n do atendimento, pedido, n do pedido, os, ordem de servico, amostra, codigo da amostra, id da amostra, requisicao, no protocolo, case, case no, order no, order number, n de analisis, no de analisis' },
  { field: 'lab', language: null, labels: 'lab name, laboratory, laboratory name, performing laboratory, laboratorio, laboratoire, labor, performing lab, performing location, performing facility, performing site, testing laboratory, performed at, performed by, tests performed at, testing performed at, test performed at, reporting laboratory, resulting lab, resulting agency, resulting laboratory, lab, executing laboratory, issuing laboratory, analysed at, analyzed at, name of laboratory, laboratorio ejecutor, laboratorio esecutore, laboratoire executant, ausfuhrendes labor, durchfuhrendes labor, facility' },

  { field: 'somebodyElse', language: 'en', labels: 'ref by, ref dr, ref doctor, referred by, refd by, ref, referring physician, referring doctor, referring provider, referrer, referral, ordering physician, ordering provider, ordering doctor, ordering, ordered by, requested by, requesting physician, requesting doctor, requester, requestor, requesting clinician, physician, physician name, doctor, doctor name, doctor s name, provider, provider name, attending, attending physician, attending doctor, attend dr, consultant, clinician, gp, usual gp, general practitioner, practitioner, primary care provider, pcp, authorizing provider, dr, client, client information, client info, client details, ordering client, account, account name, copy to, copies to, cc, report to, sent to, send to, physician information, provider information, ordering physician information, lab director, laboratory director, medical director, director, pathologist, consultant pathologist, technician, technologist, signed by, verified by, validated by, authorised by, authorized by, approved by, reviewed by, checked by, reported by, entered by, collected by, drawn by, phlebotomist, collector, processed at, practice, clinic, surgery, hospital, ward, insurance, insurance company, payer, payor, guarantor, subscriber, policy holder, next of kin, mother s name, mother, father s name, father, guardian, spouse, husband, contact, emergency contact, medical officer, care of, responsible, employer, company, organisation, organization, requesting location, source, interpreted by, printed by, performing physician, referring clinician, clinician name, medical practitioner, referring, facility name' },
  { field: 'somebodyElse', language: 'es', labels: 'medico, medico solicitante, medico tratante, medico remitente, doctor, doctora, dr a, dra, facultativo, solicitante, solicitado por, solicita, remitente, medico que solicita, profesional, profesional solicitante, responsable, director tecnico, direccion tecnica, bioquimico, quimico, quimico responsable, validado por, firmado por, convenio, empresa, aseguradora, entidad, obra social, cobertura, eps, procedencia, origen, destino, centro, centro solicitante, centro de extraccion, servicio, servicio solicitante, hospital, clinica, bacteriologo, bacteriologa, medico prescriptor, madre, padre, tutor, acompanante, realizado por, revisado por, tipo de cliente, cliente, institucion, unidad, sede, medico peticionario, peticionario' },
  { field: 'somebodyElse', language: 'fr', labels: 'medecin, medecin prescripteur, medecin traitant, prescripteur, prescrit par, docteur, demandeur, correspondant, valide par, biologiste, biologiste responsable, biologistes, biologiste medical, preleveur, preleve par, copie, copie a, copies a, destinataire, destinataires, service, etablissement, mutuelle, assure, service demandeur, unite, clinique, hopital, medecin destinataire, requerant, medecin requerant, medecin demandeur, transmis a, signe par, infirmier, infirmiere, realise par, preleveur' },
  { field: 'somebodyElse', language: 'de', labels: 'arzt, arztin, arzt in, einsender, einsenderin, auftraggeber, auftraggeberin, zuweiser, zuweisender arzt, zuweisende arztin, uberweiser, uberweisender arzt, uberweisende praxis, hausarzt, hausarztin, behandelnder arzt, verordnender arzt, anfordernder arzt, anforderer, anfordernde stelle, praxis, klinik, station, kopie an, kopie, befundempfanger, empfanger, versicherung, krankenkasse, krankenversicherung, kasse, kostentrager, garant, validiert durch, validiert von, freigegeben von, freigegeben durch, visiert, visum, leitung, laborleitung, arztliche leitung, befunder, befundet von, medizinisch validiert, technisch validiert, abnehmer, mandant, versicherer, rechnung an, rechnungsempfanger, debitor, behandelnde arztin, behandler, verantwortlich, verordner, auftraggebender arzt, zuweisung' },
  { field: 'somebodyElse', language: 'it', labels: 'medico, medico richiedente, medico curante, medico prescrittore, prescrittore, richiedente, inviante, medico inviante, provenienza, reparto, reparto richiedente, direttore, direttore responsabile, responsabile, dirigente, firmato da, validato da, refertato da, ente, convenzione, dott, dottore, dottoressa, dr, punto prelievo, centro prelievi, medico refertante, struttura, ospedale' },
  { field: 'somebodyElse', language: 'pt', labels: 'medico, medico solicitante, medica, solicitante, requisitante, medico requisitante, dr a, convenio, unidade, posto, posto de coleta, responsavel, responsavel tecnico, liberado por, assinado por, conferido por, hospital, clinica, procedencia, origem, entidade, subsistema, mae, nome da mae, pai, filiacao, seguradora, prescritor, medico prescritor, empresa, bioquimico, biomedico, plano, local de coleta, indicacao, proveniencia' },
  { field: 'somebodyElse', language: null, labels: 'aanvrager, huisarts, arts, behandelend arts, aanvragend arts, verzekering, lakare, läkare, remittent, bestallare, beställare, rekvirent, lege, lekarz, lekarz kierujacy, lekarz kierujący, lekarz zlecajacy, zleceniodawca, oddzial, doktor, istem yapan doktor, isteyen doktor, medic, medic trimitator, lekar, zadatel' },

  { field: 'other', language: null, labels: 'account number, acct, acct no, mrn, mr no, patient id, patient no, patient number, patient id no, pid, id no, id number, nhs no, nhs number, chart, chart no, chart number, client id, client no, client number, phone, tel, telephone, phone number, tel no, mobile, fax, fax no, fasting, fasting status, report status, status, sample status, loc, location, hospital no, hospital number, hospital id, uhid, uhid no, address, patient address, page, page no, npi, id, passport no, passport, nric, ic no, emirates id, aadhaar, nationality, race, ethnicity, language, weight, height, bmi, email, e mail, barkode, sample type, specimen type, type of sample, test, tests, test name, tests ordered, ordered items, ordered tests, panel, time, date, priority, urgency, clinical information, clinical details, clinical history, diagnosis, icd, comment, comments, note, notes, remarks, history, medicare no, medicare number, health no, health number, phn, health card, health card no, hcn, ssn, visit, visit no, visit id, encounter, encounter no, fin, csn, episode, episode no, bed, bed no, room, ipd no, opd no, op no, ip no, ip op no, op ip no, ipd opd no, opd ipd no, reg no, registration no, regn no, bill no, invoice no, vid, crno, version, ref no, reference no, our ref, your ref, control id, control number, order type, state, city, zip, country, place of birth, birthplace, marital status, blood group, dept, department, specialty, collection site, collection location, sample collected at, sample drawn from, collection centre, collection center, centre, center, branch, site, file no, file number, civil id, iqama, national id, medical record, medical record number, medical record no, unit no, unit number, hkid, cnp, sample source, specimen source, specimen information, sample information, report information, order information, specimen details, order details, sample details, referral no, license, clia, clia no, clia id' },
  { field: 'other', language: 'es', labels: 'direccion, telefono, correo, correo electronico, fecha, hora, historia, n historia, historia clinica, n historia clinica, no historia, nhc, n hc, hc, cip, sip, nuhsa, dni, nif, nie, cedula, rut, run, curp, rfc, documento, n documento, identificacion, tipo de identificacion, documento de identidad, di, cc, diagnostico, estado, estado civil, ciudad, pagina, pag, expediente, n expediente, no expediente, tipo de muestra, habitacion, cama, n seguridad social, nss, n afiliado, n colegiado, colegiado, sala, turno, codigo, codigo paciente, id paciente, lugar de nacimiento, nacionalidad, observaciones, prioridad, prevision, numero de historia, numero de afiliado' },
  { field: 'other', language: 'fr', labels: 'adresse, n secu, n secu sociale, n securite sociale, nir, ins, ipp, n ipp, iep, n patient, numero patient, numero de patient, reference, ref dossier, ville, code postal, heure, page, lieu de naissance, commune de naissance, nature du prelevement, lieu de prelevement, n ss, n inss, niss, registre national, mode de transmission, nam, n assurance maladie, ramq, n d ordre, n fse, urgence, renseignements cliniques, telephone, mail, n national, n identification, chambre, lit, uf' },
  { field: 'other', language: 'de', labels: 'telefon, adresse, anschrift, strasse, plz, ort, wohnort, datum, zeit, uhrzeit, patientennr, patientennummer, patienten nr, patienten id, pat nr, pat id, patnr, patientid, fallnummer, fallnr, fall nr, fall id, fallzahl, ahv nr, ahv, ahv nummer, sv nr, sv nummer, svnr, sozialversicherungsnummer, versichertennummer, versichertennr, versicherten nr, versnr, vers nr, zimmer, seite, geburtsort, geburtsland, diagnose, material, probenmaterial, befundstatus, befundart, befundtyp, klinische angaben, auftragsart, abrechnung, abrechnungsart, kassenart, bemerkung, bemerkungen, mobil, telefax, externe nr, externe id, ext nr, ext id, ihre nr, ihr zeichen, unser zeichen, kundennummer, kundennr, kunde, zsr nr, gln, fallart, pid nr, personalnummer, aufnahmenummer, zyklustag' },
  { field: 'other', language: 'it', labels: 'codice fiscale, cod fiscale, c f, cf, codice paziente, codice, cod paziente, indirizzo, telefono, tel, residenza, residente a, residente in, comune di nascita, luogo di nascita, data, ora, n ssn, tessera sanitaria, pratica, n pratica, id paziente, numero, letto, esenzione, domicilio, tipo campione, nosologico, asl, regime, nazionalita, stato' },
  { field: 'other', language: 'pt', labels: 'endereco, telefone, rg, cpf, crm, cns, prontuario, codigo, codigo do paciente, n utente, no utente, numero de utente, n sns, sns, n beneficiario, matricula, leito, quarto, cidade, bairro, data, hora, pagina, material, metodo, plano de saude, guia, carteirinha, via, nif, nic, id utente, n processo, processo, naturalidade, nome social, registro, id paciente, n do paciente' },
  { field: 'other', language: null, labels: 'bsn, patientnummer, patientnr, patiëntnummer, adres, telefoon, datum, personnummer, personnr, cpr, cpr nr, fodselsnummer, fødselsnummer, pesel, adres pacjenta, rodne cislo, tc kimlik no, tc no, protokol no, dosya no, hasta no, kurum, servis, materiaal, material, materiał' },
];

/** A label of the report header: its fields and its number of words. */
export interface HeaderLabel {
  readonly fields: readonly HeaderField[];
  readonly count: number;
  readonly language: string | null;
  /** "Name, Vorname" implies that the family name is printed first. */
  readonly isFamilyFirst: boolean;
  /** "Report" is a date label only if a date follows. */
  readonly isWeak: boolean;
}

type HeaderLabelMeaning = Omit<HeaderLabel, 'count'>;

const PHRASES = new Map<string, HeaderLabelMeaning>();
const BEGINNINGS = new Set<string>();
for (const { field, language, labels } of TABLE) {
  for (const phrase of parsePhrases(labels).map(normalizeWords)) {
    if (!PHRASES.has(phrase))
      PHRASES.set(phrase, { fields: [field], language, isFamilyFirst: isFamilyFirst(phrase), isWeak: false });
    BEGINNINGS.add(phrase.split(' ')[0] ?? '');
  }
}

function isFamilyFirst(phrase: string): boolean {
  return /^(?:apellido|cognome|nom\b|name vorname|nachname|familienname|zuname|nazwisko|prijmeni|nume |versicherter|patientenname vorname)/.test(
    phrase,
  );
}

/** OCR loses blanks: "PatientName". */
for (const [phrase, meaning] of PHRASES) {
  const glued = phrase.replaceAll(' ', '');
  if (glued.length < 8 || PHRASES.has(glued)) continue;
  PHRASES.set(glued, meaning);
  BEGINNINGS.add(glued);
}

const MOST_WORDS = 7;
const meaningsByText = new Map<string, HeaderLabelMeaning | null>();

/** The longest header label that begins at this word. */
export function matchHeaderLabel(words: readonly string[], start: number): HeaderLabel | undefined {
  const first = normalizeWords((words[start] ?? '').replaceAll(NUMBER_SIGN, 'n '));
  const beginning = first.split(' ')[0] ?? '';
  if (!BEGINNINGS.has(beginning) && !canBeginDateLabel(beginning)) return undefined;
  if (words[start] === 'F' && words[start - 1]?.endsWith(':')) return undefined;
  for (let count = Math.min(MOST_WORDS, words.length - start); count > 0; count -= 1) {
    const some = words.slice(start, start + count);
    if (some.slice(0, -1).some((word) => word.endsWith(':'))) continue;
    const meaning = lookUpLabel(some.join(' '));
    if (meaning) return { ...meaning, count };
  }
  return undefined;
}

/** The first field of a header label at this word; the date of birth takes precedence. */
export function matchHeaderField(
  words: readonly string[],
  start: number,
): { field: HeaderField; count: number } | undefined {
  const label = matchHeaderLabel(words, start);
  const field = label?.fields.includes('dob') ? 'dob' : label?.fields[0];
  return label && field ? { field, count: label.count } : undefined;
}

/** People who request, sign or receive a report, in phrases that the table does not list. */
const OTHER_PERSON_LABEL =
  /^(?:requesting|referring|ordering|attending|consulting|submitting|authori[sz]ing|supervising|collecting|responsible|primary care|copy|cc|mother|father|guardian|spouse|husband|emergency|doctor|physician|hospital|clinic|lab|laboratory|test|panel|study|file|company|employer|insured|policy ?holder|subscriber|pharmacy|contact)s?(?: s)?(?: \p{L}{2,}){0,2} (?:names?|physicians?|doctors?|dr|providers?|consultants?|clinicians?|gps?|clinics?|hospitals?|facility|locations?|source|units?|to)$/u;
const OTHER_PERSON: HeaderLabelMeaning = {
  fields: ['somebodyElse'],
  language: 'en',
  isFamilyFirst: false,
  isWeak: false,
};
for (const word of parsePhrases(
  'requesting, referring, ordering, attending, consulting, submitting, authorizing, authorising, supervising, collecting, responsible, primary, mother, mothers, father, fathers, emergency, study, insured, policy, pharmacy',
))
  BEGINNINGS.add(word);

const NUMBER_SIGN = /n[º°]\.?/giu;
/** "DOB (dd/mm/yyyy)", "Collected (D/M/Y)", "Collected (day/month/year)" and "Collected DD/MM:" */
const FORMAT =
  /\s*[([](?:[dmyjtag]{1,4}[./ -]){2}[dmyjtag]{1,4}[)\]]|\s*[([](?:dd[./-]mm|mm[./-]dd)[)\]]|\s*[([]?(?:day[./-]month|month[./-]day)(?:[./-]year)?[)\]]?|\s(?:[djtg]{2}[./-]mm|mm[./-]dd)(?:[./-][yja]{2,4})?(?=:|$)/iu;
/** Separators between the fields of one label: "DOB/Age/Sex". */
const BETWEEN = /\s*[/|&,+]\s*|\s+(?:and|y|et|und|e|en|och|og|i|a|ve)\s+|\s+-\s+/iu;

function lookUpLabel(text: string): HeaderLabelMeaning | undefined {
  const known = meaningsByText.get(text);
  if (known !== undefined) return known ?? undefined;
  const label = text.replace(FORMAT, '');
  const meaning = lookUpWholeLabel(label) ?? lookUpCombinedLabel(label);
  if (meaningsByText.size > 4_000) meaningsByText.clear();
  meaningsByText.set(text, meaning ?? null);
  return meaning;
}

function lookUpWholeLabel(text: string): HeaderLabelMeaning | undefined {
  const label = normalizeWords(text.replaceAll(NUMBER_SIGN, 'n '));
  const known = PHRASES.get(label);
  if (known) return known;
  if (OTHER_PERSON_LABEL.test(label)) return OTHER_PERSON;
  const told = matchDateLabel(label);
  return (
    told && { fields: [told.dateKind], language: told.language, isFamilyFirst: false, isWeak: told.isWeak }
  );
}

/** "Date of birth / sex" has two fields in one label, "Name, age, sex" three. */
function lookUpCombinedLabel(text: string): HeaderLabelMeaning | undefined {
  const parts = text.replace(/^\W+|[\s:.()#]+$/gu, '').split(BETWEEN);
  if (parts.length < 2) return undefined;
  const meanings = parts.map(lookUpWholeLabel);
  if (meanings.some((meaning) => meaning === undefined)) return undefined;
  return {
    fields: meanings.flatMap((meaning) => meaning?.fields ?? []),
    language: meanings.find((meaning) => meaning?.language)?.language ?? null,
    isFamilyFirst: meanings.some((meaning) => meaning?.isFamilyFirst === true),
    isWeak: meanings.some((meaning) => meaning?.isWeak === true),
  };
}
