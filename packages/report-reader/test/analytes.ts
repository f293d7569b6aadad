/**
 * The analytes of generated reports. Columns: panel, key, names (en ; es ; fr ; de ; it ; pt), conventional unit and
 * range, SI unit and range, decimals of both. A range of one number is an upper limit, with > a lower limit. Q rows are
 * qualitative results: the usual word, and another word.
 */
// prettier-ignore
const ROWS = `
cbc|wbc|White Blood Cell Count ; Leucocitos ; Leucocytes ; Leukozyten ; Globuli bianchi (WBC) ; Leucócitos|10^3/µL|4.0-11.0|G/L|4.0-10.0|1
cbc|rbc|Red Blood Cells ; Hematíes ; Hématies ; Erythrozyten ; Globuli rossi (RBC) ; Hemácias|10^6/µL|4.20-5.80|T/L|4.20-5.80|2
cbc|hgb|Hemoglobin ; Hemoglobina ; Hémoglobine ; Hämoglobin ; Emoglobina ; Hemoglobina|g/dL|12.0-16.5|g/L|120-165|1/0
cbc|hct|Hematocrit (PCV) ; Hematocrito ; Hématocrite ; Hämatokrit ; Ematocrito ; Hematócrito|%|36.0-48.0|L/L|0.36-0.48|1/2
cbc|mcv|MCV ; V.C.M. ; V.G.M. ; MCV ; MCV ; VCM|fL|80.0-100.0|fL|80-100|1/0
cbc|mch|MCH ; H.C.M. ; T.C.M.H. ; MCH (HbE) ; MCH ; HCM|pg|27.0-33.0|pg|27-33|1
cbc|mchc|MCHC ; C.H.C.M. ; C.C.M.H. ; MCHC ; MCHC ; CHCM|g/dL|32.0-36.0|g/L|320-360|1/0
cbc|rdw|RDW-CV ; RDW ; I.D.R. ; RDW ; RDW ; RDW|%|11.5-14.5|%|11.5-14.5|1
cbc|plt|Platelet Count ; Plaquetas ; Plaquettes ; Thrombozyten ; Piastrine ; Plaquetas|10^3/µL|150-400|G/L|150-400|0
cbc|mpv|Mean Platelet Volume ; Volumen plaquetario medio ; Volume plaquettaire moyen ; Mittleres Thrombozytenvolumen ; Volume piastrinico medio ; Volume plaquetário médio|fL|7.5-11.5|fL|7.5-11.5|1
cbc|neu|Neutrophils ; Neutrófilos ; Polynucléaires neutrophiles ; Neutrophile Granulozyten ; Neutrofili ; Neutrófilos|%|40.0-74.0|%|40.0-74.0|1
cbc|lym|Lymphocytes ; Linfocitos ; Lymphocytes ; Lymphozyten ; Linfociti ; Linfócitos|%|19.0-48.0|%|19.0-48.0|1
cbc|mono|Monocytes ; Monocitos ; Monocytes ; Monozyten ; Monociti ; Monócitos|%|3.4-9.0|%|3.4-9.0|1
cbc|eos|Eosinophils ; Eosinófilos ; Polynucléaires éosinophiles ; Eosinophile ; Eosinofili ; Eosinófilos|%|0.0-7.0|%|0.0-7.0|1
cbc|baso|Basophils ; Basófilos ; Polynucléaires basophiles ; Basophile ; Basofili ; Basófilos|%|0.0-1.5|%|0.0-1.5|1
cbc|aneu|Neutrophils, Absolute ; Neutrófilos (valor absoluto) ; Neutrophiles absolus ; Neutrophile absolut ; Neutrofili (val. ass.) ; Neutrófilos absolutos|10^3/µL|1.80-7.70|G/L|1.80-7.70|2
cbc|alym|Absolute Lymphocytes ; Linfocitos (valor absoluto) ; Lymphocytes absolus ; Lymphozyten absolut ; Linfociti (val. ass.) ; Linfócitos absolutos|10^3/µL|1.00-4.80|G/L|1.00-4.80|2
cbc|esr|ESR (Westergren) ; V.S.G. 1ª hora ; Vitesse de sédimentation ; BSG 1. Stunde ; VES ; VHS|mm/h|20|mm/h|20|0
chem|glu|Glucose, Fasting ; Glucosa ; Glycémie à jeun ; Glukose nüchtern ; Glicemia ; Glicose de jejum|mg/dL|70-99|mmol/L|3.9-5.5|0/1
chem|urea|Blood Urea ; Urea ; Urée ; Harnstoff ; Azotemia ; Ureia|mg/dL|15-43|mmol/L|2.5-7.1|0/1
chem|crea|Creatinine ; Creatinina ; Créatinine ; Kreatinin ; Creatinina ; Creatinina|mg/dL|0.57-1.25|µmol/L|50-110|2/0
chem|egfr|eGFR (CKD-EPI 2021) ; Filtrado glomerular (CKD-EPI) ; DFG estimé (CKD-EPI) ; eGFR (CKD-EPI) ; Filtrato glomerulare (eGFR) ; Taxa de filtração glomerular|mL/min/1.73m2|>60|mL/min/1.73m2|>60|0
chem|uric|Uric Acid ; Ácido úrico ; Acide urique ; Harnsäure ; Acido urico ; Ácido úrico|mg/dL|3.4-7.0|µmol/L|200-420|1/0
chem|na|Sodium ; Sodio ; Sodium ; Natrium ; Sodio ; Sódio|mmol/L|136-145|mmol/L|136-145|0
chem|k|Potassium ; Potasio ; Potassium ; Kalium ; Potassio ; Potássio|mmol/L|3.5-5.1|mmol/L|3.5-5.1|1
chem|cl|Chloride ; Cloruro ; Chlore ; Chlorid ; Cloro ; Cloro|mmol/L|98-107|mmol/L|98-107|0
chem|ca|Calcium, Total ; Calcio ; Calcium ; Calcium ; Calcio ; Cálcio total|mg/dL|8.6-10.3|mmol/L|2.15-2.55|1/2
chem|phos|Phosphorus ; Fósforo ; Phosphore ; Phosphat ; Fosforo ; Fósforo|mg/dL|2.5-4.5|mmol/L|0.81-1.45|1/2
chem|mg|Magnesium ; Magnesio ; Magnésium ; Magnesium ; Magnesio ; Magnésio|mg/dL|1.6-2.6|mmol/L|0.66-1.07|1/2
chem|tp|Total Protein ; Proteínas totales ; Protéines totales ; Gesamteiweiß ; Proteine totali ; Proteínas totais|g/dL|6.0-8.3|g/L|60-83|1/0
chem|alb|Albumin ; Albúmina ; Albumine ; Albumin ; Albumina ; Albumina|g/dL|3.5-5.2|g/L|35-52|1/0
chem|tbil|Bilirubin, Total ; Bilirrubina total ; Bilirubine totale ; Bilirubin gesamt ; Bilirubina totale ; Bilirrubina total|mg/dL|0.2-1.2|µmol/L|3-21|2/0
chem|ast|AST (SGOT) ; GOT (AST) ; ASAT (TGO) ; GOT (ASAT) ; AST (GOT) ; TGO (AST)|U/L|5-40|U/L|5-40|0
chem|alt|ALT (SGPT) ; GPT (ALT) ; ALAT (TGP) ; GPT (ALAT) ; ALT (GPT) ; TGP (ALT)|U/L|41|U/L|41|0
chem|ggt|Gamma Glutamyl Transferase (GGT) ; Gamma GT ; Gamma GT ; Gamma-GT ; Gamma GT ; Gama GT|U/L|8-61|U/L|8-61|0
chem|alp|Alkaline Phosphatase ; Fosfatasa alcalina ; Phosphatases alcalines ; Alkalische Phosphatase ; Fosfatasi alcalina ; Fosfatase alcalina|U/L|40-129|U/L|40-129|0
chem|ldh|Lactate Dehydrogenase ; LDH ; LDH ; LDH ; LDH ; Desidrogenase lática (DHL)|U/L|135-225|U/L|135-225|0
lip|chol|Cholesterol, Total ; Colesterol total ; Cholestérol total ; Cholesterin gesamt ; Colesterolo totale ; Colesterol total|mg/dL|200|mmol/L|5.2|0/1
lip|hdl|HDL Cholesterol ; Colesterol HDL ; Cholestérol HDL ; HDL-Cholesterin ; Colesterolo HDL ; Colesterol HDL|mg/dL|>40|mmol/L|>1.0|0/2
lip|ldl|LDL Cholesterol, Calculated ; Colesterol LDL ; Cholestérol LDL calculé ; LDL-Cholesterin ; Colesterolo LDL ; Colesterol LDL|mg/dL|130|mmol/L|3.4|0/2
lip|tg|Triglycerides ; Triglicéridos ; Triglycérides ; Triglyceride ; Trigliceridi ; Triglicerídeos|mg/dL|150|mmol/L|1.7|0/2
lip|lpa|Lipoprotein (a) ; Lipoproteína (a) ; Lipoprotéine (a) ; Lipoprotein (a) ; Lipoproteina (a) ; Lipoproteína (a)|nmol/L|75.0|nmol/L|75.0|1
endo|tsh|TSH (Ultrasensitive) ; TSH ; TSH ultrasensible ; TSH basal ; TSH ; TSH ultrassensível|µIU/mL|0.450-4.500|mU/L|0.40-4.00|3/2
endo|ft4|T4, Free ; T4 libre ; T4 libre ; Freies T4 ; FT4 ; T4 livre|ng/dL|0.82-1.77|pmol/L|12.0-22.0|2/1
endo|ft3|Free T3 ; T3 libre ; T3 libre ; Freies T3 ; FT3 ; T3 livre|pg/mL|2.0-4.4|pmol/L|3.1-6.8|1
endo|a1c|Hemoglobin A1c ; Hemoglobina glicosilada HbA1c ; Hémoglobine glyquée HbA1c ; HbA1c ; Emoglobina glicata HbA1c ; Hemoglobina glicada HbA1c|%|4.0-5.6|mmol/mol|20-38|1/0
endo|vitd|Vitamin D, 25-Hydroxy ; 25-OH Vitamina D ; 25-OH Vitamine D ; 25-OH-Vitamin D ; 25-OH Vitamina D ; 25-OH Vitamina D|ng/mL|30.0-100.0|nmol/L|75-250|1/0
endo|b12|Vitamin B12 ; Vitamina B12 ; Vitamine B12 ; Vitamin B12 ; Vitamina B12 ; Vitamina B12|pg/mL|232-1245|pmol/L|145-569|0
endo|fer|Ferritin ; Ferritina ; Ferritine ; Ferritin ; Ferritina ; Ferritina|ng/mL|30-400|µg/L|30-400|0
endo|fe|Iron, Serum ; Hierro ; Fer sérique ; Eisen ; Ferro (sideremia) ; Ferro sérico|µg/dL|38-169|µmol/L|7-30|0
endo|crp|C-Reactive Protein ; Proteína C reactiva ; CRP (protéine C réactive) ; C-reaktives Protein ; Proteina C reattiva ; Proteína C reativa|mg/L|5.0|mg/L|5.0|1
endo|psa|PSA, Total ; PSA total ; PSA total ; PSA gesamt ; PSA totale ; PSA total|ng/mL|4.00|µg/L|4.00|2
endo|ca199|CA 19-9 ; CA 19.9 ; CA 19-9 ; CA 19-9 ; CA 19-9 ; CA 19-9|U/mL|37.0|kU/L|37.0|1
endo|cort|Cortisol, AM ; Cortisol basal ; Cortisol 8 h ; Cortisol morgens ; Cortisolo ; Cortisol|µg/dL|6.2-19.4|nmol/L|171-536|1/0
coag|pt|Prothrombin Time ; Tiempo de protrombina ; Temps de Quick ; Thromboplastinzeit ; Tempo di protrombina ; Tempo de protrombina|sec|9.6-12.2|s|11.0-13.5|1
coag|inr|INR ; INR ; INR ; INR ; INR ; INR||0.9-1.2||0.9-1.2|1
coag|aptt|aPTT ; TTPA ; TCA ; aPTT ; aPTT ; TTPA|sec|24-36|s|24-36|0
coag|fib|Fibrinogen ; Fibrinógeno ; Fibrinogène ; Fibrinogen ; Fibrinogeno ; Fibrinogênio|mg/dL|200-400|g/L|2.0-4.0|0/1
ua|color|Color ; Color ; Couleur ; Farbe ; Colore ; Cor|Q|Yellow;Amarillo;Jaune;gelb;Giallo paglierino;Amarelo claro|Q|Amber;Ámbar;Ambre;bernstein;Ambra;Âmbar|0
ua|sg|Specific Gravity ; Densidad ; Densité ; Spezifisches Gewicht ; Peso specifico ; Densidade||1.005-1.030||1.005-1.030|3
ua|ph|pH ; pH ; pH ; pH ; pH ; pH||5.0-7.5||5.0-7.5|1
ua|prot|Protein ; Proteínas ; Protéines ; Eiweiß ; Proteine ; Proteínas|Q|N|Q|T|0
ua|uglu|Glucose ; Glucosa ; Glucose ; Glucose ; Glucosio ; Glicose|Q|N|Q|P|0
ua|ket|Ketones ; Cuerpos cetónicos ; Corps cétoniques ; Ketone ; Corpi chetonici ; Corpos cetônicos|Q|N|Q|T|0
ua|nit|Nitrite ; Nitritos ; Nitrites ; Nitrit ; Nitriti ; Nitrito|Q|N|Q|P|0
ua|ublood|Occult Blood ; Sangre ; Sang ; Blut ; Sangue ; Sangue|Q|N|Q|T|0
ua|leu|Leukocyte Esterase ; Esterasa leucocitaria ; Leucocytes (bandelette) ; Leukozyten-Esterase ; Esterasi leucocitaria ; Esterase leucocitária|Q|N|Q|P|0
sero|hbs|Hepatitis B Surface Antigen ; HBsAg ; Antigène HBs ; HBs-Antigen ; HBsAg ; HBsAg|Q|R|Q|RP|0
sero|hcv|Hepatitis C Antibody ; Anticuerpos anti-VHC ; Anticorps anti-VHC ; Anti-HCV ; Anticorpi anti-HCV ; Anti-HCV|Q|R|Q|RP|0
sero|hiv|HIV 1/2 Antigen/Antibody ; VIH 1/2 ; Sérologie VIH 1/2 ; HIV 1/2 ; HIV 1/2 ; HIV 1 e 2|Q|R|Q|RP|0
`;

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'pt'] as const;
export type ReportLanguage = (typeof LANGUAGES)[number];
export type PanelKey = 'cbc' | 'chem' | 'lip' | 'endo' | 'coag' | 'ua' | 'sero';

const WORDS: Readonly<Record<string, readonly string[]>> = {
  N: ['Negative', 'Negativo', 'Négatif', 'negativ', 'Negativo', 'Negativo'],
  T: ['Trace', 'Trazas', 'Traces', 'Spuren', 'Tracce', 'Traços'],
  P: ['Positive', 'Positivo', 'Positif', 'positiv', 'Positivo', 'Positivo'],
  R: ['Non-Reactive', 'No reactivo', 'Négatif', 'negativ', 'Non reattivo', 'Não reagente'],
  RP: ['Reactive', 'Reactivo', 'Positif', 'positiv', 'Reattivo', 'Reagente'],
};

// prettier-ignore
const TITLES: Readonly<Record<PanelKey, readonly string[]>> = {
  cbc:  ['COMPLETE BLOOD COUNT', 'HEMOGRAMA COMPLETO', 'HÉMOGRAMME', 'Blutbild', 'EMOCROMO', 'HEMOGRAMA'],
  chem: ['COMPREHENSIVE METABOLIC PANEL', 'BIOQUÍMICA', 'BIOCHIMIE SANGUINE', 'Klinische Chemie', 'CHIMICA CLINICA', 'BIOQUÍMICA'],
  lip:  ['LIPID PANEL', 'PERFIL LIPÍDICO', 'BILAN LIPIDIQUE', 'Lipidstatus', 'ASSETTO LIPIDICO', 'PERFIL LIPÍDICO'],
  endo: ['ENDOCRINOLOGY', 'HORMONAS Y VITAMINAS', 'HORMONOLOGIE', 'Hormone und Vitamine', 'ORMONI E VITAMINE', 'HORMÔNIOS'],
  coag: ['COAGULATION', 'COAGULACIÓN', 'HÉMOSTASE', 'Gerinnung', 'COAGULAZIONE', 'COAGULAÇÃO'],
  ua:   ['URINALYSIS', 'ANÁLISIS DE ORINA', 'EXAMEN D\'URINE', 'Urinstatus', 'ESAME URINE', 'URINA TIPO I'],
  sero: ['SEROLOGY', 'SEROLOGÍA', 'SÉROLOGIE', 'Infektionsserologie', 'SIEROLOGIA', 'SOROLOGIA'],
};

export interface GeneratedAnalyte {
  readonly panel: PanelKey;
  readonly name: string;
  readonly unit: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly decimals: number;
  /** The usual and an unusual word of a qualitative result. */
  readonly words: readonly [string, string] | undefined;
}

export const panelTitle = (panel: PanelKey, lang: ReportLanguage): string =>
  TITLES[panel][LANGUAGES.indexOf(lang)] ?? '';

/** The analytes in one language, in conventional or in SI units. */
export function analytesIn(lang: ReportLanguage, si: boolean): GeneratedAnalyte[] {
  const at = LANGUAGES.indexOf(lang);
  return ROWS.trim()
    .split('\n')
    .map((row) => {
      const [panel = '', , names = '', unit = '', range = '', siUnit = '', siRange = '', places = ''] =
        row.split('|');
      const [first = '0', second = first] = places.split('/');
      const name = names.split(' ; ')[at] ?? '';
      const base = { panel: panel as PanelKey, name };
      if (unit === 'Q') {
        const word = (list: string) => (WORDS[list] ?? list.split(';'))[at] ?? '';
        return {
          ...base,
          unit: '',
          low: null,
          high: null,
          decimals: 0,
          words: [word(range), word(siRange)] as const,
        };
      }
      const text = si ? siRange : range;
      const [low = '', high] = text.split('-');
      return {
        ...base,
        unit: si ? siUnit : unit,
        low: text.startsWith('>') ? Number(text.slice(1)) : high === undefined ? null : Number(low),
        high: text.startsWith('>') ? null : Number(high ?? low),
        decimals: Number(si ? second : first),
        words: undefined,
      };
    });
}
