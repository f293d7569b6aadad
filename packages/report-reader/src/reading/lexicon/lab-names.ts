import { normalizeText } from '../text-normalization.ts';

/** Words for laboratories, in lower case without accents. */
export const LABORATORY_WORD =
  /\b(?:labs?|labo|lbm|laborator\w*|laboratoire\w*|labor|labore|labor\w*medizin|labor(?:gemeinschaft|praxis|zentrum|verbund)\w*|laboratoris|lakemed\w*|path(?:labs?|centre|center|care)|diagnost\w*|diagnos[it]\w*|patholog\w*|patolog\w*|biolog\w*|bioanalys\w*|analisis|analises|analisi|analyses medicales|genomics|genetics|assays?|imunolab|biomed\w*|bioquim\w*|lab\w*dienst|klinische chemie|zentrallabor|synlab|analytik)\b/;

/** Words for other institutions that print results: hospitals, practices, authorities, portals. */
export const INSTITUTION_WORD =
  /\b(?:hospital\w*|hopita\w*|hospices|clinic|clinics|clinica|clinique|clinicas|\w*klinikum|klinik\w*|kliniek|spital\w*|universitatsspital|krankenhaus|ziekenhuis|sykehus|sjukhus\w*|szpital|hastanesi|centre|center|centro|zentrum|ospedal\w*|azienda|asl|a\.s\.l|aou|ausl|asst|irccs|medical|medici?o?|medecine|mvz|health\w*|healthcare|salud|saude|sante|sanita\w*|gesundheit\w*|wellness|institut\w*|istituto|instituto|surgery|care|nhs|praxis\w*|gemeinschaftspraxis|hausarzt\w*|arzte\w*|arztpraxis|ordination|ambulatori\w*|poliambulatorio|polikliniek|polyclinic|policlinic\w*|cabinet|consultorio|chu|chru|ch|gmc|infirmary|trust|university|universit\w*|policlinico|fundacion|fundacao|fondazione|santa casa)\b/;

/** Legal forms, which only names have. */
export const LEGAL_FORM =
  /(?:^|\s)(?:gmbh|ag|kg|mbh|ohg|og|sa|s\.\s?a\.(?:\s?s\.)?|sas|s\.a\.s\.|s\.?l\.?(?:u\.?|p\.?)?|s\.?r\.?l\.?|s\.?p\.?a\.?|srl|ltda\.?|lda\.?|llc|inc\.?|incorporated|ltd\.?|limited|pvt\.?|plc|llp|corp\.?|corporation|selas|selarl|scm|scp|bv|b\.v\.|nv|vzw|asbl|ab|oy|a\/s|s\.a\. de c\.v\.|eireli|partg|partgmbb|gbr|e\.?k\.?|pty)(?:$|[\s,.)])/i;

/** Words of headings, titles and address lines, which no name has. */
export const HEADING_WORD =
  /\b(?:reports?|results?|befund\w*|laborbefund\w*|laborbericht\w*|laborblatt|laborwerte|referto|referti|laudos?|informes?|resultados?|resultats?|risultati|ergebnis\w*|bericht|rapport|uitslag\w*|director|panel|page|pagina|seite|status|patients?|paciente|paziente|compte rendu|accredit\w*|akkreditier\w*|accredite\w*|acreditad\w*|certif\w*|zertifiz\w*|phone|tel|telefon\w*|fax|collected|collection|comprehensive|blood count|performed|copyright|confidential\w*|vertraulich|summary|details|final|preliminary|duplicate|copy|kopie|valid\w*|requisition|order|formulaire|bulletin|hemogram\w*|urinalysis|haematology report|e-?mail|www|http|clia|iso|nabl|finess|siren|siret|rcs|cnes|cnpj|registered|licen[cs]e\w*|fda|powered by|printed|gedruckt|tests? performed|enter|view|download|messages|visits|reference (?:range|interval|value)s?|cbc|cmp|bmp|full blood|records?|mychart|your|my results?|dear|sehr geehrte\w*|chefarzt|leitung|direct(?:eur|or|ora|rice|ion)|responsable|facharzt|facharzte|arztliche|inhaber|opening hours|offnungszeiten|horario|sprechzeiten|welcome|my\w*chart|specimen|collect|chemistry|profile|profil|perfil|bilan|screen|cholesterol|lipid (?:panel|profile|studies))\b/;

/** Words that any laboratory may have in its name; a real name has another one, too. */
export const GENERIC_WORD =
  /^(?:the|of|and|[cou]|uoc|uos|uosd|for|y|e|et|und|fur|de|del|della|di|do|da|des|la|le|les|los|las|el|il|lab|labs|laborator\w*|laboratoire\w*|labor|labore|laboratorio|laboratorios|clinical|clinico|clinicos|clinica|clinicas|clinique|medical|medico|medica|medicale|medicales|medizinisches|medizinische|analisis|analises|analisi|analyses|analyse|biologie|biologia|medicine|medicina|diagnostic|diagnostics|diagnostik|diagnostico|pathology|pathologie|patologia|patologica|services?|servicio|servizio|service|servicos?|dept|dpto|department|departamento|departement|dipartimento|abteilung|institut|unit|unidad|unita|hospital|health|care|centre|center|centro|bioquimica?|bioquimicos|chimico|hematology|haematology|hematologia|biochemistry|chemistry|microbiology|immunology|biomedical|online|portal|patient|multi|multisites?|sites?|lbm|biologistes?|medicaux|selas|selarl|scm|scp|sas|gmbh|ltd|limited|inc|llc)$/;

/** Words that department names begin with. */
export const DEPARTMENT =
  /^(?:serv|dept|dpto|department|departament|dipartiment|abteilung|institut|unit|unidad|u\.\s?o\.|uoc\b|uosd?\b)/;

/** Text below a name that only states the kind of institution. */
export const INSTITUTION_KIND =
  /^(?:(?:reference|regional|clinical|medical|clinic[oa]s?) ?|and|of|de|y|laborator\w*|labs?|pathologists|pathology|diagnostics?|patholoog|patoloe|laboratoires?|laboratorios?|analisis|analises|analisi)$/;

/** Ministries and authorities, whose logo is printed above the laboratory. */
export const AUTHORITY =
  /\b(?:generalitat|conselleria|conselho|consejeria|gobierno|governo|gouvernement|government|ministry|ministerio|ministere|ministero|junta de|comunidad de|comunitat|xunta|regione|landesregierung|prefeitura|secretaria (?:de|da|municipal|estadual)|county government)\b|^(?:nhs|hse|sus|imss|issste|sns|ssn|ssr)$/;

/** "myPrairieHealth" is a patient portal, not the laboratory. */
export const PORTAL = /^(?:my|mein|mon|mi)(?=\p{Lu}\p{Ll}+\S*$)|\b(?:patient|health) portal\b/u;

/** Brands of laboratories that have no word for a laboratory, or print it apart. */
export const KNOWN_LABORATORY =
  /\b(?:labcorp|laboratory corporation|quest diagnostics|sonora quest|bioreference|arup|mayo clinic lab\w*|lifelabs|dynacare|synlab|eurofins|unilabs|cerballiance|cerba|biogroup|inovie|limbach|amedes|bioscientia|ladr|labor berlin|viollier|medisyn|sonic healthcare|laverty|dorevitch|douglass hanly moir|melbourne pathology|sullivan nicolaides|lal pathlabs|thyrocare|metropolis healthcare|srl diagnostics|suburban diagnostics|echevarne|megalab|fleury|hermes pardini|germano de sousa|chopo|lancet laboratories|ampath|pathcare|al borg|randox|medichecks|thriva)\b/;

/** Whether a text has a word for a laboratory. */
export const isLaboratory = (text: string): boolean => LABORATORY_WORD.test(normalizeText(text));

/** Whether a text has the brand of a well-known laboratory. */
export const isKnownLaboratory = (text: string): boolean => KNOWN_LABORATORY.test(normalizeText(text));

/** Whether a text contains a word or legal form for an institution. */
export const hasInstitutionWord = (text: string): boolean =>
  [LABORATORY_WORD, INSTITUTION_WORD, LEGAL_FORM].some((kind) => kind.test(normalizeText(text)));
