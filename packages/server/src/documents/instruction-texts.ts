import type { CollectionMethod, SampleType } from '../ordering/catalog/schema.ts';

// Collection instructions for patients, in plain language.

export interface InstructionSection {
  readonly title: string;
  readonly steps: readonly string[];
}

const DRINK_WATER = 'Drink a glass of water 15 minutes before. Blood flows better from a warm hand or arm.';
const LANCETS =
  'Put used lancets or the used device into a sharps container, or a bottle of hard plastic with a lid.';

/** How to use a kit, by sample type. */
export const KIT_SECTIONS: Readonly<Record<SampleType, InstructionSection>> = {
  dried_blood_spot: {
    title: 'Collect blood from a finger',
    steps: [
      DRINK_WATER,
      'Open the card so that the circles can be seen. Do not touch the paper inside them.',
      'Clean the side of your middle or ring fingertip with the alcohol pad. Let it dry in the air.',
      'Press the lancet firmly against the side of the fingertip until it clicks. Wipe the first drop away with the gauze.',
      'Let your hand hang down. Stroke from the palm towards the fingertip, and do not squeeze the tip itself.',
      'Let one large drop fall on each circle, without touching the paper with your skin. Each circle has to be full, and soaked through to the back.',
      'Stop the bleeding with the gauze and put the bandage on. If a circle is not full, use the second lancet on another finger.',
      'Leave the open card flat at room temperature for at least three hours, out of the sun and away from heat. Close it when the spots are dark and dry.',
      'Put the dry card into the pouch with the desiccant packet and close it.',
      LANCETS,
    ],
  },
  arm_collector: {
    title: 'Collect blood with the arm device',
    steps: [
      DRINK_WATER,
      'Choose the outer side of your upper arm. Warm the spot with your hand or the warm pad for two minutes.',
      'Clean the skin with the alcohol pad and let it dry in the air.',
      'Take the film off the device and press it on the skin, with the tube pointing down.',
      'Push the button all the way until it clicks. You may feel a short prick.',
      'Keep your arm hanging down and still until the tube is filled up to the line, usually two to five minutes.',
      'Take the device off slowly, press the gauze on the spot, and put the bandage on.',
      'Pull the tube off, close it with its cap until it clicks, and turn it over slowly five times. Do not shake it.',
      'Put the tube into the protective sleeve.',
      LANCETS,
    ],
  },
  serum: {
    title: 'Collect blood into the small tube',
    steps: [
      DRINK_WATER,
      'Clean the side of your middle or ring fingertip with the alcohol pad and let it dry in the air.',
      'Press the lancet firmly against the side of the fingertip until it clicks. Wipe the first drop away.',
      'Let the following drops run into the small tube until the line is reached. Stroke from the palm towards the fingertip.',
      'Close the tube with its cap until it clicks, and turn it over slowly five times. Do not shake it.',
      'Stop the bleeding with the gauze and put the bandage on.',
      'Let the tube stand upright at room temperature for thirty minutes, then put it into the protective sleeve.',
      LANCETS,
    ],
  },
  saliva: {
    title: 'Collect saliva',
    steps: [
      'For thirty minutes before: do not eat, drink, smoke, chew gum or brush your teeth.',
      'Rinse your mouth with water once, then wait five minutes.',
      'Let saliva gather in your mouth. Let it run through the funnel into the tube; do not cough anything up.',
      'Fill the tube up to the line. Bubbles do not count.',
      'Take the funnel off and close the tube tightly. If the cap holds a liquid, it flows into the tube on its own.',
      'Turn the tube over five times.',
    ],
  },
  urine: {
    title: 'Collect urine',
    steps: [
      'Use the first urine of the day if you can. Wash your hands.',
      'Clean yourself with the wipe, from front to back.',
      'Let the first of the urine go into the toilet, then hold the cup into the stream and fill it to the line. The rest goes into the toilet.',
      'Do not touch the inside of the cup or its lid.',
      'Fill the tube from the cup, close both lids tightly, and wipe the tube dry.',
      'Keep the tube in the refrigerator if you cannot send it within two hours.',
    ],
  },
  stool: {
    title: 'Collect stool',
    steps: [
      'Empty your bladder first. Urine and water from the toilet must not touch the stool.',
      'Put the paper catcher over the toilet seat as shown in its picture.',
      'With the spoon in the lid, take small amounts from several places of the stool until the line in the tube is reached.',
      'Close the tube tightly. If it holds a liquid, shake it until everything is mixed.',
      'Flush the paper down the toilet and wash your hands.',
      'Put the tube into the bag with the absorbent sheet and close it.',
    ],
  },
};

export const BEFORE_KIT: InstructionSection = {
  title: 'Before you begin',
  steps: [
    'Read all instructions first. Check that the kit is complete and not expired.',
    'Collect on a Monday to Thursday morning, so that the specimen does not wait over a weekend.',
    'Write your name, your date of birth, and the date and time of collection on the label of the specimen. Without them the laboratory cannot test it.',
    'Wash your hands with warm water and soap for thirty seconds.',
  ],
};

export const SEND_KIT: InstructionSection = {
  title: 'Send it back',
  steps: [
    'Put the specimen and the completed form into the return bag, and the bag into the box.',
    'Send it on the day of collection with the label that is in the kit.',
  ],
};

/** How a visit works, by collection method. */
export const VISIT_SECTIONS: Readonly<
  Record<Exclude<CollectionMethod, 'testkit'>, readonly InstructionSection[]>
> = {
  walk_in_test: [
    {
      title: 'Before your visit',
      steps: [
        'Find a patient service center of the laboratory and its opening hours. An appointment shortens the wait.',
        'Bring a photo ID and, if your insurance pays, your insurance card.',
        'Bring the requisition on paper or on your phone.',
        'Drink water, and wear sleeves that can be rolled up.',
      ],
    },
    {
      title: 'At the center',
      steps: [
        'Tell the desk that you come for a laboratory order, and check your name and date of birth on the form.',
        'Tell the phlebotomist if you take blood thinners, or if you have ever fainted during a blood draw.',
        'Stay until you are told that every tube is labeled.',
      ],
    },
  ],
  at_home_phlebotomy: [
    {
      title: 'Before the phlebotomist comes',
      steps: [
        'An adult (18 or older) must be at home. Keep your phone at hand.',
        'Have a photo ID ready.',
        'Prepare a quiet, bright place with a chair and a table. Keep pets in another room.',
        'Drink water, and wear sleeves that can be rolled up.',
      ],
    },
    {
      title: 'During the visit',
      steps: [
        'The phlebotomist asks for your name and date of birth, and writes them on every tube. Check them.',
        'Tell the phlebotomist if you take blood thinners, or if you have ever fainted during a blood draw.',
        'The phlebotomist brings the specimens to the laboratory. You do not have to send anything.',
      ],
    },
  ],
  on_site_collection: [
    {
      title: 'Before your collection',
      steps: [
        'The specimen is taken by the staff of the site that ordered the test.',
        'Bring a photo ID. Drink water, and wear sleeves that can be rolled up.',
        'Tell the staff if you take blood thinners, or if you have ever fainted during a blood draw.',
      ],
    },
    {
      title: 'During the collection',
      steps: [
        'Check your name and date of birth on the label of every tube before you leave.',
        'The site sends the specimens to the laboratory. You do not have to send anything.',
      ],
    },
  ],
};

/** What is collected at a visit, as part of a sentence. */
export const SPECIMEN_TEXTS: Readonly<Record<SampleType, string>> = {
  dried_blood_spot: 'a few drops of blood from a finger',
  arm_collector: 'a small amount of blood from the upper arm',
  serum: 'blood from a vein of the arm',
  saliva: 'saliva',
  urine: 'urine in a cup; do not empty your bladder in the hour before',
  stool: 'a stool specimen, which you may have to collect at home with a container of the laboratory',
};

/** What a kit collects, as part of a sentence. */
export const KIT_SPECIMEN_TEXTS: Readonly<Record<SampleType, string>> = {
  ...SPECIMEN_TEXTS,
  serum: 'blood from a finger, in a small tube',
  urine: 'urine',
  stool: 'stool',
};

export const FASTING =
  'This test needs you to be fasting. Eat nothing and drink only water for 8 to 12 hours before. Keep taking your medication unless your physician tells you otherwise.';
export const NOT_FASTING = 'You do not have to be fasting for this test. Eat and drink as usual.';

const EMERGENCY_NOTE =
  'If you feel unwell, faint or in pain, get medical help. In an emergency in the United States call 911.';

export const AFTER: InstructionSection = {
  title: 'Afterwards',
  steps: ['You may eat, drink and do everything as usual.', EMERGENCY_NOTE],
};

export const AFTER_BLOOD: InstructionSection = {
  title: 'Afterwards',
  steps: ['A small bruise is normal. If it keeps bleeding, press on it for ten minutes.', EMERGENCY_NOTE],
};
