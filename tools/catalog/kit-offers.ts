/** The keys of the analytes and panels that each test kit laboratory offers. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const LIPIDS = 'cholesterol triglycerides hdl ldl ldl_direct non_hdl vldl cholesterol_hdl_ratio';
const SUGAR = 'glucose hba1c estimated_average_glucose insulin c_peptide';
const HORMONES = 'testosterone_total shbg estradiol progesterone dhea_sulfate cortisol fsh lh prolactin amh';
const THYROID = 'tsh t4_free t3_free t4_total tpo_antibody thyroglobulin_antibody';
const NUTRITION = 'vitamin_d_25 vitamin_b12 folate ferritin iron';
const KITS = 'kit_heart_health kit_metabolic kit_thyroid kit_male_hormones kit_female_hormones kit_nutrition';

export const GENERAL_KITS = words(
  `${LIPIDS} ${SUGAR} ${HORMONES} ${THYROID} ${NUTRITION} hs_crp homocysteine psa_total alt ast ggt creatinine
   albumin uric_acid ${KITS}`,
);

export const HOME_KITS = words(
  `${LIPIDS} ${SUGAR} ${THYROID} ${NUTRITION} hs_crp psa_total cortisol_saliva testosterone_total alt ast creatinine
   urine_cotinine urine_albumin hiv_1_2_antibody hepatitis_c_antibody kit_heart_health kit_metabolic kit_thyroid
   kit_nutrition`,
);

export const CARDIO_KITS = words(
  `${LIPIDS} ldl_hdl_ratio apolipoprotein_a1 apolipoprotein_b apo_a1_b_ratio lipoprotein_a lipoprotein_a_mass hs_crp
   crp homocysteine nt_probnp bnp ${SUGAR} fructosamine creatinine uric_acid alt ast ggt ferritin vitamin_d_25
   kit_heart_health kit_metabolic apolipoprotein_evaluation cardiac_risk_panel`,
);

export const ALLERGY_KITS = words(
  `ige_peanut ige_almond ige_cashew ige_hazelnut ige_walnut ige_sesame ige_soybean ige_wheat ige_corn ige_milk
   ige_egg_white ige_codfish ige_salmon ige_shrimp ige_crab ige_cat_dander ige_dog_dander ige_dust_mite_farinae
   ige_dust_mite_pteronyssinus ige_cockroach ige_alternaria ige_aspergillus ige_cladosporium ige_penicillium
   ige_bermuda_grass ige_timothy_grass ige_johnson_grass ige_common_ragweed ige_mugwort ige_pigweed ige_white_oak
   ige_white_elm ige_silver_birch ige_mountain_cedar immunoglobulin_e allergy_food_panel allergy_respiratory_panel`,
);

export const FOOD_KITS = words(
  `igg_milk igg_egg_white igg_egg_yolk igg_wheat igg_gluten igg_corn igg_rice igg_oat igg_barley igg_soybean igg_peanut
   igg_almond igg_cashew igg_walnut igg_sesame igg_salmon igg_tuna igg_shrimp igg_beef igg_pork igg_chicken igg_apple
   igg_banana igg_tomato igg_potato igg_bakers_yeast kit_food_igg ige_peanut ige_almond ige_milk ige_egg_white ige_wheat
   ige_soybean ige_corn ige_codfish ige_shrimp ige_walnut ige_sesame immunoglobulin_e ttg_iga immunoglobulin_a
   allergy_food_panel`,
);

export const INFECTION_KITS = words(
  `chlamydia_urine gonorrhoeae_urine chlamydia_vaginal chlamydia_throat gonorrhoeae_throat chlamydia_rectal
   gonorrhoeae_rectal trichomonas candida_vaginal gardnerella_vaginal hpv_high_risk hiv_1_2_antibody hiv_1_rna_quant
   hepatitis_a_total hepatitis_b_surface_antigen hepatitis_b_surface_antibody hepatitis_b_core_antibody
   hepatitis_c_antibody hepatitis_c_rna_qualitative rpr treponema_antibody hsv_1_igg_index hsv_2_igg_index creatinine
   h_pylori_stool fecal_occult_blood urine_culture kit_sti_urine kit_sti_three_site kit_blood_infections
   chlamydia_gonorrhoeae_urine vaginitis_panel hsv_igg_panel`,
);
